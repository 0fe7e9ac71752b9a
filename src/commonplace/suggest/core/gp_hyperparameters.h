#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/learn/feature_rows.h"
#include "commonplace/learn/kernel.h"

namespace commonplace::suggest {

/// How a kernel's length scale and variance are chosen: by the marginal likelihood of some of the
/// items under a sparse Gaussian process (Laplace's approximation).
struct HyperparameterOptions {
  std::int64_t items = 1500;     ///< judge by so many items, drawn at random
  std::int64_t prototypes = 64;  ///< which stand on so many of them; at least one a class
  int evaluations = 40;          ///< at most so many kernels are tried
  std::uint64_t seed = 1;        ///< of the draws
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, HyperparameterOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("tuning_items", options.items, "items by which the kernel is judged");
  visit("tuning_prototypes", options.prototypes, "prototypes when the kernel is judged");
  visit("tuning_evaluations", options.evaluations, "most kernels that are tried");
}

struct TunedKernel {
  Kernel kernel;
  double log_likelihood = 0;  ///< of the items that were drawn
  int evaluations = 0;
};

/// The median distance between items, of some pairs drawn at random: where the search for a length
/// scale begins. 1 if they are all the same.
double typical_length_scale(const FeatureRows& items, std::uint64_t seed = 1);

/// The kernel of this kind with the greatest marginal likelihood found: a simplex search (Nelder &
/// Mead) over the logarithms of length scale and variance, the length scale between 1/30 and 30
/// typical ones and the variance between 0.01 and 10,000.
TunedKernel tune_kernel(KernelKind kind, const FeatureRows& items,
                        std::span<const std::int32_t> labels, std::int64_t classes,
                        const HyperparameterOptions& options, const Run& run = {});

/// The log marginal likelihood for each length scale (rows) and variance (columns), over the same
/// draw.
MatrixD likelihood_surface(KernelKind kind, const FeatureRows& items,
                           std::span<const std::int32_t> labels, std::int64_t classes,
                           std::span<const double> length_scales, std::span<const double> variances,
                           const HyperparameterOptions& options, const Run& run = {});

}  // namespace commonplace::suggest

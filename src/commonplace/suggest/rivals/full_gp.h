#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/learn/feature_rows.h"
#include "commonplace/learn/kernel.h"
#include "commonplace/suggest/core/class_probabilities.h"

namespace commonplace::suggest {

/// The Gaussian process for C classes over all N items, by Laplace's approximation (Rasmussen &
/// Williams, algorithms 3.3 and 3.4): what the sparse one approximates. In double throughout.
struct FullGp {
  Kernel kernel;
  StoredRows items;                ///< N x features
  MatrixD latents;                 ///< N x C, the mode
  MatrixD residuals;               ///< N x C, one for the item's class minus its probability
  std::vector<MatrixD> precision;  ///< E_c, N x N each
  MatrixD whitener;                ///< the inverse Cholesky factor of their sum
  double log_likelihood = 0;
};

struct FullGpOptions {
  int iterations = 50;       ///< at most so many Newton steps
  double tolerance = 1e-10;  ///< stop when a step gains no more than this share
};

/// The most N² C that are taken: 1.2 GB.
constexpr std::int64_t kMostFullGp = 150'000'000;
bool fits_full_gp(std::int64_t items, std::int64_t classes);

struct FullGpFit {
  FullGp model;
  Convergence
      report;  ///< the objective is the negative log posterior of the latents, up to a constant
};

/// O(C N³) a step. Error if there are too many items for it.
FullGpFit fit_full_gp(const Kernel& kernel, const FeatureRows& items,
                      std::span<const std::int32_t> labels, std::int64_t classes,
                      const FullGpOptions& options = {}, int jobs = 0);

/// The latents of other items, with covariances. O(n C N²).
Latents predict_latents(const FullGp& model, const FeatureRows& items, int jobs = 0);

}  // namespace commonplace::suggest

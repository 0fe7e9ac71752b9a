#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/learn/feature_rows.h"
#include "commonplace/learn/kernel.h"

namespace commonplace::suggest {

/// The informative vector machine (Lawrence, Seeger & Herbrich 2003), one class against the rest:
/// each class has a Gaussian process of its own on a few items, chosen one after another by how
/// much they tell, with a probit likelihood and assumed density filtering.
struct IvmOptions {
  std::int64_t active = 100;  ///< items a class; all if there are fewer
  std::uint64_t seed = 1;     ///< of the candidates
};

struct Ivm {
  struct Machine {
    StoredRows active;  ///< its items
    VectorD weights;    ///< the latent mean of x is k_xᵀ weights
    MatrixD factor;     ///< its variance is k(x, x) - |factor k_x|²
  };
  Kernel kernel;
  std::vector<Machine> machines;  ///< one a class
};

/// O(classes · items · active²). Labels are 0 .. classes-1.
Ivm fit_ivm(const Kernel& kernel, const FeatureRows& items, std::span<const std::int32_t> labels,
            std::int64_t classes, const IvmOptions& options, const Run& run = {});

/// Class probabilities, items x classes: each machine's probability of its class, divided by their
/// sum. O(items · classes · active²).
Matrix predict(const Ivm& model, const FeatureRows& items, int jobs = 0);

}  // namespace commonplace::suggest

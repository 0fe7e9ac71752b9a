#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/learn/feature_rows.h"
#include "commonplace/learn/kernel.h"

namespace commonplace::suggest {

/// Items whose classes were observed one after another, and what their observation amounts to: as
/// if the latent function of class c had been seen at item i as means(i, c) with this precision.
struct InformativeItems {
  std::vector<std::int64_t> items;  ///< in the order in which they were chosen
  MatrixD means;                    ///< items x classes
  VectorD precisions;
};

/// Chooses `count` items, each the one of a random 500 that lowers the entropy of the latent
/// functions most when its class is observed, by assumed density filtering with a probit
/// likelihood, every class against the rest and one covariance for all. An item of no class, its
/// label `classes`, is against each. O(items · count²).
InformativeItems choose_informative(const FeatureRows& items, std::span<const std::int32_t> labels,
                                    std::int64_t classes, const Kernel& kernel, std::int64_t count,
                                    std::uint64_t seed, const Run& run = {});

}  // namespace commonplace::suggest

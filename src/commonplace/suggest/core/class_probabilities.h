#pragma once

#include <cstdint>

#include "commonplace/base/matrix.h"

namespace commonplace::suggest {

/// What a Gaussian process for classes knows of items: the latent functions, one a class, are
/// normal with these moments.
struct Latents {
  Matrix mean;        ///< items x classes
  Matrix variance;    ///< items x classes
  Matrix covariance;  ///< items x classes², or empty: the classes are independent
};

/// Class probabilities, items x classes, at the mode of the latents: their softmax, the variances
/// left aside. Where kernels have large variances, these are the better calibrated ones.
Matrix mode_probabilities(const Latents& latents);

/// Class probabilities averaged over the latents, by a formula: softmax(mean / sqrt(1 + pi variance
/// / 8)). O(1) an entry.
Matrix fast_probabilities(const Latents& latents);

/// The mean of the softmax over draws of the latents (Rasmussen & Williams, algorithm 3.4). The
/// draws are functions of (seed, draw, class), the same for each item. Its standard error is at
/// most 0.5 / sqrt(draws).
Matrix sampled_probabilities(const Latents& latents, int draws = 1000, std::uint64_t seed = 1,
                             int jobs = 0);

}  // namespace commonplace::suggest

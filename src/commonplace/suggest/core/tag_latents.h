#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "commonplace/base/matrix.h"
#include "commonplace/base/progress.h"
#include "commonplace/comm/comm.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/suggest/core/gp_basis.h"

namespace commonplace {

/// Every tag a latent function of its own on one whitened basis (learn/gp_basis.h), with Gaussian
/// noise: v_t ~ N(0, I), y_nt = a_nᵀ v_t + noise of variance `ridge`. The posterior of all tags
/// shares one covariance, ridge · (AᵀA + ridge I)⁻¹, and its means are the columns of `weights`.
/// A target is above 0 where the item has the tag, -1 where the tag was rejected, 0 elsewhere.
struct TagLatents {
  double ridge = 1;
  MatrixD inverse;  ///< (AᵀA + ridge I)⁻¹, M x M
  Matrix weights;   ///< M x tags: the posterior means at whitened items A are A weights

  std::int64_t tags() const { return weights.cols(); }
};

/// What the items say, summed over all ranks: enough to solve for any ridge.
struct LatentStatistics {
  MatrixD gram;     ///< AᵀA, M x M
  MatrixD targets;  ///< AᵀY, M x tags
};

/// The target of each tag of an item that has so many: an item of many tags says less by each,
/// which puts the likeliest tag first more often than targets of 1 do.
float say_of_each(std::int64_t tags);
/// `targets` (1 has the tag, -1 it was rejected) with the say of each tag in place of the ones.
Sparse share_say(const SparseView& targets);

/// Each rank gives its own items and their targets (items x tags). Items are whitened by blocks, so
/// memory is O(M² + M tags), and each block costs O(items M²). Every rank gets the same sums.
LatentStatistics gather_statistics(const GpBasis& basis, const FeatureRows& items,
                                   const SparseView& targets, Comm& comm, int jobs = 0,
                                   const Progress& progress = no_progress);

/// O(M³ + M² tags). Error if `ridge` is not above 0.
TagLatents solve_latents(const LatentStatistics& statistics, double ridge, int jobs = 0);

/// The posterior variance at one whitened item, the same for all tags, without noise. O(M²).
double latent_variance(const TagLatents& latents, std::span<const float> whitened);

/// Learns one item that was not learned before, as if it had been there: O(M² + M tags). `targets`
/// are its nonzero ones, (tag, value).
void learn_item(TagLatents& latents, std::span<const float> whitened,
                std::span<const std::pair<std::int32_t, float>> targets);

/// Learns some targets of an item of which nothing else is known: the other tags stay as they are.
/// O(M²).
void learn_targets(TagLatents& latents, std::span<const float> whitened,
                   std::span<const std::pair<std::int32_t, float>> targets);

/// Learns that targets of an item learned before have changed by (tag, difference). O(M²).
void change_targets(TagLatents& latents, std::span<const float> whitened,
                    std::span<const std::pair<std::int32_t, float>> differences);

/// Room for more tags, of which nothing is known yet.
void add_tags(TagLatents& latents, std::int64_t count);

/// Puts the latents into a model file and takes them out again; Error if they do not fit a basis
/// of `size` prototypes.
void add_latents(TensorWriter& writer, const TagLatents& latents);
TagLatents read_latents(const TensorFile& file, std::int64_t size);

}  // namespace commonplace

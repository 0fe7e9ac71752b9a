#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/suggest/core/sparse_gp_basis.h"

namespace commonplace::suggest {

/// A sparse Gaussian process regression for each tag, all on one basis of M prototypes
/// (sparse_gp_basis.h): y_nt = a_nᵀ v_t + noise, v_t ~ N(0, I), of variance σ², `noise_variance`.
/// Its means are those of DTC (the projected process; also of SoR). The posterior of all tags
/// shares one covariance, σ² (AᵀA + σ² I)⁻¹, and its means are the columns of `weights`. A target
/// is above 0 where the item has the tag, -1 where the tag was rejected, 0 elsewhere.
struct SparseGp {
  double noise_variance = 1;
  MatrixD inverse;  ///< (AᵀA + σ² I)⁻¹, M x M
  Matrix weights;   ///< M x tags: the posterior means at whitened items A are A weights

  std::int64_t tags() const { return weights.cols(); }
};

/// What the items say, summed over all ranks: enough to solve for any noise variance.
struct SparseGpStatistics {
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
SparseGpStatistics gather_statistics(const SparseGpBasis& basis, const FeatureRows& items,
                                     const SparseView& targets, const Run& run);

/// O(M³ + M² tags). Error if `noise_variance` is not above 0.
SparseGp solve_sparse_gp(const SparseGpStatistics& statistics, double noise_variance, int jobs = 0);

/// Learns one item that was not learned before, as if it had been there: O(M² + M tags). `targets`
/// are its nonzero ones, (tag, value).
void learn_item(SparseGp& gp, std::span<const float> whitened,
                std::span<const std::pair<std::int32_t, float>> targets);

/// Learns some targets of an item of which nothing else is known: the other tags stay as they are.
/// O(M²).
void learn_targets(SparseGp& gp, std::span<const float> whitened,
                   std::span<const std::pair<std::int32_t, float>> targets);

/// Learns that targets of an item learned before have changed by (tag, difference). O(M²).
void change_targets(SparseGp& gp, std::span<const float> whitened,
                    std::span<const std::pair<std::int32_t, float>> differences);

/// Room for more tags, of which nothing is known yet.
void add_tags(SparseGp& gp, std::int64_t count);

/// Puts the process into a model file and takes it out again; Error if it does not fit a basis
/// of `size` prototypes.
void add_sparse_gp(TensorWriter& writer, const SparseGp& gp);
SparseGp read_sparse_gp(const TensorFile& file, std::int64_t size);

}  // namespace commonplace::suggest

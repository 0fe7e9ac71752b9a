#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace::transfer {

/// The inner loops of coupled_factors.h. Results do not depend on the number of threads.

/// Added to every divisor of a multiplicative update, so that nothing is divided by 0.
inline constexpr double kSmallestDivisor = 1e-12;

/// Clusters of features with their weights, as they are while they are learned: columns are filled
/// up with zeros to a whole number of vector registers, and the product is kept beside them.
struct ClusterFactor {
  ClusterFactor(const MatrixD& features, const MatrixD& weights);

  std::int64_t clusters;
  MatrixD features;  ///< features x clusters
  MatrixD weights;   ///< classes x clusters
  MatrixD product;   ///< features weightsᵀ, features x classes
};

/// What is known of one end of a pair.
struct EndEvidence {
  const MatrixD* evidence;  ///< Xᵀ G, features x classes
  const MatrixD* gram;      ///< Gᵀ G, classes x classes
};

struct PairFactors {
  std::array<std::size_t, 2> ends{};
  ClusterFactor common;
  std::array<ClusterFactor, 2> own;

  /// S of an end.
  MatrixD explained(std::size_t end) const { return common.product + own[end].product; }
};

/// One multiplicative step of each pair: the common clusters, then their weights, then the clusters
/// of either end, then theirs. Each entry is multiplied by the root of what is wanted, Xᵀ G, over
/// what there is, S Gᵀ G. The products follow. O(features clusters classes).
void update_clusters(std::span<PairFactors> pairs,
                     std::span<const std::array<EndEvidence, 2>> evidence, int jobs);

/// Columns of all clusters to sum one; those of zeros stay. The products follow.
void normalise_clusters(std::span<PairFactors> pairs, int jobs);

/// One multiplicative step of the classes of the items that are not marked in `given`, then rows to
/// sum one: `explained` is the sum of S over the pairs of the collection, `gram` that of Sᵀ S. A
/// row that nothing speaks for becomes the same for all classes. Returns the sum of all moves.
/// O(nonzeros classes + items classes²).
double update_item_classes(const SparseView& items, double scale, const MatrixD& explained,
                           const MatrixD& gram, const std::vector<std::uint8_t>& given,
                           MatrixD& classes, int jobs);

}  // namespace commonplace::transfer

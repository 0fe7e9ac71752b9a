#pragma once

#include <cstdint>
#include <span>

#include "commonplace/base/matrix.h"

namespace commonplace {

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

/// An end that clusters explain together with others: N = product + rest.
struct ClusterSide {
  const MatrixD* evidence;  ///< Xᵀ G, features x classes
  const MatrixD* gram;      ///< Gᵀ G, classes x classes
  const MatrixD* rest;      ///< what other clusters explain, features x classes
};

/// One multiplicative step of the clusters, then one of their weights: each entry times the root of
/// what is wanted over what there is, where wanted is the sum over the sides of the evidence, there
/// is that of N Gᵀ G. The product follows. O(features clusters classes); the same bits for any
/// number of threads.
void update_clusters(ClusterFactor& factor, std::span<const ClusterSide> sides, int jobs);

/// Columns of the clusters to sum one; those of zeros stay. The product follows.
void normalise_clusters(ClusterFactor& factor, int jobs);

}  // namespace commonplace

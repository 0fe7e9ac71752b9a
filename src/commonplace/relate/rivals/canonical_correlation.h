#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "commonplace/base/matrix.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace::relate {

/// Regularised canonical correlation analysis: directions of two modalities of features in which
/// the two ends of a pair correlate most.
struct CanonicalCorrelationOptions {
  std::int64_t dim = 30;  ///< directions; at most the columns of either side
  double ridge = 0.1;     ///< added to each covariance's diagonal, times the mean of that diagonal
};

struct CanonicalSide {
  Eigen::RowVectorXd mean;  ///< over the pairs, an item in many pairs counting so many times
  MatrixD projection;       ///< columns x k
};

/// With C the covariances over the pairs and R the ridge: the projections A and B of the two sides
/// have Aᵀ (Cxx + R) A = 1 and Bᵀ (Cyy + R) B = 1, and Aᵀ Cxy B is diagonal: the correlations.
struct CanonicalCorrelation {
  std::array<CanonicalSide, 2> sides;
  VectorD correlations;  ///< k, descending, in [0, 1]

  std::int64_t dim() const { return correlations.size(); }
};

/// An item of the first side and one of the second.
using ItemPair = std::pair<std::int64_t, std::int64_t>;

/// An item may stand in many pairs, and a pair may stand twice, which is as if it weighed twice.
/// `weights` are of the pairs, 0 or more; nothing for 1 each. Items without a pair count nothing.
/// The covariances and the solution are dense and in double: O(items columns² + pairs columns +
/// columns³). Error for more than 4,000 columns, pairs that do not fit the items, fewer than 2
/// pairs, numbers that are not finite, options out of range, and a covariance that is not positive
/// definite (it says to raise the ridge).
CanonicalCorrelation fit_canonical_correlation(const FeatureRows& first, const FeatureRows& second,
                                               std::span<const ItemPair> pairs,
                                               std::span<const double> weights = {},
                                               const CanonicalCorrelationOptions& options = {},
                                               int jobs = 0);
/// The same on rows in double.
CanonicalCorrelation fit_canonical_correlation(const Eigen::Ref<const MatrixD>& first,
                                               const Eigen::Ref<const MatrixD>& second,
                                               std::span<const ItemPair> pairs,
                                               std::span<const double> weights = {},
                                               const CanonicalCorrelationOptions& options = {},
                                               int jobs = 0);

/// The coordinates of items of side 0 or 1, n x k. The same bits for a row alone as among others.
Matrix encode(const CanonicalCorrelation& model, std::size_t side, const FeatureRows& rows,
              int jobs = 0);

}  // namespace commonplace::relate

#pragma once

#include <cstdint>

#include "commonplace/base/matrix.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace::relate {

struct RidgeRowOptions {
  /// On the squares of the weights, times the mean diagonal of the Gram matrix of the centred
  /// features: of that between columns or between items, whichever is smaller.
  double ridge = 0.1;
};

/// Many targets, each a linear function of the features.
struct RidgeRows {
  Matrix weights;             ///< columns x targets
  Eigen::RowVectorXf offset;  ///< targets: the mean target less the mean row's product
};

/// Minimises |(X − mean) W − (T − mean)|² + penalty |W|² for features X (items x columns) and
/// targets T (items x targets). Dense matrices of the smaller side, in double: O(items columns
/// min + min³ + min² targets) for dense features, for sparse ones nonzeros² / items in place of
/// items columns. Memory 8 (min² + (min + columns) targets) bytes. Error for items that do not fit
/// the targets, no items, numbers that are not finite, a ridge that is not above 0 and more than
/// 20,000 of the smaller side.
RidgeRows fit_ridge_rows(const FeatureRows& rows, const SparseView& targets,
                         const RidgeRowOptions& options = {}, int jobs = 0);

/// (x − mean) W + mean target, n x targets. The same bits for a row alone as among others.
/// O(nonzeros targets).
Matrix score(const RidgeRows& model, const FeatureRows& rows, int jobs = 0);

}  // namespace commonplace::relate

#pragma once

#include "commonplace/base/matrix.h"

namespace commonplace::relate {

struct KernelRegressionOptions {
  double width = 1;     ///< degrees at which an item's weight falls to 1 / e
  double common = 0.1;  ///< weight of the mean target
};

/// Kernel regression of targets on places (Nadaraya-Watson, without the denominator, which does not
/// change the order of targets): the items around a place count by how near they are.
struct KernelRegression {
  KernelRegressionOptions options;
  Matrix places;             ///< items x 3, on the sphere of base/earth.h
  Sparse targets;            ///< items x targets
  Eigen::RowVectorXd share;  ///< the mean of each target
};

/// `places` are items x 3, `targets` items x targets. Nothing but copies. Error for items that do
/// not fit together, none at all, numbers that are not finite and options out of range.
KernelRegression fit_kernel_regression(const Matrix& places, const SparseView& targets,
                                       const KernelRegressionOptions& options = {});

/// n x targets: the sum over the items of exp(-distance / width) · target, and `common` times the
/// mean target, which is all that is left far from every item. Distances are straight, in degrees,
/// and exact in double; items farther than 40 widths (a weight of e⁻⁴⁰) do not count. The same bits
/// for a place alone as among others. O(n items + nonzeros).
Matrix score(const KernelRegression& model, const Matrix& places, int jobs = 0);

}  // namespace commonplace::relate

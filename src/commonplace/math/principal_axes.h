#pragma once

#include <cstdint>

#include "commonplace/base/matrix.h"

namespace commonplace {

struct PrincipalAxesOptions {
  std::int64_t count = 512;  ///< axes wanted; there are never more than the rows span
  std::uint64_t seed = 1;    ///< of the start, where the axes are found by iteration
  int jobs = 0;              ///< threads, 0: all processors; does not change the result
};

/// The directions in which rows vary most.
struct PrincipalAxes {
  Eigen::RowVectorXf mean;
  Matrix axes;         ///< axes x columns, orthonormal rows, the most variance first
  VectorD variance;    ///< of the rows along each axis, divided by the number of rows
  bool exact = false;  ///< from all eigenvectors of a Gram matrix, not by iteration
};

/// `rows` is used up: it is centred in place, so that no second copy is needed. Where the smaller
/// side of `rows` is small or nearly all axes are wanted they come from the eigenvectors of the
/// smaller Gram matrix, O(rows columns m + m³) for m the smaller side; otherwise from subspace
/// iteration with some axes more than wanted, O(rows columns count) a round: the first axes are
/// exact to single precision, the last of a flat spectrum are a mixture of their neighbours. Axes
/// along which the rows do not vary are left out. The sign of an axis makes its largest number
/// positive. Error if there are no rows, or numbers that are not finite.
PrincipalAxes principal_axes(Matrix rows, const PrincipalAxesOptions& options);

/// (rows − mean) axesᵀ, rows x axes. A row alone gives the bits that it gives among others.
Matrix project(const Eigen::Ref<const Matrix>& rows, const Eigen::RowVectorXf& mean,
               const Eigen::Ref<const Matrix>& axes, int jobs = 0);

}  // namespace commonplace

#pragma once

#include <optional>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// The eigenpairs of a symmetric matrix, of which the lower triangle is read.
struct SymmetricEigen {
  VectorD values;           ///< ascending
  Eigen::MatrixXd vectors;  ///< columns of length one
};

/// Finds all eigenpairs; Error where they do not converge, as with numbers that are not finite.
/// O(n³).
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& symmetric);

/// Finds orthonormal columns that span the given ones, by Householder's reflections. O(n k²).
MatrixD orthonormal_columns(const Eigen::MatrixXd& columns);

/// Finds A⁻¹ B for a symmetric positive definite A by Cholesky's factorisation; nothing if A is
/// not. O(n³).
std::optional<Eigen::MatrixXd> solve_positive(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// Finds A⁻¹ likewise.
std::optional<Eigen::MatrixXd> inverse_of_positive(const Eigen::MatrixXd& a);

}  // namespace commonplace

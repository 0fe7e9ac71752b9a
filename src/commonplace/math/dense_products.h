#pragma once

#include <memory>
#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// Products of dense matrices, compiled for each instruction set and chosen at run time. Entries
/// are added up in a fixed order, so results do not depend on `jobs` (0: all processors) nor on how
/// many rows are multiplied together: a row alone gives the bits that it gives among others.
/// Float products are added up in float over stretches of at most 256 and these in double. Shapes
/// that do not fit throw Error.

/// A Bᵀ, n x m, for A n x k and B m x k. O(n m k).
Matrix multiply_transposed(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                           int jobs = 0);

/// The B of A Bᵀ, laid out once for many products with few rows, each of which would else spend
/// most of its time on that. As large as B; several threads may use it at once.
class PackedFactor {
 public:
  explicit PackedFactor(const Eigen::Ref<const Matrix>& b, int jobs = 0);
  ~PackedFactor();
  PackedFactor(PackedFactor&&) noexcept;

  /// multiply_transposed(a, b), to the bit.
  Matrix multiply(const Eigen::Ref<const Matrix>& a, int jobs = 0) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

/// A B, n x m, for A n x k and B k x m. O(n m k).
Matrix multiply(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b, int jobs = 0);
MatrixD multiply(const Eigen::Ref<const MatrixD>& a, const Eigen::Ref<const MatrixD>& b,
                 int jobs = 0);

/// gram += Aᵀ A, both triangles, for A n x k and a symmetric `gram`. O(n k²).
void add_gram(const Eigen::Ref<const Matrix>& a, MatrixD& gram, int jobs = 0);

/// Aᵀ A, k x k. O(n k²).
inline MatrixD gram(const MatrixD& a, int jobs = 0) {
  return multiply(MatrixD(a.transpose()), a, jobs);
}

/// into += Aᵀ B, k x m, for A n x k and B n x m. O(n k m).
void add_transposed_product(const Eigen::Ref<const Matrix>& a, const Eigen::Ref<const Matrix>& b,
                            MatrixD& into, int jobs = 0);

/// The lower Cholesky factor L of a symmetric positive definite matrix, of which the lower triangle
/// is read: L Lᵀ = A, zeros above the diagonal. False, with `matrix` in disorder, if it is not
/// positive definite. O(n³).
bool factorise(MatrixD& matrix, int jobs = 0);

/// L⁻¹ of a lower triangular matrix, zeros above the diagonal. What is above the diagonal of L is
/// not read; a zero on it throws Error. O(n³).
MatrixD inverse_of_lower(const Eigen::Ref<const MatrixD>& lower, int jobs = 0);

/// For tests: the levels of x86-64 that the products are compiled for and that this machine can
/// run, ascending (1 is what every machine can), and the highest that is used from now on. Another
/// level may give other last bits.
std::vector<int> levels_of_dense_products();
void limit_dense_products(int level);

}  // namespace commonplace

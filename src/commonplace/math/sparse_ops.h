#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// Products of a sparse matrix A (n x m, z nonzeros) with dense ones. Each entry of a result is
/// added up by one thread in the order of A, so results do not depend on `jobs` (0: all
/// processors). Shapes that do not fit throw Error.

/// A B, n x k, for B m x k. O(z k).
Matrix multiply(const SparseView& a, const Matrix& b, int jobs = 0);
MatrixD multiply(const SparseView& a, const MatrixD& b, int jobs = 0);

/// Aᵀ B, m x k, for B n x k, added up in double since it sums over items. O(z k).
MatrixD transposed_multiply(const SparseView& a, const Matrix& b, int jobs = 0);
MatrixD transposed_multiply(const SparseView& a, const MatrixD& b, int jobs = 0);

/// A B for a sparse B of m rows, columns ascending; entries that add up to 0 stay. O(products).
Sparse multiply(const SparseView& a, const SparseView& b);

/// A + B for matrices of the same shape.
Sparse add(const SparseView& a, const SparseView& b);

/// Boundaries 0 = b[0] < b[1] < ... = m of column ranges with about as many nonzeros each: at most
/// `parts` ranges. O(z + m).
std::vector<std::int32_t> balanced_columns(const SparseView& a, std::int64_t parts);

/// into += Rᵀ B, where R has the pattern of rows first_row .. first_row + B.rows() - 1 of A but
/// holds `values`, in the order of A's nonzeros in these rows. A thread takes a range of `bounds`
/// at a time, so as many work as there are ranges. O(z_rows k).
void add_transposed_product(const SparseView& a, std::int64_t first_row,
                            std::span<const double> values, const Eigen::Ref<const MatrixD>& b,
                            std::span<const std::int32_t> bounds, MatrixD& into, int jobs = 0);

/// Aᵀ, m x n. O(z + n + m).
Sparse transpose(const SparseView& a);

/// The Euclidean norm of each row.
VectorD row_norms(const SparseView& a, int jobs = 0);

/// Scales each row to Euclidean length one; rows of zeros stay.
void normalise_rows(Sparse& a, int jobs = 0);

/// The sum of the squares of the entries of its rows, also where they are a part of a larger
/// matrix.
double squared_norm(const SparseView& a);

/// Row i of A times row j of B, which has the same columns. O(length of both rows).
double dot_rows(const SparseView& a, std::int64_t i, const SparseView& b, std::int64_t j);

/// The sum of a[i] b[i], over n contiguous elements.
double dot(const double* a, const double* b, std::int64_t n);
/// into[i] += scale x[i], over n contiguous elements.
void add_scaled(double* into, const double* x, double scale, std::int64_t n);

}  // namespace commonplace

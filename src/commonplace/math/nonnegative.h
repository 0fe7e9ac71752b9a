#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace {

template <class Scalar>
using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows of numbers, each of which begins on a cache line and is filled up with zeros to whole
/// vectors. Here and below Scalar is float or double.
template <class Scalar>
class PaddedRows {
 public:
  PaddedRows() = default;
  /// Zeros.
  PaddedRows(std::int64_t rows, std::int64_t columns);
  explicit PaddedRows(const Dense<Scalar>& dense);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t stride() const { return stride_; }  ///< `columns`, filled up
  Scalar* row(std::int64_t row) { return values_.get() + row * stride_; }
  const Scalar* row(std::int64_t row) const { return values_.get() + row * stride_; }
  std::span<Scalar> all() { return {values_.get(), static_cast<std::size_t>(rows_ * stride_)}; }
  Dense<Scalar> dense() const;

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(Scalar* values) const { ::operator delete[](values, kAlignment); }
  };

  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t stride_ = 0;
  std::unique_ptr<Scalar[], Free> values_;
};

/// Many small problems that share one symmetric, positive semidefinite matrix G (n x n):
///   minimise over x >= 0 the quadratic f(x) = xᵀ G x - 2 cᵀ x.
/// With G = FᵀF and c = Fᵀy this is the nonnegative least squares of y on the columns of F.
template <class Scalar>
class NonnegativeQuadratic {
 public:
  explicit NonnegativeQuadratic(const MatrixD& gram);

  std::int64_t size() const { return gram_.columns(); }

  /// For `count` consecutive rows x from `first` on, with the linear parts c in the first `count`
  /// rows of `linear`: `sweeps` sweeps of coordinate descent. f never rises. A coordinate whose
  /// diagonal entry in G is zero keeps its value. O(n²) a row and sweep.
  void descend(const PaddedRows<Scalar>& linear, PaddedRows<Scalar>& rows, std::int64_t first,
               std::int64_t count, int sweeps) const;

  /// Likewise one multiplicative step, x_k c_k / ((G x)_k + epsilon_k), for the coordinates up to
  /// each of `ends` in turn: later groups see what earlier ones became. f never rises. What the
  /// step divides by zero is zero. O(n²) a row.
  void multiply(const PaddedRows<Scalar>& linear, PaddedRows<Scalar>& rows, std::int64_t first,
                std::int64_t count, std::span<const int> ends,
                std::span<const Scalar> epsilon) const;

  /// The minimum for one row, by coordinate descent from x until no gradient is off by more than
  /// `accuracy` times the largest |c|. Returns how far off it was at the end, in that measure. O(n)
  /// a sweep, and O(n) for each coordinate that is or becomes positive.
  Scalar solve(const Scalar* linear, Scalar* x, Scalar accuracy) const;

 private:
  PaddedRows<Scalar> gram_;
  std::vector<Scalar> inverse_diagonal_;  ///< zero where the diagonal is
};

/// Adds up RᵀR of blocks of rows R: in Scalar for a few rows, then in double.
template <class Scalar>
class GramSum {
 public:
  explicit GramSum(std::int64_t size);

  /// Rows first .. first+count-1. O(size²) a row.
  void add(const PaddedRows<Scalar>& rows, std::int64_t first, std::int64_t count);
  /// The sum so far, both triangles.
  MatrixD result() const;

 private:
  PaddedRows<double> total_;  ///< upper triangle, and what comes with it
};

/// Row i of `into` := row first+i of A times `dense`, for i below `count`. Long rows are added up
/// in pieces, and these in double. O(nonzeros of the rows x columns).
template <class Scalar>
void multiply_rows(const BasicSparseView<Scalar>& a, std::int64_t first, std::int64_t count,
                   const PaddedRows<Scalar>& dense, PaddedRows<Scalar>& into);

/// The sum of a_i b_i over the first `count` rows of a and those from `first` on of b, in double.
template <class Scalar>
double overlap(const PaddedRows<Scalar>& a, const PaddedRows<Scalar>& b, std::int64_t first,
               std::int64_t count);

}  // namespace commonplace

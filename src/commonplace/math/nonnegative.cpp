#include "commonplace/math/nonnegative.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

constexpr std::int64_t kPadding = 16;
constexpr std::int64_t kMostTileBytes = 256;  ///< of a coordinate of all rows in a tile
/// Rows whose products are added up in Scalar.
constexpr std::int64_t kRowsInScalar = 64;
constexpr int kMostSweeps = 20000;
/// Nonzeros of a row of A that are added up in Scalar.
constexpr std::int64_t kPiece = 256;
/// How many nonzeros ahead the row of the dense matrix is asked for.
constexpr std::int64_t kAhead = 12;

/// Rows as they lie in memory, from the one at `values` on.
template <class Scalar>
struct Rows {
  Scalar* values;
  std::int64_t stride;
  std::int64_t count;
};

template <class Scalar>
struct Gram {
  const Scalar* values;
  const Scalar* inverse_diagonal;
  std::int64_t size;
  std::int64_t stride;
};

template <class Scalar>
struct Steps {
  std::span<const int> ends;
  std::span<const Scalar> epsilon;
};

/// Nonzeros of a row of A, and how many more follow them in memory.
template <class Scalar>
struct Nonzeros {
  const std::int32_t* columns;
  const Scalar* values;
  std::int64_t count;
  std::int64_t following;
};

/// The loops that decide the speed, for one instruction set.
template <class Scalar>
struct Kernels {
  void (*descend)(const Gram<Scalar>&, const Rows<const Scalar>& linear, const Rows<Scalar>& rows,
                  int sweeps, Scalar* space);
  void (*multiply)(const Gram<Scalar>&, const Rows<const Scalar>& linear, const Rows<Scalar>& rows,
                   const Steps<Scalar>&, Scalar* space);
  Scalar (*solve)(const Gram<Scalar>&, const Scalar* linear, Scalar* x, Scalar* gradient,
                  Scalar accuracy);
  void (*gram)(const Rows<const Scalar>&, std::int64_t size, double* total);
  void (*gather)(const Nonzeros<Scalar>&, const Scalar* dense, std::int64_t stride, Scalar* into);
  double (*overlap)(const Scalar* a, const Scalar* b, std::int64_t count);
};

#define COMMONPLACE_KERNELS "commonplace/math/nonnegative_kernels.h"
#include "commonplace/math/kernel_sets.h"

template <class Scalar>
const Kernels<Scalar>& kernels() {
  return kernels_up_to<Scalar>(std::numeric_limits<int>::max());
}

/// Room for `count` tiles of `size` coordinates.
template <class Scalar>
PaddedRows<Scalar> room_for_tiles(std::int64_t count, std::int64_t size) {
  return {count * size, kMostTileBytes / static_cast<std::int64_t>(sizeof(Scalar))};
}

template <class Scalar>
Rows<Scalar> some(PaddedRows<Scalar>& rows, std::int64_t first, std::int64_t count) {
  return {rows.row(first), rows.stride(), count};
}
template <class Scalar>
Rows<const Scalar> some(const PaddedRows<Scalar>& rows, std::int64_t first, std::int64_t count) {
  return {rows.row(first), rows.stride(), count};
}

/// A long row, in pieces.
template <class Scalar>
void gather_long(Nonzeros<Scalar> row, const PaddedRows<Scalar>& dense, Scalar* into) {
  std::vector<double> total(static_cast<std::size_t>(dense.stride()));
  while (row.count > 0) {
    const std::int64_t count = std::min(kPiece, row.count);
    kernels<Scalar>().gather({row.columns, row.values, count, row.following + row.count - count},
                             dense.row(0), dense.stride(), into);
    for (std::size_t k = 0; k < total.size(); ++k) total[k] += static_cast<double>(into[k]);
    row = {row.columns + count, row.values + count, row.count - count, row.following};
  }
  std::transform(total.begin(), total.end(), into,
                 [](double value) { return static_cast<Scalar>(value); });
}

}  // namespace

template <class Scalar>
PaddedRows<Scalar>::PaddedRows(std::int64_t rows, std::int64_t columns)
    : rows_(rows),
      columns_(columns),
      stride_((columns + kPadding - 1) / kPadding * kPadding),
      values_(static_cast<Scalar*>(::operator new[](
          static_cast<std::size_t>(rows_* stride_) * sizeof(Scalar), kAlignment))) {
  std::fill_n(values_.get(), rows_ * stride_, Scalar{0});
}

template <class Scalar>
PaddedRows<Scalar>::PaddedRows(const Dense<Scalar>& dense)
    : PaddedRows(dense.rows(), dense.cols()) {
  for (std::int64_t i = 0; i < rows_; ++i)
    std::copy_n(dense.data() + i * columns_, columns_, row(i));
}

template <class Scalar>
Dense<Scalar> PaddedRows<Scalar>::dense() const {
  Dense<Scalar> result(rows_, columns_);
  for (std::int64_t i = 0; i < rows_; ++i)
    std::copy_n(row(i), columns_, result.data() + i * columns_);
  return result;
}

template <class Scalar>
NonnegativeQuadratic<Scalar>::NonnegativeQuadratic(const MatrixD& gram)
    : gram_(Dense<Scalar>(gram.cast<Scalar>())),
      inverse_diagonal_(static_cast<std::size_t>(gram_.stride())) {
  require(gram.rows() == gram.cols(), "a Gram matrix is square; this one is ", gram.rows(), " x ",
          gram.cols());
  for (std::int64_t k = 0; k < size(); ++k) {
    const Scalar diagonal = gram_.row(k)[k];
    // Below the smallest normal number the inverse would be infinite.
    if (diagonal >= std::numeric_limits<Scalar>::min())
      inverse_diagonal_[static_cast<std::size_t>(k)] = 1 / diagonal;
  }
}

template <class Scalar>
void NonnegativeQuadratic<Scalar>::descend(const PaddedRows<Scalar>& linear,
                                           PaddedRows<Scalar>& rows, std::int64_t first,
                                           std::int64_t count, int sweeps) const {
  auto space = room_for_tiles<Scalar>(2, gram_.stride());
  kernels<Scalar>().descend(
      Gram<Scalar>{gram_.row(0), inverse_diagonal_.data(), size(), gram_.stride()},
      some(linear, 0, count), some(rows, first, count), sweeps, space.row(0));
}

template <class Scalar>
void NonnegativeQuadratic<Scalar>::multiply(const PaddedRows<Scalar>& linear,
                                            PaddedRows<Scalar>& rows, std::int64_t first,
                                            std::int64_t count, std::span<const int> ends,
                                            std::span<const Scalar> epsilon) const {
  auto space = room_for_tiles<Scalar>(3, gram_.stride());
  kernels<Scalar>().multiply(
      Gram<Scalar>{gram_.row(0), inverse_diagonal_.data(), size(), gram_.stride()},
      some(linear, 0, count), some(rows, first, count), Steps<Scalar>{ends, epsilon}, space.row(0));
}

template <class Scalar>
Scalar NonnegativeQuadratic<Scalar>::solve(const Scalar* linear, Scalar* x, Scalar accuracy) const {
  std::vector<Scalar> gradient(static_cast<std::size_t>(size()));
  return kernels<Scalar>().solve(
      Gram<Scalar>{gram_.row(0), inverse_diagonal_.data(), size(), gram_.stride()}, linear, x,
      gradient.data(), accuracy);
}

template <class Scalar>
GramSum<Scalar>::GramSum(std::int64_t size)
    : total_((size + kPadding - 1) / kPadding * kPadding, size) {}

template <class Scalar>
void GramSum<Scalar>::add(const PaddedRows<Scalar>& rows, std::int64_t first, std::int64_t count) {
  for (std::int64_t done = 0; done < count; done += kRowsInScalar)
    kernels<Scalar>().gram(some(rows, first + done, std::min(kRowsInScalar, count - done)),
                           total_.columns(), total_.row(0));
}

template <class Scalar>
MatrixD GramSum<Scalar>::result() const {
  MatrixD result(total_.columns(), total_.columns());
  for (std::int64_t k = 0; k < result.rows(); ++k)
    for (std::int64_t j = k; j < result.cols(); ++j) result(k, j) = result(j, k) = total_.row(k)[j];
  return result;
}

template <class Scalar>
void multiply_rows(const BasicSparseView<Scalar>& a, std::int64_t first, std::int64_t count,
                   const PaddedRows<Scalar>& dense, PaddedRows<Scalar>& into) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto columns = a.row_indices(first + i);
    const std::int64_t end = a.starts[static_cast<std::size_t>(first + i + 1)];
    const Nonzeros<Scalar> row{columns.data(), a.row_values(first + i).data(), std::ssize(columns),
                               a.nonzeros() - end};
    if (row.count <= kPiece)
      kernels<Scalar>().gather(row, dense.row(0), dense.stride(), into.row(i));
    else
      gather_long(row, dense, into.row(i));
  }
}

template <class Scalar>
double overlap(const PaddedRows<Scalar>& a, const PaddedRows<Scalar>& b, std::int64_t first,
               std::int64_t count) {
  return kernels<Scalar>().overlap(a.row(0), b.row(first), count * a.stride());
}

template class PaddedRows<float>;
template class PaddedRows<double>;
template class NonnegativeQuadratic<float>;
template class NonnegativeQuadratic<double>;
template class GramSum<float>;
template class GramSum<double>;
template void multiply_rows(const BasicSparseView<float>&, std::int64_t, std::int64_t,
                            const PaddedRows<float>&, PaddedRows<float>&);
template void multiply_rows(const BasicSparseView<double>&, std::int64_t, std::int64_t,
                            const PaddedRows<double>&, PaddedRows<double>&);
template double overlap(const PaddedRows<float>&, const PaddedRows<float>&, std::int64_t,
                        std::int64_t);
template double overlap(const PaddedRows<double>&, const PaddedRows<double>&, std::int64_t,
                        std::int64_t);

}  // namespace commonplace

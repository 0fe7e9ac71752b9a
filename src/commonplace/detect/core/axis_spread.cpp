#include "commonplace/detect/core/axis_spread.h"

#include <algorithm>
#include <span>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"
#include "commonplace/learn/row_means.h"
#include "commonplace/learn/row_sample.h"
#include "commonplace/math/dense_products.h"

namespace commonplace::detect {
namespace {

void add_scatter(const BlockOf<float>& rows, MatrixD& scatter, int jobs) {
  add_gram(rows, scatter, jobs);
}
void add_scatter(const BlockOf<double>& rows, MatrixD& scatter, int) {
  scatter += rows.transpose() * rows;
}

template <class Scalar>
void require_finite(const RowsOf<Scalar>& rows, std::int64_t first_row) {
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    require(rows.row(row).allFinite(), "row ", first_row + row + 1,
            " has a feature that is not a finite number; expected only finite ones");
}

/// Rows that are added up by themselves before they are added to the others, so that it does not
/// matter which thread does.
constexpr std::int64_t kRowsOfSum = 256;

/// A row less `mean` into `into`, and that added to `sum` and, if wanted, its squares to `squares`.
template <class Scalar>
inline __attribute__((always_inline)) void centre_numbers(const Scalar* row, const Scalar* mean,
                                                          std::int64_t columns, Scalar* into,
                                                          double* sum, double* squares) {
  for (std::int64_t j = 0; j < columns; ++j) into[j] = row[j] - mean[j];
  for (std::int64_t j = 0; j < columns; ++j) sum[j] += static_cast<double>(into[j]);
  if (squares == nullptr) return;
  for (std::int64_t j = 0; j < columns; ++j)
    squares[j] += static_cast<double>(into[j]) * static_cast<double>(into[j]);
}

COMMONPLACE_CLONES void centre_row(const float* row, const float* mean, std::int64_t columns,
                                   float* into, double* sum, double* squares) {
  centre_numbers(row, mean, columns, into, sum, squares);
}
COMMONPLACE_CLONES void centre_row(const double* row, const double* mean, std::int64_t columns,
                                   double* into, double* sum, double* squares) {
  centre_numbers(row, mean, columns, into, sum, squares);
}

/// into := the rows less `mean`; adds its columns to `sum` and, if wanted, their squares.
template <class Scalar>
void centre_and_add(const RowsOf<Scalar>& rows,
                    const Eigen::Matrix<Scalar, 1, Eigen::Dynamic>& mean, BlockOf<Scalar>& into,
                    VectorD& sum, VectorD* squares, int jobs) {
  into.resize(rows.rows(), rows.cols());
  const std::int64_t parts = (rows.rows() + kRowsOfSum - 1) / kRowsOfSum;
  MatrixD sums = MatrixD::Zero(parts, rows.cols());
  MatrixD square_sums = MatrixD::Zero(squares == nullptr ? 0 : parts, rows.cols());
  parallel_for(
      static_cast<std::size_t>(parts), jobs,
      [&](std::size_t begin, std::size_t end) {
        for (auto i = static_cast<std::int64_t>(begin); i < static_cast<std::int64_t>(end); ++i)
          for (std::int64_t row = i * kRowsOfSum; row < std::min((i + 1) * kRowsOfSum, rows.rows());
               ++row)
            centre_row(rows.row(row).data(), mean.data(), rows.cols(), into.row(row).data(),
                       sums.row(i).data(),
                       squares == nullptr ? nullptr : square_sums.row(i).data());
      },
      1);
  for (std::int64_t i = 0; i < parts; ++i) {
    sum += sums.row(i).transpose();
    if (squares != nullptr) *squares += square_sums.row(i).transpose();
  }
}

std::span<double> span_of(VectorD& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

constexpr std::int64_t kRowsOfRoughMean = 4096;

/// About the mean of all ranks' rows, so that numbers far from zero lose nothing.
template <class Scalar>
VectorD rough_mean(const RowsOf<Scalar>& rows, std::int64_t columns, Comm& comm) {
  const Eigen::Index used = std::min<Eigen::Index>(rows.rows(), kRowsOfRoughMean);
  VectorD sum = VectorD::Zero(columns);
  for (Eigen::Index row = 0; row < used; ++row)
    sum += rows.row(row).transpose().template cast<double>();
  comm.sum(span_of(sum));
  const double count = comm.sum(static_cast<double>(used));
  return count > 0 ? VectorD(sum / count) : sum;
}

}  // namespace

template <class Scalar>
void centre_rows(const RowsOf<Scalar>& rows, const Eigen::Matrix<Scalar, 1, Eigen::Dynamic>& mean,
                 BlockOf<Scalar>& into, int jobs) {
  into.resize(rows.rows(), rows.cols());
  parallel_for(static_cast<std::size_t>(rows.rows()), jobs,
               [&](std::size_t begin, std::size_t end) {
                 for (auto row = static_cast<Eigen::Index>(begin);
                      row < static_cast<Eigen::Index>(end); ++row)
                   into.row(row) = rows.row(row) - mean;
               });
}

template <class Scalar>
Spread measure_spread(const RowsOf<Scalar>& rows, bool scatter, const Run& run,
                      const RowsDone& done) {
  const std::int64_t columns = shared_columns(rows.rows(), rows.cols(), run.comm);
  const GlobalRows place = global_rows(rows.rows(), run.comm);
  const VectorD start = rough_mean<Scalar>(rows, columns, run.comm);
  const Eigen::Matrix<Scalar, 1, Eigen::Dynamic> shift = start.transpose().template cast<Scalar>();
  Spread result{place.count, VectorD::Zero(columns), MatrixD::Zero(columns, scatter ? columns : 1)};
  VectorD squares = VectorD::Zero(columns);
  BlockOf<Scalar> block;
  for (std::int64_t first = 0; first < rows.rows(); first += kRowsOfBlock) {
    const auto part = rows.middleRows(first, std::min(kRowsOfBlock, rows.rows() - first));
    centre_and_add<Scalar>(part, shift, block, result.sum, scatter ? nullptr : &squares, run.jobs);
    // A number that is not finite makes the sum of its column one.
    if (!result.sum.allFinite()) require_finite<Scalar>(part, place.first + first);
    if (scatter) add_scatter(block, result.scatter, run.jobs);
    done(part.rows());
  }
  if (!scatter) result.scatter = squares;
  run.comm.sum(span_of(result.sum));
  run.comm.sum(result.scatter);
  if (place.count == 0) return result;
  const auto items = static_cast<double>(place.count);
  if (scatter)
    result.scatter -= result.sum * result.sum.transpose() / items;
  else
    result.scatter -= result.sum.cwiseAbs2() / items;
  result.sum += items * shift.transpose().template cast<double>();
  return result;
}

void add(Spread& spread, const Spread& others) {
  if (spread.items > 0 && others.items > 0) {
    const auto a = static_cast<double>(spread.items);
    const auto b = static_cast<double>(others.items);
    const VectorD apart = others.sum / b - spread.sum / a;
    const double weight = a * b / (a + b);
    if (spread.scatter.cols() == 1 && apart.size() != 1)
      spread.scatter += weight * apart.cwiseAbs2();
    else
      spread.scatter += weight * apart * apart.transpose();
  }
  spread.scatter += others.scatter;
  spread.sum += others.sum;
  spread.items += others.items;
}

template Spread measure_spread<float>(const RowsOf<float>&, bool, const Run&, const RowsDone&);
template Spread measure_spread<double>(const RowsOf<double>&, bool, const Run&, const RowsDone&);
template void centre_rows<float>(const RowsOf<float>&, const Eigen::RowVectorXf&, BlockOf<float>&,
                                 int);
template void centre_rows<double>(const RowsOf<double>&, const Eigen::RowVectorXd&,
                                  BlockOf<double>&, int);

}  // namespace commonplace::detect

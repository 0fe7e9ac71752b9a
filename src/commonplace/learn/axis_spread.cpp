#include "commonplace/learn/axis_spread.h"

#include <algorithm>
#include <span>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/learn/row_means.h"
#include "commonplace/learn/row_sample.h"
#include "commonplace/math/dense_products.h"

namespace commonplace {
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

/// Column sums and, if wanted, sums of squares, of a block, column by column in order of the rows.
template <class Scalar>
void add_columns(const BlockOf<Scalar>& block, VectorD& sum, VectorD* squares, int jobs) {
  constexpr std::size_t kColumns = 64;
  parallel_for(
      static_cast<std::size_t>(block.cols()), jobs,
      [&](std::size_t begin, std::size_t end) {
        const auto first = static_cast<Eigen::Index>(begin);
        const auto count = static_cast<Eigen::Index>(end - begin);
        for (Eigen::Index row = 0; row < block.rows(); ++row) {
          const auto values =
              block.row(row).segment(first, count).transpose().template cast<double>();
          sum.segment(first, count) += values;
          if (squares != nullptr) squares->segment(first, count) += values.cwiseAbs2();
        }
      },
      kColumns);
}

std::span<double> span_of(VectorD& values) {
  return {values.data(), static_cast<std::size_t>(values.size())};
}

/// About the mean of all ranks' rows, so that numbers far from zero lose nothing.
template <class Scalar>
VectorD rough_mean(const RowsOf<Scalar>& rows, std::int64_t columns, Comm& comm) {
  const Eigen::Index used = std::min<Eigen::Index>(rows.rows(), kRowsOfBlock);
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
Spread measure_spread(const RowsOf<Scalar>& rows, bool scatter, Comm& comm, int jobs,
                      const RowsDone& done) {
  const std::int64_t columns = shared_columns(rows.rows(), rows.cols(), comm);
  const GlobalRows place = global_rows(rows.rows(), comm);
  const VectorD start = rough_mean<Scalar>(rows, columns, comm);
  const Eigen::Matrix<Scalar, 1, Eigen::Dynamic> shift = start.transpose().template cast<Scalar>();
  Spread result{place.count, VectorD::Zero(columns), MatrixD::Zero(columns, scatter ? columns : 1)};
  VectorD squares = VectorD::Zero(columns);
  BlockOf<Scalar> block;
  for (std::int64_t first = 0; first < rows.rows(); first += kRowsOfBlock) {
    const auto part = rows.middleRows(first, std::min(kRowsOfBlock, rows.rows() - first));
    require_finite<Scalar>(part, place.first + first);
    centre_rows<Scalar>(part, shift, block, jobs);
    add_columns<Scalar>(block, result.sum, scatter ? nullptr : &squares, jobs);
    if (scatter) add_scatter(block, result.scatter, jobs);
    done(part.rows());
  }
  if (!scatter) result.scatter = squares;
  comm.sum(span_of(result.sum));
  comm.sum(result.scatter);
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

template Spread measure_spread<float>(const RowsOf<float>&, bool, Comm&, int, const RowsDone&);
template Spread measure_spread<double>(const RowsOf<double>&, bool, Comm&, int, const RowsDone&);
template void centre_rows<float>(const RowsOf<float>&, const Eigen::RowVectorXf&, BlockOf<float>&,
                                 int);
template void centre_rows<double>(const RowsOf<double>&, const Eigen::RowVectorXd&,
                                  BlockOf<double>&, int);

}  // namespace commonplace

// X  centred rows, n x d     k  axes wanted     p  axes iterated, k and some more
// q  p x d, orthonormal rows that come to span the first axes
#include "commonplace/math/principal_axes.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/decompose.h"
#include "commonplace/math/dense_products.h"

namespace commonplace {
namespace {

/// Up to this many rows or columns all eigenvectors are cheap.
constexpr std::int64_t kCheapSide = 768;
constexpr std::int64_t kMoreAxes = 64;
constexpr int kRounds = 6;
/// Below this share of the greatest variance an axis is rounding.
constexpr double kLeastShare = 1e-6;
constexpr std::int64_t kRowsAtATime = 256;

Eigen::RowVectorXf centre(Matrix& rows, int jobs) {
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.cols());
  for (std::int64_t row = 0; row < rows.rows(); ++row) sum += rows.row(row).cast<double>();
  const Eigen::RowVectorXf mean = (sum / static_cast<double>(rows.rows())).cast<float>();
  parallel_for(static_cast<std::size_t>(rows.rows()), jobs,
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t row = begin; row < end; ++row)
                   rows.row(static_cast<std::int64_t>(row)) -= mean;
               });
  return mean;
}

struct EigenPairs {
  VectorD values;   ///< descending
  MatrixD vectors;  ///< columns
};

EigenPairs eigen_pairs(const MatrixD& symmetric) {
  const SymmetricEigen eigen = symmetric_eigen(symmetric);
  return {eigen.values.reverse(), eigen.vectors.rowwise().reverse()};
}

/// How many of the descending values are worth keeping, `most` at the most.
std::int64_t kept(const VectorD& values, std::int64_t most) {
  const double least = values.size() > 0 ? kLeastShare * values(0) : 0;
  std::int64_t count = 0;
  while (count < std::min<std::int64_t>(most, values.size()) && values(count) > least) ++count;
  return count;
}

/// Rows of `axes` to length one, their largest number positive.
void tidy(Matrix& axes) {
  for (std::int64_t row = 0; row < axes.rows(); ++row) {
    Eigen::Index largest = 0;
    axes.row(row).cwiseAbs().maxCoeff(&largest);
    const double length = axes.row(row).cast<double>().norm();
    const double sign = axes(row, largest) < 0 ? -1 : 1;
    axes.row(row) = (axes.row(row).cast<double>() * (sign / length)).cast<float>();
  }
}

PrincipalAxes exact_axes(const Matrix& x, const PrincipalAxesOptions& options) {
  const bool by_rows = x.rows() < x.cols();
  MatrixD gram = MatrixD::Zero(0, 0);
  if (by_rows) {
    gram = multiply_transposed(x, x, options.jobs).cast<double>();
  } else {
    gram = MatrixD::Zero(x.cols(), x.cols());
    add_gram(x, gram, options.jobs);
  }
  const EigenPairs pairs = eigen_pairs(gram);
  const std::int64_t count = kept(pairs.values, options.count);
  PrincipalAxes result;
  const Matrix vectors = pairs.vectors.leftCols(count).transpose().cast<float>();
  result.axes = by_rows ? multiply(vectors, x, options.jobs) : vectors;
  result.variance = pairs.values.head(count) / static_cast<double>(x.rows());
  result.exact = true;
  tidy(result.axes);
  return result;
}

/// Orthonormal rows that span those of `rows`, whatever these are; slow.
Matrix reflected(const Matrix& rows) {
  const Eigen::HouseholderQR<Eigen::MatrixXf> factors(rows.transpose());
  const Eigen::MatrixXf columns =
      factors.householderQ() * Eigen::MatrixXf::Identity(rows.cols(), rows.rows());
  return columns.transpose();
}

/// Orthonormal rows that span those of `rows`: by two Cholesky factorisations of their Gram matrix,
/// the second for what rounding left in the first, or by reflections if they hardly differ.
Matrix orthonormal(const Matrix& rows, int jobs) {
  Matrix result = rows;
  for (int pass = 0; pass < 2; ++pass) {
    MatrixD factor = multiply_transposed(result, result, jobs).cast<double>();
    if (!factorise(factor, jobs)) return reflected(rows);
    result = multiply(Matrix(inverse_of_lower(factor, jobs).cast<float>()), result, jobs);
  }
  const Matrix gram = multiply_transposed(result, result, jobs);
  const bool good =
      (gram - Matrix::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff() < 1e-4F;
  return good ? result : reflected(rows);
}

Matrix random_start(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Matrix start(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      start(i, j) = static_cast<float>(
          random_uniform(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) - 0.5);
  return start;
}

PrincipalAxes iterated_axes(const Matrix& x, std::int64_t p, const PrincipalAxesOptions& options) {
  Matrix q = random_start(p, x.cols(), options.seed);
  PrincipalAxes result;
  for (int round = 0; round <= kRounds; ++round) {
    q = orthonormal(q, options.jobs);
    const Matrix along = multiply_transposed(x, q, options.jobs);
    if (round == kRounds) {
      MatrixD gram = MatrixD::Zero(p, p);
      add_gram(along, gram, options.jobs);
      const EigenPairs pairs = eigen_pairs(gram);
      const std::int64_t count = kept(pairs.values, options.count);
      const Matrix turn = pairs.vectors.leftCols(count).transpose().cast<float>();
      result.axes = multiply(turn, q, options.jobs);
      result.variance = pairs.values.head(count) / static_cast<double>(x.rows());
      break;
    }
    MatrixD next = MatrixD::Zero(p, x.cols());
    add_transposed_product(along, x, next, options.jobs);
    q = next.cast<float>();
    for (std::int64_t row = 0; row < p; ++row) {
      const double length = next.row(row).norm();
      if (length > 0) q.row(row) = (next.row(row) / length).cast<float>();
    }
  }
  tidy(result.axes);
  return result;
}

}  // namespace

PrincipalAxes principal_axes(Matrix rows, const PrincipalAxesOptions& options) {
  require(options.count >= 1, "count is ", options.count, "; expected 1 or more axes");
  require(rows.rows() >= 1 && rows.cols() >= 1, "there are no rows to find axes of");
  require(rows.allFinite(), "the rows to find axes of hold a number that is not finite");
  Eigen::RowVectorXf mean = centre(rows, options.jobs);
  const std::int64_t smaller = std::min(rows.rows(), rows.cols());
  const std::int64_t iterated = options.count + kMoreAxes;
  PrincipalAxes result = smaller <= kCheapSide || 2 * iterated > smaller
                             ? exact_axes(rows, options)
                             : iterated_axes(rows, iterated, options);
  result.mean = std::move(mean);
  return result;
}

Matrix project(const Eigen::Ref<const Matrix>& rows, const Eigen::RowVectorXf& mean,
               const Eigen::Ref<const Matrix>& axes, int jobs) {
  require(rows.cols() == mean.size() && rows.cols() == axes.cols(), "rows of ", rows.cols(),
          " columns do not fit axes of ", axes.cols(), " and a mean of ", mean.size());
  Matrix result(rows.rows(), axes.rows());
  for (std::int64_t first = 0; first < rows.rows(); first += kRowsAtATime) {
    const std::int64_t count = std::min(kRowsAtATime, rows.rows() - first);
    const Matrix centred = rows.middleRows(first, count).rowwise() - mean;
    result.middleRows(first, count) = multiply_transposed(centred, axes, jobs);
  }
  return result;
}

}  // namespace commonplace

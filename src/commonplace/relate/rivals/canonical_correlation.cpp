// X and Y the centred rows of the two sides, S the weights of the pairs (items x items), C = the
// covariances, L their Cholesky factors, k directions.
#include "commonplace/relate/rivals/canonical_correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <Spectra/SymEigsSolver.h>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/decompose.h"
#include "commonplace/math/dense_products.h"

namespace commonplace::relate {
namespace {

using DoubleRows = Eigen::Ref<const MatrixD>;

constexpr std::int64_t kMostColumns = 4000;
/// Numbers of a side that are made dense at a time.
constexpr std::int64_t kNumbersAtOnce = 1 << 20;
/// Problems up to this size are solved for all directions.
constexpr std::int64_t kSmallProblem = 400;
constexpr int kMostRestarts = 1000;
constexpr double kTolerance = 1e-12;
/// What of a number may be all rounding.
constexpr double kRounding = 1e-13;

void check(const CanonicalCorrelationOptions& options) {
  require(options.dim >= 1, "dim is ", options.dim, "; expected 1 or more");
  require(options.ridge >= 0 && std::isfinite(options.ridge), "ridge is ", options.ridge,
          "; expected 0 or more");
}

void read_row(const FeatureRows& rows, std::int64_t row, double* into) {
  if (!rows.is_sparse()) {
    const float* values = rows.dense().row(row).data();
    for (std::int64_t column = 0; column < rows.columns(); ++column)
      into[column] = static_cast<double>(values[column]);
    return;
  }
  std::fill_n(into, rows.columns(), 0.0);
  const auto columns = rows.sparse().row_indices(row);
  const auto values = rows.sparse().row_values(row);
  for (std::size_t i = 0; i < columns.size(); ++i)
    into[columns[i]] = static_cast<double>(values[i]);
}

void read_row(const DoubleRows& rows, std::int64_t row, double* into) {
  std::copy_n(rows.row(row).data(), rows.cols(), into);
}

std::int64_t columns_of(const FeatureRows& rows) { return rows.columns(); }
std::int64_t columns_of(const DoubleRows& rows) { return rows.cols(); }
std::int64_t rows_of(const FeatureRows& rows) { return rows.rows(); }
std::int64_t rows_of(const DoubleRows& rows) { return rows.rows(); }

/// Some rows in double.
template <class Rows>
MatrixD dense_rows(const Rows& rows, std::int64_t first, std::int64_t count) {
  MatrixD result(count, columns_of(rows));
  for (std::int64_t row = 0; row < count; ++row)
    read_row(rows, first + row, result.data() + row * result.cols());
  return result;
}

/// The pairs by item of the first side, and how much each item counts.
struct PairTable {
  std::vector<std::int64_t> starts;  ///< items of the first side + 1
  std::vector<std::int64_t> to;
  std::vector<double> weight;  ///< all add up to 1
  VectorD of_first;
  VectorD of_second;
};

void check_pairs(std::span<const ItemPair> pairs, std::span<const double> weights,
                 std::int64_t first, std::int64_t second) {
  require(pairs.size() >= 2, "there are ", pairs.size(),
          " pairs to correlate; give 2 or more pairs");
  require(weights.empty() || weights.size() == pairs.size(), "there are ", weights.size(),
          " weights of ", pairs.size(), " pairs; give one for each, or none");
  for (const auto& [i, j] : pairs)
    require(i >= 0 && i < first && j >= 0 && j < second, "a pair is of item ", i, " and item ", j,
            "; there are ", first, " and ", second, " items, counted from 0");
  for (const double weight : weights)
    require(weight >= 0 && std::isfinite(weight), "a pair has the weight ", weight,
            "; expected 0 or more");
}

PairTable table_of(std::span<const ItemPair> pairs, std::span<const double> weights,
                   std::int64_t first, std::int64_t second) {
  check_pairs(pairs, weights, first, second);
  const double total = weights.empty() ? static_cast<double>(pairs.size())
                                       : std::accumulate(weights.begin(), weights.end(), 0.0);
  require(total > 0, "all pairs have the weight 0; expected some above 0");
  PairTable result{std::vector<std::int64_t>(static_cast<std::size_t>(first) + 1),
                   std::vector<std::int64_t>(pairs.size()), std::vector<double>(pairs.size()),
                   VectorD::Zero(first), VectorD::Zero(second)};
  for (const auto& [i, j] : pairs) ++result.starts[static_cast<std::size_t>(i) + 1];
  std::partial_sum(result.starts.begin(), result.starts.end(), result.starts.begin());
  std::vector<std::int64_t> next = result.starts;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto [i, j] = pairs[p];
    const double weight = (weights.empty() ? 1 : weights[p]) / total;
    const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(i)]++);
    result.to[at] = j;
    result.weight[at] = weight;
    result.of_first[i] += weight;
    result.of_second[j] += weight;
  }
  return result;
}

template <class Rows>
std::int64_t block_of(const Rows& rows) {
  return std::max<std::int64_t>(1, kNumbersAtOnce / std::max<std::int64_t>(1, columns_of(rows)));
}

template <class Rows>
Eigen::RowVectorXd mean_of(const Rows& rows, const VectorD& weight) {
  Eigen::RowVectorXd result = Eigen::RowVectorXd::Zero(columns_of(rows));
  Eigen::RowVectorXd values(columns_of(rows));
  for (std::int64_t row = 0; row < rows_of(rows); ++row) {
    read_row(rows, row, values.data());
    require(values.allFinite(), "item ", row + 1,
            " has a feature that is not a number; give finite features");
    if (weight[row] > 0) result += weight[row] * values;
  }
  return result;
}

/// Xᵀ diag(weight) X of the centred rows.
template <class Rows>
MatrixD covariance_of(const Rows& rows, const VectorD& weight, const Eigen::RowVectorXd& mean,
                      int jobs) {
  MatrixD result = MatrixD::Zero(columns_of(rows), columns_of(rows));
  const std::int64_t block = block_of(rows);
  for (std::int64_t first = 0; first < rows_of(rows); first += block) {
    MatrixD part = dense_rows(rows, first, std::min(block, rows_of(rows) - first));
    part.rowwise() -= mean;
    const MatrixD weighted = weight.segment(first, part.rows()).asDiagonal() * part;
    result += multiply(MatrixD(part.transpose()), weighted, jobs);
  }
  return result;
}

/// Xᵀ S Y of the centred rows; Y need not be centred where X is.
template <class Rows>
MatrixD cross_covariance(const Rows& first, const Rows& second, const PairTable& pairs,
                         const std::array<CanonicalSide, 2>& sides, int jobs) {
  MatrixD result = MatrixD::Zero(columns_of(first), columns_of(second));
  const std::int64_t block = std::min(block_of(first), block_of(second));
  for (std::int64_t begin = 0; begin < rows_of(first); begin += block) {
    MatrixD part = dense_rows(first, begin, std::min(block, rows_of(first) - begin));
    part.rowwise() -= sides[0].mean;
    MatrixD other = MatrixD::Zero(part.rows(), columns_of(second));
    parallel_for(static_cast<std::size_t>(part.rows()), jobs,
                 [&](std::size_t from, std::size_t end) {
                   Eigen::RowVectorXd values(columns_of(second));
                   for (std::size_t row = from; row < end; ++row) {
                     const std::size_t item = static_cast<std::size_t>(begin) + row;
                     for (auto p = static_cast<std::size_t>(pairs.starts[item]);
                          p < static_cast<std::size_t>(pairs.starts[item + 1]); ++p) {
                       read_row(second, pairs.to[p], values.data());
                       other.row(static_cast<Eigen::Index>(row)) +=
                           pairs.weight[p] * (values - sides[1].mean);
                     }
                   }
                 });
    result += multiply(MatrixD(part.transpose()), other, jobs);
  }
  return result;
}

/// L⁻¹ of a side's covariance with its ridge.
template <class Rows>
MatrixD whitener_of(const Rows& rows, const VectorD& weight, const Eigen::RowVectorXd& mean,
                    double ridge, const char* side, int jobs) {
  MatrixD covariance = covariance_of(rows, weight, mean, jobs);
  const double variance = covariance.diagonal().mean();
  require(variance * static_cast<double>(mean.size()) > kRounding * kRounding * mean.squaredNorm(),
          "the features of the ", side,
          " items of the pairs are all the same; give items that differ");
  covariance.diagonal().array() += ridge * variance;
  const VectorD diagonal = covariance.diagonal();
  const bool definite = factorise(covariance, jobs);
  // A factor of which the diagonal falls to rounding is as good as none.
  require(definite && (covariance.diagonal().array().square() > kRounding * diagonal.array()).all(),
          "the covariance of the ", side, " items is not positive definite with a ridge of ", ridge,
          "; raise the ridge or leave out features that follow from others");
  return inverse_of_lower(covariance, jobs);
}

/// M Mᵀ for Spectra.
class Square {
 public:
  using Scalar = double;
  explicit Square(const MatrixD& m) : m_(m) {}
  Eigen::Index rows() const { return m_.rows(); }
  Eigen::Index cols() const { return m_.rows(); }
  void perform_op(const double* in, double* out) const {
    const Eigen::Map<const VectorD> x(in, m_.rows());
    Eigen::Map<VectorD>(out, m_.rows()) = m_ * (m_.transpose() * x);
  }

 private:
  const MatrixD& m_;
};

/// The left singular vectors of the `count` greatest singular values of M, which has no more rows
/// than columns.
MatrixD left_vectors(const MatrixD& m, std::int64_t count, int jobs) {
  if (m.rows() <= kSmallProblem || 4 * count >= m.rows()) {
    const SymmetricEigen eigen = symmetric_eigen(multiply(m, MatrixD(m.transpose()), jobs));
    return eigen.vectors.rightCols(count).rowwise().reverse();
  }
  Square square(m);
  Spectra::SymEigsSolver<Square> solver(square, count, std::min(m.rows(), 2 * count + 20));
  VectorD start(m.rows());
  for (Eigen::Index row = 0; row < start.size(); ++row)
    start(row) = random_uniform(1, static_cast<std::uint64_t>(row), 0) - 0.5;
  solver.init(start.data());
  const Eigen::Index found =
      solver.compute(Spectra::SortRule::LargestAlge, kMostRestarts, kTolerance);
  require(found == count, "only ", found, " of ", count,
          " directions were found; ask for fewer or raise the ridge");
  return solver.eigenvectors();
}

/// Sets the projections and the correlations from M = L⁻¹ Cxy L⁻ᵀ. Its right singular vectors are
/// Mᵀ times the left ones, divided by the singular values; where these are 0 the vectors are any
/// that are orthogonal to the others, which a QR factorisation finds.
void set_directions(CanonicalCorrelation& model, const MatrixD& whitener_first,
                    const MatrixD& whitener_second, const MatrixD& m, std::int64_t count,
                    int jobs) {
  const bool swapped = m.rows() > m.cols();
  const MatrixD wide = swapped ? MatrixD(m.transpose()) : m;
  const MatrixD left = left_vectors(wide, count, jobs);
  const Eigen::MatrixXd turned = multiply(MatrixD(wide.transpose()), left, jobs);
  model.correlations = turned.colwise().norm().transpose().cwiseMin(1);
  MatrixD right = orthonormal_columns(turned);
  for (Eigen::Index c = 0; c < count; ++c)
    if (right.col(c).dot(turned.col(c)) < 0) right.col(c) *= -1;
  model.sides[0].projection =
      multiply(MatrixD(whitener_first.transpose()), swapped ? right : left, jobs);
  model.sides[1].projection =
      multiply(MatrixD(whitener_second.transpose()), swapped ? left : right, jobs);
  for (Eigen::Index c = 0; c < count; ++c) {
    Eigen::Index row = 0;
    model.sides[0].projection.col(c).cwiseAbs().maxCoeff(&row);
    if (model.sides[0].projection(row, c) < 0)
      for (CanonicalSide& side : model.sides) side.projection.col(c) *= -1;
  }
}

template <class Rows>
CanonicalCorrelation fit(const Rows& first, const Rows& second, std::span<const ItemPair> pairs,
                         std::span<const double> weights,
                         const CanonicalCorrelationOptions& options, int jobs) {
  check(options);
  for (const std::int64_t columns : {columns_of(first), columns_of(second)})
    require(columns >= 1 && columns <= kMostColumns, "items have ", columns,
            " features; expected 1 .. ", kMostColumns,
            ", as the covariances are dense: reduce the features first");
  const PairTable table = table_of(pairs, weights, rows_of(first), rows_of(second));
  CanonicalCorrelation model;
  model.sides[0].mean = mean_of(first, table.of_first);
  model.sides[1].mean = mean_of(second, table.of_second);
  const MatrixD whitener_first =
      whitener_of(first, table.of_first, model.sides[0].mean, options.ridge, "first", jobs);
  const MatrixD whitener_second =
      whitener_of(second, table.of_second, model.sides[1].mean, options.ridge, "second", jobs);
  const MatrixD m = multiply(
      multiply(whitener_first, cross_covariance(first, second, table, model.sides, jobs), jobs),
      MatrixD(whitener_second.transpose()), jobs);
  set_directions(model, whitener_first, whitener_second, m,
                 std::min({options.dim, columns_of(first), columns_of(second)}), jobs);
  return model;
}

}  // namespace

CanonicalCorrelation fit_canonical_correlation(const FeatureRows& first, const FeatureRows& second,
                                               std::span<const ItemPair> pairs,
                                               std::span<const double> weights,
                                               const CanonicalCorrelationOptions& options,
                                               int jobs) {
  return fit(first, second, pairs, weights, options, jobs);
}

CanonicalCorrelation fit_canonical_correlation(const Eigen::Ref<const MatrixD>& first,
                                               const Eigen::Ref<const MatrixD>& second,
                                               std::span<const ItemPair> pairs,
                                               std::span<const double> weights,
                                               const CanonicalCorrelationOptions& options,
                                               int jobs) {
  return fit(first, second, pairs, weights, options, jobs);
}

Matrix encode(const CanonicalCorrelation& model, std::size_t side, const FeatureRows& rows,
              int jobs) {
  require(side < model.sides.size(), "there is no side ", side, "; expected 0 or 1");
  const auto& [mean, projection] = model.sides[side];
  require(rows.columns() == mean.size(), "items have ", rows.columns(),
          " features; the side was learned from ", mean.size());
  const std::int64_t block = block_of(rows);
  Matrix result(rows.rows(), projection.cols());
  for (std::int64_t first = 0; first < rows.rows(); first += block) {
    MatrixD part = dense_rows(rows, first, std::min(block, rows.rows() - first));
    part.rowwise() -= mean;
    result.middleRows(first, part.rows()) = multiply(part, projection, jobs).cast<float>();
  }
  return result;
}

}  // namespace commonplace::relate

#include "commonplace/learn/ridge_map.h"

#include "commonplace/base/error.h"
#include "commonplace/math/decompose.h"
#include "commonplace/math/dense_products.h"

namespace commonplace {
namespace {

/// Axes along which the rows hardly differ are left out: their length squared against the longest.
constexpr double kLeastLength = 1e-7;
/// A row that alone decides what is said of it is said nothing of.
constexpr double kMostLeverage = 1 - 1e-6;

MatrixD centred(const Eigen::Ref<const Matrix>& rows, Eigen::RowVectorXf& mean) {
  const MatrixD wide = rows.cast<double>();
  const Eigen::RowVectorXd middle = wide.colwise().mean();
  mean = middle.cast<float>();
  return wide.rowwise() - middle;
}

}  // namespace

Matrix RidgeMap::apply(const Eigen::Ref<const Matrix>& rows, int jobs) const {
  require(rows.cols() == weights.rows(), "rows of ", rows.cols(),
          " numbers were given to a map of ", weights.rows());
  return multiply(Matrix(rows.rowwise() - from_mean), weights, jobs);
}

RidgePath::RidgePath(const Eigen::Ref<const Matrix>& from, const Eigen::Ref<const Matrix>& to,
                     int jobs)
    : jobs_(jobs) {
  require(from.rows() == to.rows() && from.rows() > 0, "a map is learned from pairs; there are ",
          from.rows(), " and ", to.rows());
  const MatrixD x = centred(from, from_mean_);
  Eigen::RowVectorXf unused;
  to_ = centred(to, unused);
  // Of the two Gram matrices the smaller one; their eigenvalues other than 0 are the same.
  const bool of_rows = x.rows() < x.cols();
  const MatrixD turned = x.transpose();
  const SymmetricEigen eigen =
      symmetric_eigen(of_rows ? multiply(x, turned, jobs) : multiply(turned, x, jobs));
  const Eigen::Index all = eigen.values.size();
  Eigen::Index kept = 0;
  while (kept < all && eigen.values[all - 1 - kept] > kLeastLength * eigen.values[all - 1] &&
         eigen.values[all - 1 - kept] > 0)
    ++kept;
  spectrum_ = eigen.values.tail(kept);
  const MatrixD vectors = eigen.vectors.rightCols(kept);
  if (of_rows) {
    coordinates_ = vectors * spectrum_.cwiseSqrt().asDiagonal();
    axes_ = multiply(turned, vectors, jobs) * spectrum_.cwiseSqrt().cwiseInverse().asDiagonal();
  } else {
    axes_ = vectors;
    coordinates_ = multiply(x, vectors, jobs);
  }
  moments_ = multiply(MatrixD(coordinates_.transpose()), to_, jobs);
}

Matrix RidgePath::left_out(double penalty) const {
  const VectorD shrunk = (spectrum_.array() + penalty).inverse();
  const MatrixD fitted = multiply(coordinates_, MatrixD(shrunk.asDiagonal() * moments_), jobs_);
  const double each = 1.0 / static_cast<double>(to_.rows());
  Matrix result(to_.rows(), to_.cols());
  for (Eigen::Index row = 0; row < result.rows(); ++row) {
    const double leverage =
        each + (coordinates_.row(row).array().square() * shrunk.transpose().array()).sum();
    if (leverage > kMostLeverage)
      result.row(row).setZero();
    else
      result.row(row) =
          ((fitted.row(row) - leverage * to_.row(row)) / (1 - leverage)).cast<float>();
  }
  return result;
}

RidgeMap RidgePath::map(double penalty) const {
  const VectorD shrunk = (spectrum_.array() + penalty).inverse();
  RidgeMap result;
  result.from_mean = from_mean_;
  result.weights = multiply(axes_, MatrixD(shrunk.asDiagonal() * moments_), jobs_).cast<float>();
  return result;
}

RidgeMap ridge_map(const Eigen::Ref<const Matrix>& from, const Eigen::Ref<const Matrix>& to,
                   double penalty, int jobs) {
  require(from.rows() == to.rows() && from.rows() > 0, "a map is learned from pairs; there are ",
          from.rows(), " and ", to.rows());
  require(penalty > 0, "a map needs a penalty above 0, not ", penalty);
  RidgeMap result;
  Eigen::RowVectorXf unused;
  const MatrixD x = centred(from, result.from_mean);
  const MatrixD y = centred(to, unused);
  const MatrixD turned = x.transpose();
  const bool of_rows = x.rows() < x.cols();
  Eigen::MatrixXd gram = of_rows ? multiply(x, turned, jobs) : multiply(turned, x, jobs);
  gram.diagonal().array() += penalty;
  const Eigen::MatrixXd right = of_rows ? y : multiply(turned, y, jobs);
  const auto solved = solve_positive(gram, right);
  require(solved.has_value(), "a map cannot be learned: its numbers are not finite");
  result.weights =
      (of_rows ? multiply(turned, MatrixD(*solved), jobs) : MatrixD(*solved)).cast<float>();
  return result;
}

void add_ridge_map(TensorWriter& writer, const std::string& name, const RidgeMap& map) {
  writer.add(
      name + ".from_mean",
      std::span<const float>(map.from_mean.data(), static_cast<std::size_t>(map.from_mean.size())));
  writer.add(name + ".weights", map.weights);
}

RidgeMap read_ridge_map(const TensorFile& file, const std::string& name) {
  RidgeMap map;
  const auto mean = file.floats(name + ".from_mean");
  map.from_mean = Eigen::Map<const Eigen::RowVectorXf>(mean.data(), std::ssize(mean));
  map.weights = file.matrix(name + ".weights");
  require(map.from_mean.size() == map.weights.rows() && map.from_mean.allFinite() &&
              map.weights.allFinite(),
          file.name(), ": the parts of a map do not fit together; the file is damaged");
  return map;
}

}  // namespace commonplace

// X features, T targets, W weights; A the dual weights, W = Xᵀ A.
#include "commonplace/relate/rivals/ridge_rows.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::relate {
namespace {

constexpr std::int64_t kMostOfSmallerSide = 20000;
/// Numbers that are made double at a time.
constexpr std::int64_t kBlockNumbers = 1 << 20;
/// What of a square may be all rounding.
constexpr double kRidgeRounding = 1e-13;

void check(const FeatureRows& rows, const SparseView& targets, const RidgeRowOptions& options) {
  require(options.ridge > 0 && std::isfinite(options.ridge), "ridge is ", options.ridge,
          "; expected more than 0");
  require(rows.rows() == targets.rows, "there are features of ", rows.rows(),
          " items and targets of ", targets.rows, "; give both of the same items");
  require(rows.rows() >= 1 && rows.columns() >= 1, "there are ", rows.rows(), " items of ",
          rows.columns(), " features to learn from; give 1 or more of each");
  const std::int64_t smaller = std::min(rows.rows(), rows.columns());
  require(smaller <= kMostOfSmallerSide, "there are ", rows.rows(), " items of ", rows.columns(),
          " features; of one of them expected no more than ", kMostOfSmallerSide,
          ", as memory and time grow steeply with it");
  const VectorD squares = squared_norms(rows);
  for (Eigen::Index row = 0; row < squares.size(); ++row) {
    require(std::isfinite(squares[row]), "item ", row + 1,
            " has a feature that is not a number; give finite features");
    for (const float value : targets.row_values(row))
      require(std::isfinite(value), "item ", row + 1,
              " has a target that is not a number; give finite targets");
  }
}

Eigen::RowVectorXd column_means(const SparseView& rows) {
  Eigen::RowVectorXd result = Eigen::RowVectorXd::Zero(rows.columns);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const auto columns = rows.row_indices(row);
    const auto values = rows.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      result[columns[i]] += static_cast<double>(values[i]);
  }
  return result / static_cast<double>(rows.rows);
}

Eigen::RowVectorXd column_means(const FeatureRows& rows) {
  if (rows.is_sparse()) return column_means(rows.sparse());
  Eigen::RowVectorXd result = Eigen::RowVectorXd::Zero(rows.columns());
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    result += rows.dense().row(row).cast<double>();
  return result / static_cast<double>(rows.rows());
}

MatrixD to_dense(const SparseView& rows) {
  MatrixD result = MatrixD::Zero(rows.rows, rows.columns);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const auto columns = rows.row_indices(row);
    const auto values = rows.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      result(row, columns[i]) = static_cast<double>(values[i]);
  }
  return result;
}

/// Calls use(first row, rows in double less their mean) for one block of dense rows after the
/// other.
template <class Use>
void for_each_block(const MatrixView& rows, const Eigen::RowVectorXd& mean, const Use& use) {
  const std::int64_t block = std::max<std::int64_t>(1, kBlockNumbers / rows.cols());
  for (std::int64_t first = 0; first < rows.rows(); first += block) {
    MatrixD part = rows.middleRows(first, std::min(block, rows.rows() - first)).cast<double>();
    part.rowwise() -= mean;
    use(first, part);
  }
}

/// (X − mean)ᵀ (X − mean).
MatrixD gram_of_columns(const FeatureRows& rows, const Eigen::RowVectorXd& mean, int jobs) {
  MatrixD result = MatrixD::Zero(rows.columns(), rows.columns());
  if (!rows.is_sparse()) {
    for_each_block(rows.dense(), mean, [&](std::int64_t, const MatrixD& part) {
      result += multiply(MatrixD(part.transpose()), part, jobs);
    });
    return result;
  }
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    const auto columns = rows.sparse().row_indices(row);
    const auto values = rows.sparse().row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      for (std::size_t j = 0; j < columns.size(); ++j)
        result(columns[i], columns[j]) +=
            static_cast<double>(values[i]) * static_cast<double>(values[j]);
  }
  result.noalias() -= static_cast<double>(rows.rows()) * mean.transpose() * mean;
  return result;
}

/// (X − mean) (X − mean)ᵀ.
MatrixD gram_of_items(const FeatureRows& rows, int jobs) {
  MatrixD result = exact_products(rows, rows, jobs);
  const VectorD means = result.rowwise().mean();
  result.colwise() -= means;
  result.rowwise() -= (means.array() - means.mean()).matrix().transpose();
  return result;
}

/// (gram + penalty)⁻¹ times the right side, for a Gram matrix of features of which all squares add
/// up to `squares` before they are centred.
MatrixD solve(MatrixD gram, double squares, double ridge, const MatrixD& right, int jobs) {
  const double mean = gram.diagonal().mean();
  const double raw = squares / static_cast<double>(gram.rows());
  // Features that are all the same say nothing; what is left of them by rounding must not either.
  gram.diagonal().array() += mean > kRidgeRounding * raw ? ridge * mean : 1 + raw;
  require(factorise(gram, jobs), "the ridge cannot be solved with ", ridge,
          " of the mean diagonal; give a greater one");
  const MatrixD inverse = inverse_of_lower(gram, jobs);
  return multiply(MatrixD(inverse.transpose()), multiply(inverse, right, jobs), jobs);
}

/// (X − mean)ᵀ T: as the centred features add up to 0, T need not be centred.
MatrixD products_with_targets(const FeatureRows& rows, const SparseView& targets,
                              const Eigen::RowVectorXd& mean, int jobs) {
  if (!rows.is_sparse()) {
    MatrixD result = MatrixD::Zero(targets.columns, rows.columns());
    for_each_block(rows.dense(), mean, [&](std::int64_t first, const MatrixD& part) {
      const FeatureRows own = slice(targets, first, part.rows());
      result += transposed_multiply(own.sparse(), part, jobs);
    });
    return result.transpose();
  }
  MatrixD result = MatrixD::Zero(rows.columns(), targets.columns);
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    const auto columns = rows.sparse().row_indices(row);
    const auto values = rows.sparse().row_values(row);
    const auto which = targets.row_indices(row);
    const auto wanted = targets.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      for (std::size_t j = 0; j < which.size(); ++j)
        result(columns[i], which[j]) +=
            static_cast<double>(values[i]) * static_cast<double>(wanted[j]);
  }
  result.noalias() -=
      mean.transpose() * (static_cast<double>(targets.rows) * column_means(targets));
  return result;
}

/// (X − mean)ᵀ A for columns of A that add up to 0.
MatrixD from_dual(const FeatureRows& rows, const Eigen::RowVectorXd& mean, const MatrixD& dual,
                  int jobs) {
  if (rows.is_sparse()) return transposed_multiply(rows.sparse(), dual, jobs);
  MatrixD result = MatrixD::Zero(rows.columns(), dual.cols());
  for_each_block(rows.dense(), mean, [&](std::int64_t first, const MatrixD& part) {
    result += multiply(MatrixD(part.transpose()), dual.middleRows(first, part.rows()), jobs);
  });
  return result;
}

}  // namespace

RidgeRows fit_ridge_rows(const FeatureRows& rows, const SparseView& targets,
                         const RidgeRowOptions& options, int jobs) {
  check(rows, targets, options);
  const Eigen::RowVectorXd mean = column_means(rows);
  const Eigen::RowVectorXd target_mean = column_means(targets);
  const double squares = squared_norms(rows).sum();
  MatrixD weights;
  if (rows.columns() <= rows.rows()) {
    weights = solve(gram_of_columns(rows, mean, jobs), squares, options.ridge,
                    products_with_targets(rows, targets, mean, jobs), jobs);
  } else {
    MatrixD centred = to_dense(targets);
    centred.rowwise() -= target_mean;
    weights = from_dual(
        rows, mean, solve(gram_of_items(rows, jobs), squares, options.ridge, centred, jobs), jobs);
  }
  return {weights.cast<float>(), (target_mean - mean * weights).cast<float>()};
}

Matrix score(const RidgeRows& model, const FeatureRows& rows, int jobs) {
  require(rows.columns() == model.weights.rows(), "items have ", rows.columns(),
          " features; the targets were learned from ", model.weights.rows());
  Matrix result = rows.is_sparse() ? multiply(rows.sparse(), model.weights, jobs)
                                   : multiply(rows.dense(), model.weights, jobs);
  result.rowwise() += model.offset;
  return result;
}

}  // namespace commonplace::relate

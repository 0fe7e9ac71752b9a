#include "commonplace/transfer/core/logistic_regression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/transfer/core/naive_bayes.h"

namespace commonplace::transfer {
namespace {

/// What items are multiplied with, so that the mean square of their used features is one.
double scale_of_items(const SparseView& items, const std::vector<std::uint8_t>& used, Comm& comm) {
  std::array<double, 2> sums{0, static_cast<double>(items.rows)};
  for (std::int64_t row = 0; row < items.rows; ++row) {
    const auto columns = items.row_indices(row);
    const auto values = items.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (used[static_cast<std::size_t>(columns[i])] != 0)
        sums[0] += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  }
  comm.sum(sums);
  return sums[0] > 0 ? std::sqrt(sums[1] / sums[0]) : 0;
}

/// Weights with the offset below them, (features + 1) x classes, and their gradient.
class Loss {
 public:
  Loss(const SparseView& items, const MatrixD& classes, const std::vector<std::uint8_t>& used,
       double scale, const LogisticRegressionOptions& options, const Run& run)
      : items_(items),
        transposed_(transpose(items)),
        classes_(classes),
        used_(used),
        scale_(scale),
        run_(run) {
    double counted = classes.sum();
    counted = run.comm.sum(counted);
    require(counted > 0, "there are no items with classes to learn from");
    items_counted_ = counted;
    penalty_ = 1 / (options.cost * counted);
  }

  double penalty() const { return penalty_; }

  /// The objective at `weights`, and its gradient.
  double at(const MatrixD& weights, MatrixD& gradient) const {
    const Eigen::Index features = weights.rows() - 1;
    const MatrixD top = weights.topRows(features);
    MatrixD residual = multiply(items_, top, run_.jobs) * scale_;
    residual.rowwise() += weights.row(features);
    residual = class_probabilities(residual);
    double loss = 0;
    for (Eigen::Index row = 0; row < residual.rows(); ++row) {
      const double weight = classes_.row(row).sum();
      for (Eigen::Index k = 0; k < residual.cols(); ++k)
        if (classes_(row, k) > 0)
          loss -= classes_(row, k) * std::log(std::max(residual(row, k), 1e-300));
      residual.row(row) = residual.row(row) * weight - classes_.row(row);
    }
    gradient.resize(weights.rows(), weights.cols());
    gradient.topRows(features) = multiply(transposed_.view(), residual, run_.jobs) * scale_;
    gradient.row(features) = residual.colwise().sum();
    run_.comm.sum(gradient);
    loss = run_.comm.sum(loss) / items_counted_;
    gradient /= items_counted_;
    gradient.topRows(features) += penalty_ * top;
    for (Eigen::Index feature = 0; feature < features; ++feature)
      if (used_[static_cast<std::size_t>(feature)] == 0) gradient.row(feature).setZero();
    return loss + penalty_ / 2 * top.squaredNorm();
  }

 private:
  const SparseView& items_;
  Sparse transposed_;
  const MatrixD& classes_;
  const std::vector<std::uint8_t>& used_;
  double scale_;
  Run run_;
  double items_counted_ = 0;
  double penalty_ = 0;
};

}  // namespace

LogisticRegression fit_logistic_regression(const SparseView& items, const MatrixD& classes,
                                           std::vector<std::uint8_t> used,
                                           const LogisticRegressionOptions& options,
                                           const Run& run) {
  require(options.cost > 0, "the cost must be above 0, not ", options.cost);
  require(classes.rows() == items.rows, "there are ", items.rows, " items but classes of ",
          classes.rows());
  require(std::ssize(used) == items.columns, "there are ", items.columns, " features but ",
          used.size(), " marks");
  const double scale = scale_of_items(items, used, run.comm);
  const Loss loss(items, classes, used, scale, options, run);
  // Nesterov's method. The curvature is at most half of the mean square length of items with their
  // offset, and the penalty. Where the momentum points up it begins again.
  const double curvature = 1 + loss.penalty();
  MatrixD weights = MatrixD::Zero(items.columns + 1, classes.cols());
  MatrixD ahead = weights;
  MatrixD gradient;
  LogisticRegression result;
  double momentum = 1;
  double first = 0;
  while (result.report.iterations < options.iterations && !result.report.converged) {
    result.report.objective.push_back(loss.at(ahead, gradient));
    if (result.report.iterations == 0) first = gradient.norm();
    result.report.converged = gradient.norm() <= options.tolerance * first;
    const MatrixD next = ahead - gradient / curvature;
    if (gradient.cwiseProduct(next - weights).sum() > 0) momentum = 1;
    const double then = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    ahead = next + (momentum - 1) / then * (next - weights);
    momentum = then;
    weights = next;
    ++result.report.iterations;
  }
  result.offset = weights.row(items.columns);
  result.weights = weights.topRows(items.columns);
  result.used = std::move(used);
  return result;
}

MatrixD class_evidence(const LogisticRegression& regression, const SparseView& items,
                       const Run& run) {
  require(std::ssize(regression.used) == items.columns, "there are ", items.columns,
          " features but weights of ", regression.used.size());
  MatrixD result = multiply(items, regression.weights, run.jobs) *
                   scale_of_items(items, regression.used, run.comm);
  result.rowwise() += regression.offset;
  return result;
}

}  // namespace commonplace::transfer

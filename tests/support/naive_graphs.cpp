#include "tests/support/naive_graphs.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <Eigen/LU>

#include "commonplace/base/rng.h"
#include "tests/support/naive_eigenmaps.h"

namespace commonplace::test {
namespace {

void normalise(MatrixD& rows) {
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    if (rows.row(row).norm() > 0) rows.row(row) /= rows.row(row).norm();
}

}  // namespace

MatrixD naive_neighbour_graph(MatrixD rows, std::int64_t neighbours, bool cosine,
                              double& bandwidth) {
  if (cosine) normalise(rows);
  const Eigen::Index n = rows.rows();
  MatrixD tied = MatrixD::Zero(n, n);
  double farthest = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    std::vector<std::pair<double, Eigen::Index>> others;
    for (Eigen::Index j = 0; j < n; ++j)
      if (j != i) others.emplace_back((rows.row(i) - rows.row(j)).norm(), j);
    std::sort(others.begin(), others.end());
    const auto count = std::min(static_cast<std::size_t>(neighbours), others.size());
    farthest += others[count - 1].first / static_cast<double>(n);
    for (std::size_t k = 0; k < count; ++k)
      tied(i, others[k].second) = tied(others[k].second, i) = 1;
  }
  if (bandwidth == 0) bandwidth = farthest;
  MatrixD result = MatrixD::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      if (tied(i, j) > 0)
        result(i, j) =
            std::exp(-(rows.row(i) - rows.row(j)).squaredNorm() / 2 / bandwidth / bandwidth);
  return result;
}

MatrixD naive_normalised(const MatrixD& weights) {
  MatrixD result = weights;
  for (Eigen::Index i = 0; i < weights.rows(); ++i)
    for (Eigen::Index j = 0; j < weights.cols(); ++j)
      if (weights(i, j) > 0) result(i, j) /= std::sqrt(weights.row(i).sum() * weights.row(j).sum());
  return result;
}

MatrixD naive_propagation(const MatrixD& weights, const MatrixD& labels, double alpha) {
  const Eigen::MatrixXd system =
      MatrixD::Identity(weights.rows(), weights.rows()) - alpha * naive_normalised(weights);
  return (1 - alpha) * (system.inverse() * labels);
}

MatrixD naive_knn_labels(MatrixD rows, MatrixD labelled, const MatrixD& labels,
                         std::int64_t neighbours) {
  normalise(rows);
  normalise(labelled);
  MatrixD result = MatrixD::Zero(rows.rows(), labels.cols());
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    for (Eigen::Index which = 0; which < labels.cols(); ++which) {
      std::vector<std::pair<double, Eigen::Index>> voters;
      for (Eigen::Index other = 0; other < labelled.rows(); ++other)
        if (labels(other, which) != 0 && rows.row(row).dot(labelled.row(other)) > 0)
          voters.emplace_back(-rows.row(row).dot(labelled.row(other)), other);
      std::sort(voters.begin(), voters.end());
      if (voters.size() > static_cast<std::size_t>(neighbours))
        voters.resize(static_cast<std::size_t>(neighbours));
      double sum = 0;
      double total = 0;
      for (const auto& [cosine, other] : voters) {
        sum -= cosine * labels(other, which);
        total -= cosine;
      }
      if (total > 0) result(row, which) = sum / total;
    }
  return result;
}

VectorD gradient(const LinearObjective& objective, const VectorD& weights, double offset) {
  VectorD result(weights.size() + 1);
  result << 2 * objective.penalty * weights, 2 * objective.bias_penalty * offset;
  for (Eigen::Index i = 0; i < objective.rows.rows(); ++i) {
    const double y = objective.labels(i);
    if (y == 0) continue;
    const double margin = y * (objective.rows.row(i).dot(weights) + offset);
    const double slope = objective.loss == "logistic" ? -y / (1 + std::exp(margin))
                                                      : -2 * y * std::max(0.0, 1 - margin);
    const double scale = objective.cost * (y > 0 ? objective.positive_weight : 1) * slope;
    result.head(weights.size()) += scale * objective.rows.row(i).transpose();
    result(weights.size()) += scale;
  }
  return result;
}

MatrixD two_rings(Eigen::Index items, double noise, std::uint64_t seed) {
  MatrixD result(items, 2);
  for (Eigen::Index item = 0; item < items; ++item) {
    const auto row = static_cast<std::uint64_t>(item);
    const double angle = 2 * std::numbers::pi * random_uniform(seed, row, 0);
    const double radius = (item % 2 == 0 ? 1 : 2) + noise * random_normal(seed, row, 1);
    result.row(item) << radius * std::cos(angle), radius * std::sin(angle);
  }
  return result;
}

MatrixD first_labels(Eigen::Index items, Eigen::Index count) {
  MatrixD result = MatrixD::Zero(items, 1);
  for (Eigen::Index item = 0; item < count; ++item) result(item, 0) = item % 2 == 0 ? -1 : 1;
  return result;
}

double share_of_signs(const Matrix& scores) {
  double right = 0;
  for (Eigen::Index item = 0; item < scores.rows(); ++item)
    right += (scores(item, 0) > 0) == (item % 2 == 1) ? 1 : 0;
  return right / static_cast<double>(scores.rows());
}

Matrix dense_in_order(const Matrix& rows, const std::vector<std::int64_t>& order) {
  return rows(order, Eigen::all);
}

}  // namespace commonplace::test

#include "tests/support/naive_associations.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Cholesky>

#include "commonplace/base/rng.h"

namespace commonplace::test {

MatrixD to_dense(const SparseView& matrix) {
  MatrixD result = MatrixD::Zero(matrix.rows, matrix.columns);
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const auto columns = matrix.row_indices(row);
    const auto values = matrix.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      result(row, columns[i]) += static_cast<double>(values[i]);
  }
  return result;
}

Sparse to_sparse(const MatrixD& matrix) {
  Sparse result;
  result.columns = matrix.cols();
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    for (Eigen::Index column = 0; column < matrix.cols(); ++column)
      if (matrix(row, column) != 0)
        result.push(static_cast<std::int32_t>(column), static_cast<float>(matrix(row, column)));
    result.end_row();
  }
  return result;
}

Sparse random_counts(std::int64_t items, std::int64_t terms, double density, std::uint64_t seed) {
  Rng rng(seed);
  Sparse result;
  result.columns = terms;
  for (std::int64_t item = 0; item < items; ++item) {
    for (std::int64_t term = 0; term < terms; ++term) {
      const bool there = rng.uniform() < density;
      const auto count = static_cast<float>(1 + rng.below(4));
      if (there && item != 3 && term != 2) result.push(static_cast<std::int32_t>(term), count);
    }
    result.end_row();
  }
  return result;
}

std::vector<std::int64_t> random_order(std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  Rng rng(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return order;
}

Sparse rows_in_order(const SparseView& matrix, std::span<const std::int64_t> order) {
  Sparse result;
  result.columns = matrix.columns;
  for (const std::int64_t row : order) result.push_row(matrix, row);
  return result;
}

MatrixD naive_lift(const MatrixD& items, double smoothing) {
  const Eigen::Index terms = items.cols();
  MatrixD result(terms, terms);
  for (Eigen::Index w = 0; w < terms; ++w)
    for (Eigen::Index v = 0; v < terms; ++v) {
      double together = 0;
      double sum_v = 0;
      double sum_w = 0;
      for (Eigen::Index item = 0; item < items.rows(); ++item) {
        together += items(item, v) * items(item, w);
        sum_v += items(item, v);
        sum_w += items(item, w);
      }
      const double mean_w = sum_w / static_cast<double>(items.rows());
      result(w, v) =
          v == w || mean_w == 0
              ? std::log(smoothing / (sum_v + smoothing))
              : std::log((together + smoothing * mean_w) / ((sum_v + smoothing) * mean_w));
    }
  return result;
}

MatrixD naive_ridge(const MatrixD& items, double penalty) {
  const Eigen::Index terms = items.cols();
  MatrixD result = MatrixD::Zero(terms, terms);
  for (Eigen::Index w = 0; w < terms; ++w) {
    std::vector<Eigen::Index> others;
    for (Eigen::Index v = 0; v < terms; ++v)
      if (v != w) others.push_back(v);
    const Eigen::MatrixXd evidence = items(Eigen::all, others);
    Eigen::MatrixXd gram = evidence.transpose() * evidence;
    gram.diagonal().array() += penalty;
    result(others, w) = gram.ldlt().solve(evidence.transpose() * items.col(w));
  }
  return result;
}

double ridge_objective(const MatrixD& items, const MatrixD& weights, double penalty) {
  return (items - items * weights).squaredNorm() + penalty * weights.squaredNorm();
}

MatrixD naive_nearest_rows(const MatrixD& a, const MatrixD& b, std::int64_t count,
                           const std::vector<std::int64_t>& skip) {
  MatrixD result = MatrixD::Zero(a.rows(), b.rows());
  for (Eigen::Index row = 0; row < a.rows(); ++row) {
    std::vector<std::int64_t> order;
    for (Eigen::Index other = 0; other < b.rows(); ++other) {
      const bool skipped = !skip.empty() && skip[static_cast<std::size_t>(row)] == other;
      if (!skipped && a.row(row).dot(b.row(other)) > 0) order.push_back(other);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
      return a.row(row).dot(b.row(x)) > a.row(row).dot(b.row(y));
    });
    if (std::ssize(order) > count) order.resize(static_cast<std::size_t>(count));
    for (const std::int64_t other : order) result(row, other) = a.row(row).dot(b.row(other));
  }
  return result;
}

MatrixD naive_votes(const MatrixD& items, const MatrixD& lenders, const std::vector<float>& idf,
                    std::int64_t neighbours, const std::vector<std::int64_t>& same_lender) {
  auto unit_rows = [&](MatrixD rows) {
    for (Eigen::Index term = 0; term < rows.cols(); ++term)
      rows.col(term) *= static_cast<double>(idf[static_cast<std::size_t>(term)]);
    for (Eigen::Index row = 0; row < rows.rows(); ++row)
      if (rows.row(row).norm() > 0) rows.row(row) /= rows.row(row).norm();
    return rows;
  };
  MatrixD votes = naive_nearest_rows(unit_rows(items), unit_rows(lenders), neighbours, same_lender);
  votes = votes.cwiseAbs2();
  for (Eigen::Index row = 0; row < votes.rows(); ++row)
    votes.row(row) /= 0.2 + votes.row(row).sum();
  return votes;
}

}  // namespace commonplace::test

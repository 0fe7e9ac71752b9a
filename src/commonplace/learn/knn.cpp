#include "commonplace/learn/knn.h"

#include <algorithm>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/learn/labelled_rows.h"
#include "commonplace/math/nearest_rows.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/math/unit_rows.h"

namespace commonplace {
namespace {

constexpr std::int64_t kQueryBlock = 256;

void check(const KnnOptions& options) {
  require(options.neighbours >= 1, "neighbours is ", options.neighbours, "; expected 1 or more");
}

/// Cosines to shares of the votes, row by row.
Sparse share_out(Sparse votes, const KnnOptions& options) {
  for (std::int64_t row = 0; row < votes.rows(); ++row) {
    const auto begin = static_cast<std::size_t>(votes.starts[static_cast<std::size_t>(row)]);
    const auto end = static_cast<std::size_t>(votes.starts[static_cast<std::size_t>(row) + 1]);
    // In double, in which no power of a float is 0.
    const auto vote = [&](std::size_t i) {
      const auto cosine = static_cast<double>(votes.values[i]);
      double product = cosine;
      for (int power = 1; power < options.power; ++power) product *= cosine;
      return product;
    };
    double sum = options.nobody;
    for (std::size_t i = begin; i < end; ++i) sum += vote(i);
    for (std::size_t i = begin; i < end; ++i) votes.values[i] = static_cast<float>(vote(i) / sum);
  }
  return votes;
}

Sparse nearest_dense(const FeatureRows& items, const FeatureRows& known, std::int64_t count,
                     std::span<const std::int64_t> skip, int jobs) {
  Sparse result;
  result.columns = known.rows();
  for (std::int64_t begin = 0; begin < items.rows(); begin += kQueryBlock) {
    const std::int64_t rows = std::min(kQueryBlock, items.rows() - begin);
    const Sparse found = greatest_of_rows(
        products(slice(items, begin, rows), known, jobs), count,
        skip.empty()
            ? skip
            : skip.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(rows)),
        jobs);
    for (std::int64_t row = 0; row < rows; ++row) result.push_row(found.view(), row);
  }
  return result;
}

/// The mean of labels by votes. Where all voters say the same it is that to the bit, so that equals
/// stay equal.
Matrix mean_labels(const Sparse& votes, const MatrixD& labels, int jobs) {
  MatrixD with_ones = MatrixD::Ones(labels.rows(), labels.cols() + 1);
  with_ones.leftCols(labels.cols()) = labels;
  const MatrixD sums = multiply(votes.view(), with_ones, jobs);
  Matrix result = Matrix::Zero(sums.rows(), labels.cols());
  for (Eigen::Index row = 0; row < sums.rows(); ++row)
    if (const double all = sums(row, labels.cols()); all > 0)
      result.row(row) = (sums.row(row).head(labels.cols()) / all).cast<float>();
  return result;
}

}  // namespace

Sparse knn_votes(const FeatureRows& items, const FeatureRows& known, const KnnOptions& options,
                 std::span<const std::int64_t> skip, int jobs) {
  check(options);
  require(items.columns() == known.columns(), "items of ", items.columns(),
          " features do not fit known ones of ", known.columns());
  require(items.is_sparse() == known.is_sparse(), "sparse items have no dense neighbours");
  require(skip.empty() || std::ssize(skip) == items.rows(), "there are ", skip.size(),
          " known items to skip for ", items.rows(), " items");
  return share_out(items.is_sparse() ? nearest_rows(items.sparse(), known.sparse(),
                                                    options.neighbours, skip, jobs)
                                     : nearest_dense(items, known, options.neighbours, skip, jobs),
                   options);
}

Sparse knn_votes_by_column(const SparseView& items, const SparseView& known_columns,
                           const KnnOptions& options, std::span<const std::int64_t> skip,
                           int jobs) {
  check(options);
  return share_out(nearest_rows_by_column(items, known_columns, options.neighbours, skip, jobs),
                   options);
}

Sparse knn_votes_of(const Eigen::Ref<const Matrix>& cosines, const KnnOptions& options,
                    std::span<const std::int64_t> skip, int jobs) {
  check(options);
  return share_out(greatest_of_rows(cosines, options.neighbours, skip, jobs), options);
}

Matrix sum_votes(const Sparse& votes, const SparseView& targets) {
  const Sparse sums = multiply(votes.view(), targets);
  Matrix result = Matrix::Zero(votes.rows(), targets.columns);
  for (std::int64_t row = 0; row < sums.rows(); ++row) {
    const auto columns = sums.view().row_indices(row);
    const auto values = sums.view().row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i) result(row, columns[i]) = values[i];
  }
  return result;
}

Sparse ones_above_zero(const SparseView& values) {
  Sparse result;
  result.columns = values.columns;
  for (std::int64_t row = 0; row < values.rows; ++row) result.push_row(values, row);
  for (float& value : result.values) value = value > 0 ? 1.0F : 0.0F;
  return result;
}

Matrix knn_labels(const Eigen::Ref<const Matrix>& rows, const Eigen::Ref<const Matrix>& labelled,
                  const Eigen::Ref<const MatrixD>& labels, const KnnOptions& options, int jobs) {
  check(options);
  check_dense_rows(rows);
  check_dense_rows(labelled);
  check_labels(labels, labelled.rows());
  require(rows.cols() == labelled.cols(), "the rows have ", rows.cols(),
          " features, the labelled ones ", labelled.cols(), "; give the same of both");
  const Matrix asked = unit_rows(rows, jobs);
  const Matrix known = unit_rows(labelled, jobs);
  if ((labels.array() != 0).all())
    return mean_labels(knn_votes(asked, known, options, {}, jobs), labels, jobs);
  Matrix result = Matrix::Zero(rows.rows(), labels.cols());
  for (Eigen::Index which = 0; which < labels.cols(); ++which) {
    std::vector<Eigen::Index> voters;
    for (Eigen::Index row = 0; row < labels.rows(); ++row)
      if (labels(row, which) != 0) voters.push_back(row);
    if (voters.empty()) continue;
    const Matrix their = known(voters, Eigen::all);
    result.col(which) = mean_labels(knn_votes(asked, their, options, {}, jobs),
                                    labels(voters, std::vector{which}), jobs);
  }
  return result;
}

}  // namespace commonplace

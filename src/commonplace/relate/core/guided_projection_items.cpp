#include "commonplace/relate/core/guided_projection_items.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/learn/row_means.h"
#include "commonplace/learn/row_sample.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::relate {
namespace {

/// Dense features become doubles so many rows at a time.
constexpr std::int64_t kItemRows = 512;
/// Sums over items are of so many parts, whatever the number of threads.
constexpr std::int64_t kItemParts = 16;

void check_sparse(const SparseView& rows, std::size_t number) {
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const auto columns = rows.row_indices(row);
    const auto values = rows.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      require(
          columns[i] >= 0 && columns[i] < rows.columns && (i == 0 || columns[i] > columns[i - 1]),
          "row ", row + 1, " of kind ", number, " has column ", columns[i],
          "; expected ascending ones of 0 .. ", rows.columns - 1);
      require(std::isfinite(values[i]), "row ", row + 1, " of kind ", number,
              " has a feature that is not a finite number; expected only finite ones");
    }
  }
}

void check_dense(const MatrixView& rows, std::size_t number) {
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    require(rows.row(row).allFinite(), "row ", row + 1, " of kind ", number,
            " has a feature that is not a finite number; expected only finite ones");
}

/// meanᵀ p, taken from every row of `result`.
void centre(const GuidedItems& modality, const MatrixD& p, MatrixD& result) {
  if (modality.mean.size() == 0) return;
  const Eigen::RowVectorXd shift = modality.mean.transpose() * p;
  result.rowwise() -= shift;
}

void centre_back(const GuidedItems& modality, const MatrixD& g, MatrixD& result) {
  if (modality.mean.size() == 0) return;
  const Eigen::RowVectorXd sums = g.colwise().sum();
  result -= modality.mean * sums;
}

/// Xᵀ g for dense features, in a fixed number of parts.
MatrixD dense_back(const MatrixView& rows, const MatrixD& g, int jobs) {
  const std::int64_t blocks = (rows.rows() + kItemRows - 1) / kItemRows;
  const std::int64_t parts = std::clamp<std::int64_t>(blocks, 1, kItemParts);
  std::vector<MatrixD> sums(static_cast<std::size_t>(parts), MatrixD::Zero(g.cols(), rows.cols()));
  parallel_for(
      sums.size(), jobs,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t part = begin; part < end; ++part)
          for (auto b = static_cast<std::int64_t>(part); b < blocks; b += parts) {
            const std::int64_t first = b * kItemRows;
            const std::int64_t count = std::min(kItemRows, rows.rows() - first);
            sums[part] += multiply(MatrixD(g.middleRows(first, count).transpose()),
                                   MatrixD(rows.middleRows(first, count).cast<double>()), 1);
          }
      },
      1);
  for (std::size_t part = 1; part < sums.size(); ++part) sums[0] += sums[part];
  return sums[0].transpose();
}

}  // namespace

SparseView GuidedItems::sparse_rows() const {
  const SparseView& rows = features->sparse();
  const auto first = rows.starts.empty() ? 0 : static_cast<std::size_t>(rows.starts[0]);
  const auto count = starts.empty() ? 0 : static_cast<std::size_t>(starts.back());
  return {items, columns, starts, rows.indices.subspan(first, count),
          rows.values.subspan(first, count)};
}

SparseView rebased(const SparseView& rows, std::vector<std::int64_t>& starts) {
  starts.assign(static_cast<std::size_t>(rows.rows) + 1, 0);
  if (rows.starts.empty()) return {rows.rows, rows.columns, starts, {}, {}};
  const std::int64_t first = rows.starts[0];
  for (std::size_t i = 0; i < starts.size(); ++i) starts[i] = rows.starts[i] - first;
  return {rows.rows, rows.columns, starts,
          rows.indices.subspan(static_cast<std::size_t>(first),
                               static_cast<std::size_t>(starts.back())),
          rows.values.subspan(static_cast<std::size_t>(first),
                              static_cast<std::size_t>(starts.back()))};
}

GuidedItems guided_items(const GuidedModality& modality, std::size_t number, Comm& comm) {
  GuidedItems result;
  result.features = modality.features;
  result.items = modality.items;
  require(modality.items >= 0, "kind ", number, " has ", modality.items,
          " items; expected 0 or more");
  require(modality.gamma >= 0 && std::isfinite(modality.gamma), "gamma of kind ", number, " is ",
          modality.gamma, "; expected 0 or more");
  const GlobalRows rows = global_rows(modality.items, comm);
  result.first_item = rows.first;
  result.all_items = rows.count;
  require(rows.count > 0, "kind ", number, " has no items; leave it out");
  result.columns = rows.count;
  if (modality.features == nullptr) return result;
  require(modality.features->rows() == modality.items, "kind ", number, " has ", modality.items,
          " items and ", modality.features->rows(), " rows of features; expected as many");
  result.columns = shared_columns(modality.items, modality.features->columns(), comm);
  require(result.columns > 0, "kind ", number,
          " has features without columns; give none at all if its items have no features");
  if (modality.features->is_sparse()) {
    if (modality.items > 0) check_sparse(modality.features->sparse(), number);
    result.numbers =
        static_cast<double>(rebased(modality.features->sparse(), result.starts).nonzeros());
  } else {
    check_dense(modality.features->dense(), number);
    result.numbers = static_cast<double>(modality.items) * static_cast<double>(result.columns);
  }
  result.numbers = comm.sum(result.numbers);
  return result;
}

VectorD weighted_mean(const GuidedItems& modality, const VectorD& weights, const Run& run) {
  GuidedItems plain = modality;
  plain.mean.resize(0);
  MatrixD sums(modality.columns + 1, 1);
  sums.topRows(modality.columns) = project_back(plain, MatrixD(weights), run.jobs);
  sums(modality.columns, 0) = weights.sum();
  run.comm.sum(sums);
  const double total = sums(modality.columns, 0);
  if (!(total > 0)) return VectorD::Zero(modality.columns);
  return sums.topRows(modality.columns) / total;
}

MatrixD project(const GuidedItems& modality, const MatrixD& p, int jobs) {
  MatrixD result(modality.items, p.cols());
  if (modality.items == 0) return result;
  if (modality.identity()) {
    result = p.middleRows(modality.first_item, modality.items);
  } else if (modality.sparse()) {
    result = multiply(modality.sparse_rows(), p, jobs);
  } else {
    const MatrixView& rows = modality.features->dense();
    parallel_for(
        static_cast<std::size_t>(modality.items), jobs,
        [&](std::size_t begin, std::size_t end) {
          const auto first = static_cast<std::int64_t>(begin);
          const auto count = static_cast<std::int64_t>(end - begin);
          result.middleRows(first, count) =
              multiply(MatrixD(rows.middleRows(first, count).cast<double>()), p, 1);
        },
        static_cast<std::size_t>(kItemRows));
  }
  centre(modality, p, result);
  return result;
}

MatrixD project_all(const GuidedItems& modality, const MatrixD& p, const MatrixD& own, Comm& comm) {
  if (modality.identity()) {
    MatrixD result = p;
    centre(modality, p, result);
    return result;
  }
  if (comm.size() == 1) return own;
  MatrixD result = MatrixD::Zero(modality.all_items, p.cols());
  result.middleRows(modality.first_item, modality.items) = own;
  comm.sum(result);
  return result;
}

MatrixD feature_columns(const GuidedItems& modality, std::int64_t first, std::int64_t count) {
  MatrixD result = MatrixD::Zero(modality.items, count);
  if (modality.items == 0) return result;
  if (modality.identity()) {
    for (std::int64_t i = 0; i < modality.items; ++i)
      if (const std::int64_t at = modality.first_item + i - first; at >= 0 && at < count)
        result(i, at) = 1;
  } else if (modality.sparse()) {
    const SparseView rows = modality.sparse_rows();
    for (std::int64_t i = 0; i < modality.items; ++i) {
      const auto columns = rows.row_indices(i);
      auto at = std::lower_bound(columns.begin(), columns.end(), first);
      for (; at != columns.end() && *at < first + count; ++at)
        result(i, *at - first) =
            static_cast<double>(rows.row_values(i)[static_cast<std::size_t>(at - columns.begin())]);
    }
  } else {
    result = modality.features->dense().middleCols(first, count).cast<double>();
  }
  if (modality.mean.size() > 0) result.rowwise() -= modality.mean.segment(first, count).transpose();
  return result;
}

MatrixD project_back(const GuidedItems& modality, const MatrixD& g, int jobs) {
  MatrixD result = MatrixD::Zero(modality.columns, g.cols());
  if (modality.items == 0) return result;
  if (modality.identity())
    result.middleRows(modality.first_item, modality.items) = g;
  else if (modality.sparse())
    result = transposed_multiply(modality.sparse_rows(), g, jobs);
  else
    result = dense_back(modality.features->dense(), g, jobs);
  centre_back(modality, g, result);
  return result;
}

MatrixD project_back_all(const GuidedItems& modality, const MatrixD& g) {
  MatrixD result = g;
  centre_back(modality, g, result);
  return result;
}

VectorD gather_values(const GuidedItems& modality, const VectorD& own, Comm& comm) {
  if (comm.size() == 1) return own;
  VectorD result = VectorD::Zero(modality.all_items);
  result.segment(modality.first_item, modality.items) = own;
  comm.sum(std::span<double>(result.data(), static_cast<std::size_t>(result.size())));
  return result;
}

}  // namespace commonplace::relate

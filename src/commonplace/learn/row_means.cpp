#include "commonplace/learn/row_means.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/top_k.h"

namespace commonplace {
namespace {

constexpr std::int64_t kSlabValues = 1 << 20;

void add_item(const FeatureRows& items, std::int64_t item, double weight, double* sum) {
  if (items.is_sparse()) {
    const auto columns = items.sparse().row_indices(item);
    const auto values = items.sparse().row_values(item);
    for (std::size_t i = 0; i < columns.size(); ++i)
      sum[columns[i]] += weight * static_cast<double>(values[i]);
  } else {
    const auto row = items.dense().row(item);
    for (Eigen::Index column = 0; column < row.size(); ++column)
      sum[column] += weight * static_cast<double>(row(column));
  }
}

/// Appends the `most` greatest entries of `sum`, scaled to length one.
void push_direction(std::span<const double> sum, std::int64_t most, Sparse& into) {
  std::vector<std::int32_t> kept;
  for (std::size_t column = 0; column < sum.size(); ++column)
    if (sum[column] != 0) kept.push_back(static_cast<std::int32_t>(column));
  const auto size = [&](std::int32_t column) {
    return std::abs(sum[static_cast<std::size_t>(column)]);
  };
  keep_first_unordered(kept, most, greater_by(size));
  std::sort(kept.begin(), kept.end());
  double squares = 0;
  for (const std::int32_t column : kept) squares += size(column) * size(column);
  const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
  for (const std::int32_t column : kept)
    into.push(column, static_cast<float>(scale * sum[static_cast<std::size_t>(column)]));
  into.end_row();
}

}  // namespace

StoredRows mean_directions(const FeatureRows& items, const SparseView& groups, std::int64_t most,
                           Comm& comm) {
  require(groups.columns == items.rows(), "groups of ", groups.columns, " items do not fit ",
          items.rows(), " rows of features");
  const std::int64_t width = items.columns();
  StoredRows result;
  result.is_sparse = items.is_sparse();
  result.sparse.columns = width;
  if (!result.is_sparse) result.dense = Matrix::Zero(groups.rows, width);
  const std::int64_t slab =
      std::max<std::int64_t>(1, kSlabValues / std::max<std::int64_t>(width, 1));
  for (std::int64_t begin = 0; begin < groups.rows; begin += slab) {
    const std::int64_t end = std::min(groups.rows, begin + slab);
    MatrixD sums = MatrixD::Zero(end - begin, width);
    for (std::int64_t group = begin; group < end; ++group) {
      const auto members = groups.row_indices(group);
      const auto weights = groups.row_values(group);
      for (std::size_t i = 0; i < members.size(); ++i)
        add_item(items, members[i], static_cast<double>(weights[i]),
                 sums.row(group - begin).data());
    }
    comm.sum(sums);
    for (std::int64_t group = begin; group < end; ++group) {
      const auto sum = sums.row(group - begin);
      if (result.is_sparse) {
        push_direction({sum.data(), static_cast<std::size_t>(width)}, most, result.sparse);
      } else if (const double norm = sum.norm(); norm > 0) {
        result.dense.row(group) = (sum / norm).cast<float>();
      }
    }
  }
  return result;
}

GlobalRows global_rows(std::int64_t own, Comm& comm) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(comm.size()));
  counts[static_cast<std::size_t>(comm.rank())] = own;
  comm.sum(std::span(counts));
  return {std::accumulate(counts.begin(), counts.begin() + comm.rank(), std::int64_t{0}),
          std::accumulate(counts.begin(), counts.end(), std::int64_t{0})};
}

}  // namespace commonplace

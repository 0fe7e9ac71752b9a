#include "commonplace/learn/sparse_neighbour_graph.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/math/nearest_rows.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace {
namespace {

/// Neighbours by products in float that are looked at besides those asked for.
constexpr std::int64_t kSpare = 8;

void check_rows(const SparseView& rows) {
  require(rows.rows >= 2, "a graph of ", rows.rows, " item has no neighbours; give 2 or more");
  for (std::int64_t row = 0; row < rows.rows; ++row)
    for (const float value : rows.row_values(row))
      require(std::isfinite(value), "row ", row,
              " has a feature that is not a finite number; expected only finite ones");
}

Sparse unit_rows(const SparseView& rows, int jobs) {
  Sparse result;
  result.columns = rows.columns;
  for (std::int64_t row = 0; row < rows.rows; ++row) result.push_row(rows, row);
  normalise_rows(result, jobs);
  return result;
}

/// Added up over the columns of either row, ascending, as it is over all columns of dense rows.
double squared_distance(const SparseView& rows, std::int64_t i, std::int64_t j) {
  const auto left = rows.row_indices(i);
  const auto right = rows.row_indices(j);
  const auto left_values = rows.row_values(i);
  const auto right_values = rows.row_values(j);
  double sum = 0;
  for (std::size_t l = 0, r = 0; l < left.size() || r < right.size();) {
    const bool take_left = r == right.size() || (l < left.size() && left[l] <= right[r]);
    const bool take_right = l == left.size() || (r < right.size() && right[r] <= left[l]);
    double difference = 0;
    if (take_left) difference += static_cast<double>(left_values[l++]);
    if (take_right) difference -= static_cast<double>(right_values[r++]);
    sum += difference * difference;
  }
  return sum;
}

/// For each row the nearest of those that `found` lists, nearest first.
std::vector<std::vector<Neighbour>> in_order(const SparseView& rows, const SparseView& found,
                                             std::int64_t count, int jobs) {
  std::vector<std::vector<Neighbour>> result(static_cast<std::size_t>(rows.rows));
  parallel_for(result.size(), jobs, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      auto& own = result[row];
      for (const std::int32_t other : found.row_indices(static_cast<std::int64_t>(row)))
        own.push_back({other, squared_distance(rows, static_cast<std::int64_t>(row), other)});
      std::sort(own.begin(), own.end(), is_nearer);
      if (std::ssize(own) > count) own.resize(static_cast<std::size_t>(count));
    }
  });
  return result;
}

}  // namespace

NeighbourGraph neighbour_graph(const SparseView& rows, const NeighbourGraphOptions& options,
                               int jobs) {
  check_graph_options(options);
  require(options.metric == "cosine", "metric is '", options.metric,
          "'; expected cosine, the only one for sparse rows");
  check_rows(rows);
  const Sparse unit = unit_rows(rows, jobs);
  const std::int64_t count = std::min(options.neighbours, rows.rows - 1);
  std::vector<std::int64_t> own(static_cast<std::size_t>(rows.rows));
  std::iota(own.begin(), own.end(), 0);
  const Sparse found = nearest_rows(unit.view(), unit.view(), count + kSpare, own, jobs);
  return tie_neighbours(in_order(unit.view(), found.view(), count, jobs), options.bandwidth);
}

}  // namespace commonplace

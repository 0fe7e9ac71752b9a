#include "commonplace/relate/rivals/locality_projection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/learn/neighbour_graph.h"
#include "commonplace/math/nearest_rows.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::relate {
namespace {

void check(const LocalityProjectionOptions& options) {
  require(options.neighbours >= 1, "neighbours is ", options.neighbours, "; expected 1 or more");
  require(options.across > 0 && std::isfinite(options.across), "across is ", options.across,
          "; expected more than 0");
  require(options.ridge >= 0 && std::isfinite(options.ridge), "ridge is ", options.ridge,
          "; expected 0 or more");
}

/// Of each pair of items the greater of the weights in either direction.
Sparse greater_of_both(const SparseView& a) {
  const Sparse turned = transpose(a);
  const SparseView b = turned.view();
  constexpr std::int32_t end = std::numeric_limits<std::int32_t>::max();
  Sparse result;
  result.columns = a.columns;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const auto left = a.row_indices(row);
    const auto right = b.row_indices(row);
    for (std::size_t i = 0, j = 0; i < left.size() || j < right.size();) {
      const std::int32_t from_left = i < left.size() ? left[i] : end;
      const std::int32_t from_right = j < right.size() ? right[j] : end;
      float value = 0;
      if (from_left <= from_right) value = std::max(value, a.row_values(row)[i++]);
      if (from_right <= from_left) value = std::max(value, b.row_values(row)[j++]);
      result.push(std::min(from_left, from_right), value);
    }
    result.end_row();
  }
  return result;
}

Sparse cosine_graph(const SparseView& rows, const LocalityProjectionOptions& options, int jobs) {
  Sparse unit;
  unit.columns = rows.columns;
  for (std::int64_t row = 0; row < rows.rows; ++row) unit.push_row(rows, row);
  for (const float value : unit.values)
    require(std::isfinite(value), "a feature is ", value, "; expected a finite number");
  normalise_rows(unit, jobs);
  std::vector<std::int64_t> self(static_cast<std::size_t>(rows.rows));
  std::iota(self.begin(), self.end(), 0);
  return greater_of_both(
      nearest_rows(unit.view(), unit.view(), options.neighbours, self, jobs).view());
}

/// The links of a graph, each once: the upper triangle and half of the diagonal.
struct Half {
  Sparse links;      ///< at most 1
  double scale = 1;  ///< times which they are what they were
};

Half half_of(const SparseView& graph) {
  Half result;
  result.links.columns = graph.columns;
  float most = 0;
  for (std::int64_t row = 0; row < graph.rows; ++row) {
    const auto columns = graph.row_indices(row);
    const auto values = graph.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i] >= row && values[i] > 0)
        result.links.push(columns[i], columns[i] == row ? values[i] / 2 : values[i]);
    result.links.end_row();
  }
  for (const float value : result.links.values) most = std::max(most, value);
  if (most > 1) {
    for (float& value : result.links.values) value /= most;
    result.scale = static_cast<double>(most);
  }
  return result;
}

GuidedProjectionOptions guided(const LocalityProjectionOptions& options) {
  GuidedProjectionOptions result;
  result.dim = options.dim;
  result.constraint = "signed";
  result.balanced = false;
  result.centre = options.centre;
  return result;
}

Sparse links_of(std::span<const ItemPair> pairs, std::int64_t first, std::int64_t second) {
  for (const auto& [i, j] : pairs)
    require(i >= 0 && i < first && j >= 0 && j < second, "a pair is of item ", i, " and item ", j,
            "; there are ", first, " and ", second, " items, counted from 0");
  std::vector<ItemPair> sorted(pairs.begin(), pairs.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  Sparse result;
  result.columns = second;
  auto next = sorted.begin();
  for (std::int64_t row = 0; row < first; ++row) {
    for (; next != sorted.end() && next->first == row; ++next)
      result.push(static_cast<std::int32_t>(next->second), 1);
    result.end_row();
  }
  return result;
}

}  // namespace

Sparse locality_graph(const FeatureRows& rows, const LocalityProjectionOptions& options, int jobs) {
  check(options);
  if (rows.is_sparse()) return cosine_graph(rows.sparse(), options, jobs);
  NeighbourGraphOptions graph;
  graph.neighbours = options.neighbours;
  graph.metric = options.metric;
  return neighbour_graph(rows.dense(), graph, jobs).weights;
}

GuidedProjectionFit fit_locality_projection(const FeatureRows& rows,
                                            const LocalityProjectionOptions& options, int jobs) {
  return fit_locality_projection(rows, locality_graph(rows, options, jobs).view(), options, jobs);
}

GuidedProjectionFit fit_locality_projection(const FeatureRows& rows, const SparseView& graph,
                                            const LocalityProjectionOptions& options, int jobs) {
  check(options);
  require(graph.rows == rows.rows(), "a graph of ", graph.rows, " items does not fit ", rows.rows(),
          " rows; give one for each");
  const NormalisedGraph checked(graph);
  const Half half = half_of(graph);
  const GuidedModality modalities[] = {{&rows, rows.rows(), options.ridge}};
  const Guidance guidance[] = {{0, 0, half.links.view(), half.scale}};
  return fit_guided_projection(modalities, guidance, guided(options), {.jobs = jobs});
}

GuidedProjectionFit fit_paired_locality_projection(const FeatureRows& first,
                                                   const FeatureRows& second,
                                                   std::span<const ItemPair> pairs,
                                                   const LocalityProjectionOptions& options,
                                                   int jobs) {
  check(options);
  const Sparse across = links_of(pairs, first.rows(), second.rows());
  const Half one = half_of(locality_graph(first, options, jobs).view());
  const Half other = half_of(locality_graph(second, options, jobs).view());
  const GuidedModality modalities[] = {{&first, first.rows(), options.ridge},
                                       {&second, second.rows(), options.ridge}};
  const Guidance guidance[] = {{0, 0, one.links.view(), one.scale},
                               {1, 1, other.links.view(), other.scale},
                               {0, 1, across.view(), options.across}};
  return fit_guided_projection(modalities, guidance, guided(options), {.jobs = jobs});
}

}  // namespace commonplace::relate

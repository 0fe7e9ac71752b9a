#include "commonplace/transfer/core/bridge_graph.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "commonplace/base/top_k.h"
#include "commonplace/math/nearest_rows.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::transfer {
namespace {

/// The least weight of a tie, as in neighbour_graph.h.
constexpr double kLeastWeight = 1e-12;

struct Neighbour {
  std::int32_t item;
  float cosine;
};

bool is_nearer(const Neighbour& a, const Neighbour& b) {
  return a.cosine != b.cosine ? a.cosine > b.cosine : a.item < b.item;
}

/// The nearest of each item, as a matrix of cosines: `count` of all members together, or of each.
Sparse nearest_items(const Union& whole, const PairNeighbours& pairs, std::int64_t count,
                     bool of_each) {
  Sparse result;
  result.columns = whole.first.back();
  std::vector<Neighbour> near;
  for (std::size_t from = 0; from < whole.members.size(); ++from)
    for (std::int64_t row = 0; row < whole.first[from + 1] - whole.first[from]; ++row) {
      near.clear();
      for (std::size_t to = 0; to < whole.members.size(); ++to) {
        const SparseView found = pairs.of(whole.members[from], whole.members[to]).view();
        const auto items = found.row_indices(row);
        const auto cosines = found.row_values(row);
        for (std::size_t i = 0; i < items.size(); ++i)
          near.push_back({whole.first[to] + items[i], cosines[i]});
      }
      if (!of_each) {
        keep_first_unordered(near, count, is_nearer);
        std::sort(near.begin(), near.end(),
                  [](const Neighbour& a, const Neighbour& b) { return a.item < b.item; });
      }
      for (const Neighbour& one : near) result.push(one.item, one.cosine);
      result.end_row();
    }
  return result;
}

double squared_distance(float cosine) { return std::max(0.0, 2 - 2 * static_cast<double>(cosine)); }

/// The mean distance of an item from the farthest of its nearest.
double usual_distance(const SparseView& nearest) {
  double sum = 0;
  std::int64_t items = 0;
  for (std::int64_t row = 0; row < nearest.rows; ++row) {
    const auto cosines = nearest.row_values(row);
    if (cosines.empty()) continue;
    sum += std::sqrt(squared_distance(*std::min_element(cosines.begin(), cosines.end())));
    ++items;
  }
  return sum > 0 ? sum / static_cast<double>(items) : 1;
}

/// Ties items if either is among the nearest of the other.
Sparse tie(const SparseView& nearest, double bandwidth) {
  const double h = bandwidth > 0 ? bandwidth : usual_distance(nearest);
  const auto weight = [&](float cosine) {
    const double found = std::exp(-squared_distance(cosine) / (2 * h * h));
    return static_cast<float>(std::max(found, kLeastWeight));
  };
  Sparse weights = copy(nearest);
  for (float& value : weights.values) value = weight(value);
  const Sparse back = transpose(weights.view());
  Sparse result;
  result.columns = nearest.columns;
  for (std::int64_t row = 0; row < nearest.rows; ++row) {
    const auto items = weights.view().row_indices(row);
    const auto others = back.view().row_indices(row);
    const auto values = weights.view().row_values(row);
    const auto other_values = back.view().row_values(row);
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < items.size() || j < others.size()) {
      const bool own = j == others.size() || (i < items.size() && items[i] <= others[j]);
      const bool both = own && j < others.size() && items[i] == others[j];
      const float value = !own   ? other_values[j]
                          : both ? std::max(values[i], other_values[j])
                                 : values[i];
      result.push(own ? items[i] : others[j], value);
      if (own) ++i;
      if (!own || both) ++j;
    }
    result.end_row();
  }
  return result;
}

}  // namespace

PairNeighbours::PairNeighbours(const std::vector<LabelledCollection>& collections,
                               const BridgeTrialOptions& options, const Run& run)
    : collections_(collections.size()) {
  std::uint64_t done = 0;
  for (const LabelledCollection& from : collections)
    for (const LabelledCollection& to : collections) {
      run.progress({"finding neighbours", done++, collections_ * collections_, "pairs"});
      std::vector<std::int64_t> itself;
      if (&from == &to) {
        itself.resize(from.labels.size());
        std::iota(itself.begin(), itself.end(), std::int64_t{0});
      }
      found_.push_back(
          nearest_rows(from.rows.view(), to.rows.view(), options.neighbours, itself, run.jobs));
    }
}

Union unite(const std::vector<LabelledCollection>& collections, std::vector<std::size_t> members) {
  Union result{std::move(members), {0}};
  for (const std::size_t member : result.members)
    result.first.push_back(result.first.back() +
                           static_cast<std::int32_t>(collections[member].labels.size()));
  return result;
}

Sparse union_graph(const Union& whole, const PairNeighbours& pairs,
                   const BridgeTrialOptions& options) {
  const Sparse nearest = nearest_items(whole, pairs, options.neighbours, options.among == "each");
  return tie(nearest.view(), options.bandwidth);
}

}  // namespace commonplace::transfer

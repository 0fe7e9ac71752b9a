#include "commonplace/suggest/core/tag_prototypes.h"

#include <algorithm>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/learn/row_means.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::suggest {
namespace {

/// Items that are compared with the centres at a time.
constexpr std::int64_t kAssignBlock = 1024;

/// The items of the tags that most items have, as groups; of equals the first.
Sparse commonest_tags(const SparseView& tags, std::int64_t most, Comm& comm) {
  Sparse positive;
  positive.columns = tags.columns;
  std::vector<std::int64_t> uses(static_cast<std::size_t>(tags.columns));
  for (std::int64_t row = 0; row < tags.rows; ++row) {
    const auto columns = tags.row_indices(row);
    const auto values = tags.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (values[i] > 0) {
        positive.push(columns[i], 1);
        ++uses[static_cast<std::size_t>(columns[i])];
      }
    positive.end_row();
  }
  comm.sum(std::span(uses));
  std::vector<std::int32_t> order(uses.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return uses[static_cast<std::size_t>(a)] > uses[static_cast<std::size_t>(b)];
  });
  while (!order.empty() && uses[static_cast<std::size_t>(order.back())] == 0) order.pop_back();
  if (std::ssize(order) > most) order.resize(static_cast<std::size_t>(most));
  const Sparse items_of = transpose(positive.view());
  Sparse groups;
  groups.columns = tags.rows;
  for (const std::int32_t tag : order) groups.push_row(items_of.view(), tag);
  return groups;
}

/// Groups of one item each, drawn anew for every `round`; `of` says which groups are wanted, and
/// the others are empty.
Sparse drawn_items(const GlobalRows& rows, std::int64_t own, std::int64_t groups,
                   std::uint64_t seed, std::uint64_t round, const std::vector<std::uint8_t>& of) {
  Sparse result;
  result.columns = own;
  // Without replacement at first: a permutation's beginning.
  std::vector<std::int64_t> order;
  if (round == 0) {
    order.resize(static_cast<std::size_t>(rows.count));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    Rng rng(seed, 0x70726f746fULL);
    for (std::int64_t i = 0; i < groups; ++i)
      std::swap(order[static_cast<std::size_t>(i)],
                order[static_cast<std::size_t>(i) +
                      rng.below(static_cast<std::uint64_t>(rows.count - i))]);
  }
  for (std::int64_t group = 0; group < groups; ++group) {
    if (of[static_cast<std::size_t>(group)]) {
      const std::int64_t row =
          round == 0 ? order[static_cast<std::size_t>(group)]
                     : static_cast<std::int64_t>(
                           random_uniform(seed + round, static_cast<std::uint64_t>(group), 0) *
                           static_cast<double>(rows.count));
      if (row >= rows.first && row < rows.first + own)
        result.push(static_cast<std::int32_t>(row - rows.first), 1);
    }
    result.end_row();
  }
  return result;
}

/// The centre of the greatest product for each item; of equals the first.
std::vector<std::int32_t> nearest_centres(const FeatureRows& items, const FeatureRows& centres,
                                          int jobs) {
  std::vector<std::int32_t> nearest(static_cast<std::size_t>(items.rows()));
  for (std::int64_t begin = 0; begin < items.rows(); begin += kAssignBlock) {
    const std::int64_t count = std::min(kAssignBlock, items.rows() - begin);
    const Matrix scores = products(slice(items, begin, count), centres, jobs);
    for (std::int64_t i = 0; i < count; ++i) {
      Eigen::Index best = 0;
      scores.row(i).maxCoeff(&best);
      nearest[static_cast<std::size_t>(begin + i)] = static_cast<std::int32_t>(best);
    }
  }
  return nearest;
}

/// The items of each centre as a group, and which groups are empty on all ranks.
struct Assigned {
  Sparse groups;
  std::vector<std::uint8_t> empty;
};
Assigned assign(const FeatureRows& items, const FeatureRows& centres, const Run& run) {
  const std::vector<std::int32_t> nearest = nearest_centres(items, centres, run.jobs);
  Sparse by_item;
  by_item.columns = centres.rows();
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(centres.rows()));
  for (const std::int32_t centre : nearest) {
    by_item.push(centre, 1);
    by_item.end_row();
    ++sizes[static_cast<std::size_t>(centre)];
  }
  run.comm.sum(std::span(sizes));
  Assigned result;
  result.groups = transpose(by_item.view());
  for (const std::int64_t size : sizes) result.empty.push_back(size == 0);
  return result;
}

StoredRows append(StoredRows a, const StoredRows& b) {
  if (a.is_sparse) {
    for (std::int64_t row = 0; row < b.sparse.rows(); ++row)
      a.sparse.push_row(b.sparse.view(), row);
  } else {
    const Eigen::Index before = a.dense.rows();
    a.dense.conservativeResize(before + b.dense.rows(), b.dense.cols());
    a.dense.bottomRows(b.dense.rows()) = b.dense;
  }
  return a;
}

}  // namespace

StoredRows tag_prototypes(const FeatureRows& items, const SparseView& tags,
                          const TagPrototypeOptions& options, const Run& run) {
  require(tags.rows == items.rows(), "tags of ", tags.rows, " items do not fit ", items.rows(),
          " rows of features");
  require(options.count >= 1, "there must be 1 prototype or more, not ", options.count);
  require(options.most_features >= 1, "a prototype must keep 1 feature or more, not ",
          options.most_features);
  const GlobalRows rows = global_rows(items.rows(), run.comm);
  require(rows.count > 0, "there are no items to make prototypes of");
  const std::int64_t count = std::min(options.count, rows.count);
  StoredRows means = mean_directions(items, commonest_tags(tags, count, run.comm).view(),
                                     options.most_features, run.comm);
  const std::int64_t centres = count - means.view().rows();
  if (centres == 0) return means;

  const std::vector<std::uint8_t> all(static_cast<std::size_t>(centres), 1);
  StoredRows found =
      mean_directions(items, drawn_items(rows, items.rows(), centres, options.seed, 0, all).view(),
                      options.most_features, run.comm);
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    run.progress({"choosing prototypes", static_cast<std::uint64_t>(iteration),
                  static_cast<std::uint64_t>(options.iterations), "rounds"});
    const Assigned assigned = assign(items, found.view(), run);
    const Sparse drawn = drawn_items(rows, items.rows(), centres, options.seed,
                                     static_cast<std::uint64_t>(iteration) + 1, assigned.empty);
    found = mean_directions(items, add(assigned.groups.view(), drawn.view()).view(),
                            options.most_features, run.comm);
  }
  return append(std::move(means), found);
}

}  // namespace commonplace::suggest

#include "commonplace/suggest/core/knn_votes.h"

#include <algorithm>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/top_k.h"
#include "commonplace/math/nearest_rows.h"

namespace commonplace::suggest {
namespace {

constexpr std::int64_t kQueryBlock = 256;

struct Neighbour {
  std::int32_t row;
  float product;
};

/// The best `count` of one row of products, columns ascending.
std::vector<Neighbour> best_of(std::span<const float> products, std::int64_t count,
                               std::int64_t skip) {
  std::vector<Neighbour> found;
  for (std::size_t i = 0; i < products.size(); ++i)
    if (products[i] > 0 && static_cast<std::int64_t>(i) != skip)
      found.push_back({static_cast<std::int32_t>(i), products[i]});
  keep_first_unordered(found, count, [](const Neighbour& a, const Neighbour& b) {
    return a.product != b.product ? a.product > b.product : a.row < b.row;
  });
  std::sort(found.begin(), found.end(),
            [](const Neighbour& a, const Neighbour& b) { return a.row < b.row; });
  return found;
}

Sparse nearest_dense(const FeatureRows& items, const FeatureRows& known, std::int64_t count,
                     std::span<const std::int64_t> skip, int jobs) {
  Sparse result;
  result.columns = known.rows();
  for (std::int64_t begin = 0; begin < items.rows(); begin += kQueryBlock) {
    const std::int64_t rows = std::min(kQueryBlock, items.rows() - begin);
    const Matrix scores = products(slice(items, begin, rows), known, jobs);
    std::vector<std::vector<Neighbour>> found(static_cast<std::size_t>(rows));
    parallel_for(found.size(), jobs, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        found[i] = best_of({scores.row(static_cast<Eigen::Index>(i)).data(),
                            static_cast<std::size_t>(scores.cols())},
                           count, skip.empty() ? -1 : skip[static_cast<std::size_t>(begin) + i]);
    });
    for (const auto& row : found) {
      for (const Neighbour& each : row) result.push(each.row, each.product);
      result.end_row();
    }
  }
  return result;
}

/// Products to shares of the votes, row by row.
void share_out(Sparse& votes) {
  for (std::int64_t row = 0; row < votes.rows(); ++row) {
    const auto begin = static_cast<std::size_t>(votes.starts[static_cast<std::size_t>(row)]);
    const auto end = static_cast<std::size_t>(votes.starts[static_cast<std::size_t>(row) + 1]);
    // In double, in which the square of no float is 0.
    const auto square = [&](std::size_t i) {
      return static_cast<double>(votes.values[i]) * static_cast<double>(votes.values[i]);
    };
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += square(i);
    for (std::size_t i = begin; i < end; ++i) votes.values[i] = static_cast<float>(square(i) / sum);
  }
}

}  // namespace

Sparse knn_votes(const FeatureRows& items, const FeatureRows& known, std::int64_t count,
                 std::span<const std::int64_t> skip, int jobs) {
  require(items.columns() == known.columns(), "items of ", items.columns(),
          " features do not fit known ones of ", known.columns());
  require(items.is_sparse() == known.is_sparse(), "sparse items have no dense neighbours");
  require(count >= 1, "there must be 1 neighbour or more, not ", count);
  require(skip.empty() || std::ssize(skip) == items.rows(), "there are ", skip.size(),
          " known items to skip for ", items.rows(), " items");
  Sparse votes = items.is_sparse() ? nearest_rows(items.sparse(), known.sparse(), count, skip, jobs)
                                   : nearest_dense(items, known, count, skip, jobs);
  share_out(votes);
  return votes;
}

Sparse knn_votes_by_column(const SparseView& items, const SparseView& known_columns,
                           std::int64_t count, std::span<const std::int64_t> skip, int jobs) {
  require(count >= 1, "there must be 1 neighbour or more, not ", count);
  Sparse votes = nearest_rows_by_column(items, known_columns, count, skip, jobs);
  share_out(votes);
  return votes;
}

}  // namespace commonplace::suggest

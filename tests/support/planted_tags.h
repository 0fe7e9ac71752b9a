#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/base/rng.h"

/// Items whose tags follow from their words.
namespace commonplace::test {

struct PlantedTags {
  Sparse words;
  Sparse tags;
  std::vector<std::int32_t> topic;  ///< of each item
};

/// Items of `topics` topics in turn. A topic has ten words, of which an item has about half, and
/// two tags of its own (2 topic, which all its items have, and 2 topic + 1, which half have); an
/// item also has a few of twenty words that mean nothing.
inline PlantedTags planted_tags(std::int64_t items, std::int64_t topics, std::uint64_t seed = 1) {
  constexpr std::int64_t each = 10;
  constexpr std::int64_t common = 20;
  Rng rng(seed);
  PlantedTags result;
  result.words.columns = topics * each + common;
  result.tags.columns = 2 * topics;
  for (std::int64_t item = 0; item < items; ++item) {
    const std::int64_t topic = item % topics;
    result.topic.push_back(static_cast<std::int32_t>(topic));
    for (std::int64_t word = 0; word < result.words.columns; ++word) {
      const double chance = word >= topics * each ? 0.2 : word / each == topic ? 0.5 : 0.01;
      if (rng.uniform() < chance)
        result.words.push(static_cast<std::int32_t>(word), static_cast<float>(1 + rng.below(2)));
    }
    result.words.end_row();
    result.tags.push(static_cast<std::int32_t>(2 * topic), 1);
    if (rng.uniform() < 0.5) result.tags.push(static_cast<std::int32_t>(2 * topic + 1), 1);
    result.tags.end_row();
  }
  return result;
}

/// The share of items whose best tag is that of their topic.
inline double share_right(const Matrix& scores, const PlantedTags& data) {
  double right = 0;
  for (Eigen::Index item = 0; item < scores.rows(); ++item) {
    Eigen::Index best = 0;
    scores.row(item).maxCoeff(&best);
    if (best == 2 * data.topic[static_cast<std::size_t>(item)]) right += 1;
  }
  return right / static_cast<double>(scores.rows());
}

/// A sparse matrix of the rows, each a list of (column, value).
inline Sparse sparse_of(std::int64_t columns,
                        const std::vector<std::vector<std::pair<std::int32_t, float>>>& rows) {
  Sparse result;
  result.columns = columns;
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) result.push(column, value);
    result.end_row();
  }
  return result;
}

/// The rows `first` .. `first + count - 1` as a view into the same arrays.
inline SparseView some_rows(const Sparse& matrix, std::int64_t first, std::int64_t count) {
  const SparseView whole = matrix.view();
  return {
      count, whole.columns,
      whole.starts.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count) + 1),
      whole.indices, whole.values};
}

}  // namespace commonplace::test

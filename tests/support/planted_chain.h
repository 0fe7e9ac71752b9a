#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/base/rng.h"

/// Collections in a chain: neighbours share words, others share nothing.
namespace commonplace::test {

struct PlantedChain {
  std::int64_t collections = 3;
  std::int64_t classes = 2;
  std::int64_t items = 90;   ///< of each collection; item i is of class i % classes
  std::int64_t words = 12;   ///< of each class in each block; a collection has two blocks
  double noise = 0.3;        ///< chance that a word is of any class instead
  std::int64_t length = 14;  ///< words of an item
  std::uint64_t seed = 1;

  std::int64_t features() const { return (collections + 1) * classes * words; }
  std::int32_t label(std::int64_t item) const { return static_cast<std::int32_t>(item % classes); }

  /// Items begin .. end-1 of a collection: counts of the words of its class in blocks `which` and
  /// `which` + 1. The second is the first of the next collection.
  Sparse rows(std::int64_t which, std::int64_t begin, std::int64_t end) const {
    Sparse result;
    result.columns = features();
    for (std::int64_t item = begin; item < end; ++item) {
      Rng rng(seed + 100 * static_cast<std::uint64_t>(which), static_cast<std::uint64_t>(item));
      std::vector<float> counts(static_cast<std::size_t>(features()), 0);
      for (std::int64_t i = 0; i < length; ++i) {
        const auto of = [&](std::int64_t count) {
          return static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(count)));
        };
        const std::int64_t block = which + of(2);
        const std::int64_t of_class = rng.uniform() < noise ? of(classes) : label(item);
        counts[static_cast<std::size_t>((block * classes + of_class) * words + of(words))] += 1;
      }
      for (std::size_t word = 0; word < counts.size(); ++word)
        if (counts[word] > 0) result.push(static_cast<std::int32_t>(word), counts[word]);
      result.end_row();
    }
    return result;
  }
  Sparse rows(std::int64_t which) const { return rows(which, 0, items); }
  std::vector<std::int32_t> labels(std::int64_t begin, std::int64_t end) const {
    std::vector<std::int32_t> result;
    for (std::int64_t item = begin; item < end; ++item) result.push_back(label(item));
    return result;
  }
  std::vector<std::int32_t> labels() const { return labels(0, items); }
};

/// The share of items whose greatest entry is at their class.
inline double share_right(const MatrixD& classes, const std::vector<std::int32_t>& labels) {
  std::int64_t right = 0;
  for (Eigen::Index row = 0; row < classes.rows(); ++row) {
    Eigen::Index best = 0;
    classes.row(row).maxCoeff(&best);
    right += best == labels[static_cast<std::size_t>(row)] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(labels.size());
}

}  // namespace commonplace::test

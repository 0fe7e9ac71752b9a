#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/base/rng.h"

namespace commonplace::test {

/// 400 items that group by what they are about (item / 2 % 2), which is not what their labels (item
/// % 2) say: most of their words are of the subject, a share `says` of the label.
inline Sparse opinions(std::uint64_t seed, double says_label = 0.25) {
  constexpr std::int64_t kWords = 40;
  Sparse rows;
  rows.columns = 4 * kWords;
  for (std::int64_t item = 0; item < 400; ++item) {
    Rng rng(seed, static_cast<std::uint64_t>(item));
    std::map<std::int32_t, float> counts;
    for (int i = 0; i < 20; ++i) {
      const bool says = rng.uniform() < says_label;
      const std::int64_t block = says ? 2 + item % 2 : item / 2 % 2;
      counts[static_cast<std::int32_t>(block * kWords +
                                       static_cast<std::int64_t>(rng.below(kWords)))] += 1;
    }
    for (const auto& [word, count] : counts) rows.push(word, count);
    rows.end_row();
  }
  return rows;
}
inline std::vector<std::int32_t> labels_of_opinions() {
  std::vector<std::int32_t> labels;
  for (std::int32_t item = 0; item < 400; ++item) labels.push_back(item % 2);
  return labels;
}

}  // namespace commonplace::test

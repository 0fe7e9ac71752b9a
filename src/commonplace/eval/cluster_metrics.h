#pragma once

#include <cstdint>
#include <span>

namespace commonplace {

/// How the two groupings of the same items place the n (n - 1) / 2 pairs of items.
struct PairCounts {
  double together = 0;       ///< in one group in both
  double only_in_first = 0;  ///< in one group in the first grouping alone
  double only_in_second = 0;
  double apart = 0;  ///< in different groups in both
};

/// `first[i]` and `second[i]` are the groups of item i; the numbers themselves mean nothing.
/// O(n log n). Error if the lengths differ.
PairCounts count_pairs(std::span<const std::int32_t> first, std::span<const std::int32_t> second);

/// The share of pairs on which the groupings agree; 1 for fewer than two items.
double rand_index(std::span<const std::int32_t> first, std::span<const std::int32_t> second);

/// The Rand index corrected for chance (Hubert and Arabie 1985): 1 for equal groupings, about 0 for
/// independent ones, at least -0.5. 1 for fewer than two items.
double adjusted_rand_index(std::span<const std::int32_t> first,
                           std::span<const std::int32_t> second);

}  // namespace commonplace

#include "commonplace/eval/cluster_metrics.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

/// The pairs within runs of equal values.
template <class Value>
double pairs_within(const std::vector<Value>& sorted) {
  double pairs = 0;
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::upper_bound(begin, sorted.end(), *begin);
    const auto size = static_cast<double>(end - begin);
    pairs += size * (size - 1) / 2;
    begin = end;
  }
  return pairs;
}

double pairs_within(std::span<const std::int32_t> groups) {
  std::vector<std::int32_t> sorted(groups.begin(), groups.end());
  std::sort(sorted.begin(), sorted.end());
  return pairs_within(sorted);
}

}  // namespace

PairCounts count_pairs(std::span<const std::int32_t> first, std::span<const std::int32_t> second) {
  require(first.size() == second.size(), "one grouping has ", first.size(), " items and the other ",
          second.size(), "; both must be of the same items");
  // Sorted, the cells of the contingency table are runs; empty cells cost nothing.
  std::vector<std::pair<std::int32_t, std::int32_t>> cells;
  cells.reserve(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) cells.emplace_back(first[i], second[i]);
  std::sort(cells.begin(), cells.end());

  const auto count = static_cast<double>(first.size());
  PairCounts pairs;
  pairs.together = pairs_within(cells);
  pairs.only_in_first = pairs_within(first) - pairs.together;
  pairs.only_in_second = pairs_within(second) - pairs.together;
  pairs.apart =
      count * (count - 1) / 2 - pairs.together - pairs.only_in_first - pairs.only_in_second;
  return pairs;
}

double rand_index(std::span<const std::int32_t> first, std::span<const std::int32_t> second) {
  const PairCounts pairs = count_pairs(first, second);
  const double agree = pairs.together + pairs.apart;
  const double all = agree + pairs.only_in_first + pairs.only_in_second;
  return all == 0 ? 1 : agree / all;
}

double adjusted_rand_index(std::span<const std::int32_t> first,
                           std::span<const std::int32_t> second) {
  const auto [together, only_in_first, only_in_second, apart] = count_pairs(first, second);
  // Also where both are one group, or both all singles, and chance explains everything.
  if (only_in_first == 0 && only_in_second == 0) return 1;
  return 2 * (together * apart - only_in_first * only_in_second) /
         ((together + only_in_first) * (only_in_first + apart) +
          (together + only_in_second) * (only_in_second + apart));
}

}  // namespace commonplace

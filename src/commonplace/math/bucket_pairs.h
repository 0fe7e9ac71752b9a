#pragma once

#include <cstdint>
#include <vector>

namespace commonplace {

/// A row under a key.
struct Keyed {
  std::uint64_t key = 0;
  std::uint32_t row = 0;
};

/// A pair of rows, the lower first.
struct RowPair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  auto operator<=>(const RowPair&) const = default;
};

/// Appends the pairs of rows that have a key in common, for each such key once. Of a key that more
/// than `most` rows have, only each with the next few, so that the pairs grow as the entries do and
/// rows that are all alike still hang together. O(n log n). Changes the order of `entries`.
void add_bucket_pairs(std::vector<Keyed>& entries, std::size_t most, std::vector<RowPair>& pairs);

/// Sorts pairs and leaves one of each that is there at least `times` times.
void keep_repeated(std::vector<RowPair>& pairs, std::size_t times);

}  // namespace commonplace

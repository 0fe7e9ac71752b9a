#include "commonplace/math/bucket_pairs.h"

#include <algorithm>
#include <tuple>

namespace commonplace {
namespace {

/// Of a crowded key each row is paired with so many that follow.
constexpr std::size_t kNext = 3;

}  // namespace

void add_bucket_pairs(std::vector<Keyed>& entries, std::size_t most, std::vector<RowPair>& pairs) {
  const auto same = [](const Keyed& a, const Keyed& b) { return a.key == b.key && a.row == b.row; };
  std::sort(entries.begin(), entries.end(), [](const Keyed& a, const Keyed& b) {
    return std::tie(a.key, a.row) < std::tie(b.key, b.row);
  });
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin + 1;
    while (end < entries.size() && entries[end].key == entries[begin].key) ++end;
    const std::size_t reach = end - begin > most ? kNext : end - begin;
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = i + 1; j < std::min(end, i + 1 + reach); ++j)
        pairs.push_back({entries[i].row, entries[j].row});
    begin = end;
  }
}

void keep_repeated(std::vector<RowPair>& pairs, std::size_t times) {
  std::sort(pairs.begin(), pairs.end());
  auto kept = pairs.begin();
  for (auto begin = pairs.begin(); begin != pairs.end();) {
    const RowPair pair = *begin;
    const auto end =
        std::find_if(begin, pairs.end(), [&](const RowPair& each) { return each != pair; });
    if (static_cast<std::size_t>(end - begin) >= times) *kept++ = pair;
    begin = end;
  }
  pairs.erase(kept, pairs.end());
}

}  // namespace commonplace

#include "commonplace/base/edit_distance.h"

#include <algorithm>

#include "commonplace/base/characters.h"

namespace commonplace {

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> result;
  visit_characters(text, [&](UChar32, std::string_view bytes) { result.push_back(bytes); });
  return result;
}

std::size_t edit_distance(std::string_view first, std::string_view second, std::size_t most) {
  const auto a = characters_of(first);
  const auto b = characters_of(second);
  if (a.size() > b.size() + most || b.size() > a.size() + most) return most + 1;
  std::vector<std::vector<std::size_t>> table(a.size() + 1,
                                              std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t best = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                                   table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = std::min(best, table[i - 2][j - 2] + 1);
      table[i][j] = best;
    }
  return std::min(table[a.size()][b.size()], most + 1);
}

}  // namespace commonplace

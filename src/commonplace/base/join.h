#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace commonplace {

/// The elements of `range`, each through `text_of`, with ", " between them.
template <class Range, class TextOf = std::identity>
std::string join(const Range& range, TextOf text_of = {}) {
  std::string result;
  for (const auto& element : range) {
    if (!result.empty()) result += ", ";
    result += std::invoke(text_of, element);
  }
  return result;
}

/// The parts of a list such as "a,b,c", or with another character between them; empty ones are left
/// out.
inline std::vector<std::string> split(const std::string& list, char between = ',') {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(between, begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace commonplace

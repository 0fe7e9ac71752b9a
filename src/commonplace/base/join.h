#pragma once

#include <functional>
#include <string>

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

}  // namespace commonplace

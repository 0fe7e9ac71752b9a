#pragma once

#include <string>
#include <vector>

#include "commonplace/features/term_counts.h"

namespace commonplace {

using Words = std::vector<std::string>;

inline TextSource source(const Words& texts) {
  return [&texts, next = std::size_t{0}](std::string& text) mutable {
    if (next == texts.size()) return false;
    text = texts[next++];
    return true;
  };
}

inline TagSource source(const std::vector<std::vector<TagCount>>& items) {
  return [&items, next = std::size_t{0}](std::vector<TagCount>& tags) mutable {
    if (next == items.size()) return false;
    tags = items[next++];
    return true;
  };
}

}  // namespace commonplace

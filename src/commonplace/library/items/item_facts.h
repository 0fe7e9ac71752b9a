#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/formats/item.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// What lists of items are narrowed by beside words, tags and times, in the order of the rows.
struct ItemFacts {
  std::vector<std::uint8_t> picture;    ///< it has one
  std::vector<std::uint8_t> link;       ///< it has an address to open
  std::vector<std::uint8_t> automatic;  ///< a machine gave it a tag that nobody decided on
  std::vector<std::optional<Place>> place;
};

/// Text that changes when machines give or take back tags.
std::string machine_state(const Library& library);

/// O(items).
ItemFacts item_facts(const Library& library, const Collection& collection);

}  // namespace commonplace

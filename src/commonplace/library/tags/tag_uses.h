#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// A tag of an item, by its number in the library.
struct NumberedTag {
  std::int64_t tag = 0;
  double count = 1;
};

/// Calls `visit` with the human tags of each item of a collection, decisions heeded, in the order
/// of the rows; items without any are left out. Much faster than reading whole items.
void visit_tags(
    const Library& library, const Collection& collection,
    const std::function<void(std::int64_t row, std::span<const NumberedTag> tags)>& visit);

/// A tag by its number, with the name by which it is shown and the key of that.
struct KnownTag {
  std::int64_t id = 0;
  std::string name;
  std::string key;
};
/// Every tag of the library, used or not, by key.
std::vector<KnownTag> known_tags(const Library& library);

/// The human tags of a collection, decisions heeded, as a matrix.
struct TagMatrix {
  std::vector<std::string> names;  ///< the tags that are used, by their keys
  Sparse counts;                   ///< items x names
};
TagMatrix tag_matrix(const Library& library, const Collection& collection);

/// A tag and how many items of a collection have it.
struct TagUse {
  std::string name;
  std::int64_t items = 0;

  bool operator==(const TagUse&) const = default;
};

/// The tags of a collection, most used first. With `with_parents`, an item counts for every level
/// above its tags too, once.
std::vector<TagUse> tag_uses(const Library& library, const Collection& collection,
                             bool with_parents = false);

}  // namespace commonplace

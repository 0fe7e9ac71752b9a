#pragma once

#include <string>
#include <vector>

#include "commonplace/library/tags/decisions.h"

namespace commonplace {

/// What somebody does to the tags of many items at once.
struct TagChange {
  enum class Kind {
    add,     ///< the items that have not this tag of people get it
    remove,  ///< the items that have this tag, whoever gave it, lose it
    accept,  ///< what machines say, or this tag of theirs, becomes the user's
    reject,  ///< what machines say, or this tag of theirs, is hidden
  };
  Kind kind = Kind::add;
  std::string tag;  ///< empty for all that machines say
};

/// The items of one collection.
struct CollectionItems {
  Collection collection;
  std::vector<std::string> ids;
};

/// The decisions that make the changes: none where they would change nothing, so that what is taken
/// back later is what was done. Items that are not there are left out. Error for a tag of nothing
/// but white space.
std::vector<CollectionDecisions> decisions_for(const Library& library,
                                               const std::vector<CollectionItems>& items,
                                               const std::vector<TagChange>& changes);

}  // namespace commonplace

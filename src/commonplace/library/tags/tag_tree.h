#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/library/library.h"
#include "commonplace/library/tags/vocabulary.h"

namespace commonplace {

/// A tag in the tree of all collections.
struct TagNode : TagEntry {
  std::int64_t items = 0;         ///< that people gave it
  std::int64_t below = 0;         ///< the same with all levels under it, each item once
  std::int64_t machine = 0;       ///< that a machine gave it
  std::vector<std::string> also;  ///< names that mean it now
};
template <class Visit>
void visit_fields(const TagNode& node, Visit&& visit) {
  visit("tag", node.name, "its whole name");
  visit("items", node.items, "that people gave it");
  visit("below", node.below, "the same with all levels under it, each item once");
  visit("machine", node.machine, "that a machine gave it");
  visit("description", node.description, "what it is for");
  visit("colour", node.colour, "#rrggbb, if one was chosen");
  visit("manual", node.manual, "machines never give it");
  visit("hidden", node.hidden, "it is not shown among others");
  visit("also", node.also, "names that mean it now");
}

struct TagTreeOptions {
  std::string under{};  ///< only this tag and what is below it
  bool hidden = false;  ///< hidden ones too
};

/// Text that changes whenever the tree does, but for what machines give.
std::string tag_tree_state(const Library& library);

/// The tags that are used, or of which anything is said, parents before what is below them.
std::vector<TagNode> tag_tree(const Library& library, const TagTreeOptions& options);

}  // namespace commonplace

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commonplace/formats/item.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// What stands in an item's sidecars as a machine's.
struct SidecarMarks {
  std::string item;
  std::vector<ItemTag> tags;
};

/// Remembers for each item what its sidecars mark now, in place of what they did; all or none.
void remember_marks(Library& library, const Collection& collection,
                    const std::vector<SidecarMarks>& marks);

/// The marks of a collection's items that are remembered.
class RememberedMarks {
 public:
  RememberedMarks(const Library& library, const Collection& collection);
  /// Whether the tag stood in a sidecar of the item and no model of the library gives it any more.
  bool is_withdrawn(std::string_view item, std::string_view tag);
  /// When a model of the library gave the item the tag; empty where that is not known.
  std::string run_of(std::string_view item, std::string_view tag, std::string_view model);
  /// How many tags stand in the item's sidecars.
  std::int64_t count(std::string_view item);

 private:
  std::int64_t collection_;
  Statement withdrawn_;
  Statement run_;
  Statement count_;
};

}  // namespace commonplace

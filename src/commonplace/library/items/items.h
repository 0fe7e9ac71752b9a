#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "commonplace/formats/item.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// Which tags an item is shown with. Rejected tags are never shown; accepted ones count as the
/// user's; a machine's tag is not repeated beside a human's.
struct TagView {
  bool machine = false;  ///< machine tags too
  double threshold = 0;  ///< those of at least this score
};

/// Reads the items of a collection in the order of their rows, with bounded memory.
class ItemReader {
 public:
  ItemReader(const Library& library, const Collection& collection, TagView view = {});

  /// The next item in `item`; false at the end.
  bool next(Item& item);
  /// The next item read will be the one of `row`, or the first after it.
  void skip_to(std::int64_t row);
  /// The row of the item last read or found.
  std::int64_t row() const { return row_; }
  /// The item of that id, wherever the reading stands; row() is then its row.
  std::optional<Item> find(std::string_view id);

 private:
  void fill(const Statement& row, Item& item);
  void add_tags(std::int64_t item_id, Item& item);
  const std::string& tag_name_of(std::int64_t tag);

  struct Decided {
    int verdict;
    std::string written;
  };
  TagView view_;
  Statement items_;
  Statement one_;
  Statement human_;
  Statement machine_;
  Statement labels_;
  Statement tag_;
  bool has_labels_;
  bool has_machine_;
  std::unordered_map<std::int64_t, std::string> tag_names_;
  /// item key -> tag -> the verdict in force
  std::unordered_map<std::string, std::unordered_map<std::int64_t, Decided>> decided_;
  std::int64_t collection_id_;
  std::vector<std::int64_t> shown_;  ///< tags of the item at hand
  std::int64_t row_ = -1;
  bool ended_ = false;
};

/// The item of that id; Error if the collection has none.
Item item(const Library& library, const Collection& collection, std::string_view id,
          TagView view = {});

/// The row of the item of that id; Error if the collection has none.
std::int64_t row_of_item(const Library& library, const Collection& collection, std::string_view id);
/// The ids of the items of those rows; empty for a row that there is not.
std::vector<std::string> ids_of_rows(const Library& library, const Collection& collection,
                                     std::span<const std::int64_t> rows);

/// The row of each item, by its id.
std::unordered_map<std::string, std::int64_t> rows_by_id(const Library& library,
                                                         const Collection& collection);
/// The ids of a collection's items, in the order of their rows.
std::vector<std::string> item_ids(const Library& library, const Collection& collection);
/// The times of all items, in the order of their rows; empty where there is none.
std::vector<std::string> item_times(const Library& library, const Collection& collection);

/// Where to find an item's image: the absolute path, or the address it was given with.
std::string image_location(const Collection& collection, const Item& item);

}  // namespace commonplace

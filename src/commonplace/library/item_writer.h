#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/formats/import.h"
#include "commonplace/library/import_items.h"
#include "commonplace/library/library.h"
#include "commonplace/library/tag_table.h"

namespace commonplace {

/// Writes records into a collection, within a transaction of the caller.
class ItemWriter {
 public:
  ItemWriter(Library& library, const Collection& collection);

  /// Adds the record's item, or updates it where something changed. Error, with nothing written,
  /// for an item that cannot be: no id, an id that came before, a latitude of 95. Returns its row.
  std::int64_t put(Item& item);

  std::int64_t added() const { return added_; }
  std::int64_t updated() const { return updated_; }
  std::int64_t unchanged() const { return unchanged_; }
  /// Rows of the collection: those it had and those added.
  std::int64_t rows() const { return static_cast<std::int64_t>(seen_.size()); }
  /// Whether the item of a row was put.
  const std::vector<bool>& seen() const { return seen_; }

 private:
  struct TagRow {
    std::int64_t tag;
    const ItemTag* given;
    std::string written;  ///< empty where it is the tag's own spelling
    double count;
  };
  void find_tags(const Item& item);
  std::int64_t insert(const Item& item, std::int64_t fingerprint);
  void update(std::int64_t id, const Item& item, std::int64_t fingerprint);
  void write_parts(std::int64_t id, const Item& item);
  std::int64_t model_of(const std::string& name);

  Database& database_;
  std::int64_t collection_;
  TagTable tags_;
  Statement find_;
  Statement insert_;
  Statement update_;
  Statement clear_tags_;
  Statement clear_labels_;
  Statement insert_tag_;
  Statement insert_machine_tag_;
  Statement insert_label_;
  std::vector<TagRow> human_;
  std::vector<TagRow> machine_;
  std::vector<bool> seen_;
  std::int64_t added_ = 0;
  std::int64_t updated_ = 0;
  std::int64_t unchanged_ = 0;
};

}  // namespace commonplace

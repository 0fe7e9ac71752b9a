#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "commonplace/formats/import.h"
#include "commonplace/library/items/import_items.h"
#include "commonplace/library/library.h"
#include "commonplace/library/tags/tag_table.h"

namespace commonplace {

/// Where the items that are written come from.
enum class ItemOrigin {
  source,    ///< a file
  pictures,  ///< pictures with sidecars, in which tags of machines may stand
  nowhere,   ///< another program handed them over; no source has them
};

/// Writes records into a collection, within a transaction of the caller. Of pictures, a tag that
/// the library itself put into a sidecar stays the machine's, also where another program has lost
/// the mark; and what a model took back in the library does not come back from a sidecar.
class ItemWriter {
 public:
  ItemWriter(Library& library, const Collection& collection, ItemOrigin origin);

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
    std::int64_t means;  ///< the tag that is shown for it; 0: none
    bool changed;        ///< it is shown otherwise than the source has it
  };
  void find_tags(const Item& item, std::int64_t id);
  std::int64_t insert(const Item& item, std::int64_t fingerprint);
  void update(std::int64_t id, const Item& item, std::int64_t fingerprint);
  void write_parts(std::int64_t id, const Item& item);
  struct Machine {
    std::int64_t model = 0;
    std::int64_t run = 0;
  };
  const Machine& machine_of(const std::string& name);

  Database& database_;
  std::string collection_name_;
  std::map<std::string, Machine, std::less<>> machines_;  ///< by name, with the run that noted them
  std::int64_t collection_;
  ItemOrigin origin_;
  TagTable tags_;
  Statement find_;
  Statement insert_;
  Statement update_;
  Statement clear_tags_;
  Statement clear_labels_;
  Statement clear_source_tags_;
  Statement insert_tag_;
  Statement insert_shown_tag_;
  Statement insert_source_tag_;
  Statement insert_machine_tag_;
  Statement insert_run_tag_;
  Statement insert_label_;
  Statement find_marks_;
  Statement insert_mark_;
  Statement remove_mark_;
  Statement given_;
  Statement has_source_;
  std::vector<std::int64_t> marked_;    ///< tags of the item at hand that stood in its sidecars
  std::vector<std::int64_t> unmarked_;  ///< those of them that do no longer
  std::vector<TagRow> human_;
  std::vector<TagRow> machine_;
  std::vector<bool> seen_;
  std::int64_t added_ = 0;
  std::int64_t updated_ = 0;
  std::int64_t unchanged_ = 0;
};

}  // namespace commonplace

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "commonplace/library/database.h"

namespace commonplace {

/// Finds tags by name and makes those that are missing, parents first. It remembers what it has
/// seen, up to a fixed number, so that a million items cost few queries. Use it within one
/// transaction only.
class TagTable {
 public:
  explicit TagTable(const Database& database);

  struct Entry {
    std::int64_t id = 0;
    std::string written;     ///< the tidy name as written; empty where it is the tag's own spelling
    std::int64_t means = 0;  ///< the tag that the vocabulary shows for it; 0 for none
    bool changed = false;    ///< the vocabulary shows another tag for it, another spelling or none
  };
  /// Nothing (id 0) if no name is left after tidying. Error for a name that tag_name refuses. What
  /// is new below a tag that means another is new below that one.
  const Entry& find_or_make(std::string_view written);

 private:
  /// Lets a tag that was made below one that means another mean what is below that one.
  void move_below(std::int64_t above, const std::string& level, Entry& entry);

  const Database& database_;
  Statement find_;
  Statement insert_;
  Statement name_;
  Statement mean_;
  std::unordered_map<std::string, Entry> seen_;
};

}  // namespace commonplace

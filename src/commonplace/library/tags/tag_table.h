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
    std::string written;  ///< the tidy name as written; empty where it is the tag's own spelling
  };
  /// Nothing (id 0) if no name is left after tidying. Error for a name that tag_name refuses.
  const Entry& find_or_make(std::string_view written);

 private:
  const Database& database_;
  Statement find_;
  Statement insert_;
  std::unordered_map<std::string, Entry> seen_;
};

}  // namespace commonplace

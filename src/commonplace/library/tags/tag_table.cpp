#include "commonplace/library/tags/tag_table.h"

#include "commonplace/formats/tag_name.h"

namespace commonplace {
namespace {

/// About 100 MB of names.
constexpr std::size_t kRemembered = 1 << 20;

}  // namespace

TagTable::TagTable(const Database& database)
    : database_(database),
      find_(database.prepare("SELECT id, name FROM tag WHERE key = ?")),
      insert_(database.prepare("INSERT INTO tag(name, key, parent) VALUES(?, ?, ?)")) {}

const TagTable::Entry& TagTable::find_or_make(std::string_view written) {
  const auto known = seen_.find(std::string(written));
  if (known != seen_.end()) return known->second;

  const std::string name = tag_name(written);
  Entry entry;
  std::optional<std::int64_t> parent;
  for (const std::string& level : name.empty() ? std::vector<std::string>() : tag_path(name)) {
    const std::string key = tag_key(level);
    if (find_.bind(key).step()) {
      entry = {find_.integer(0), find_.text(1) == level ? std::string() : level};
    } else {
      insert_.run(level, key, parent);
      entry = {database_.last_row(), std::string()};
    }
    find_.reset();
    parent = entry.id;
  }
  if (seen_.size() >= kRemembered) seen_.clear();
  return seen_.emplace(std::string(written), std::move(entry)).first->second;
}

}  // namespace commonplace

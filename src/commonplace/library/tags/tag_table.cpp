#include "commonplace/library/tags/tag_table.h"

#include <optional>

#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"

namespace commonplace {
namespace {

/// About 100 MB of names.
constexpr std::size_t kRemembered = 1 << 20;

}  // namespace

TagTable::TagTable(const Database& database)
    : database_(database),
      find_(
          database.prepare("SELECT id, name, CASE WHEN gone THEN 0 ELSE coalesce(means, id) END, "
                           "gone OR means IS NOT NULL OR said IS NOT NULL FROM tag WHERE key = ?")),
      insert_(database.prepare("INSERT INTO tag(name, key, parent) VALUES(?, ?, ?)")),
      name_(database.prepare("SELECT name FROM tag WHERE id = ?")),
      mean_(database.prepare("UPDATE tag SET means = ?, gone = ? WHERE id = ?")) {}

const TagTable::Entry& TagTable::find_or_make(std::string_view written) {
  const auto known = seen_.find(std::string(written));
  if (known != seen_.end()) return known->second;

  const std::string name = tag_name(written);
  Entry entry;
  std::optional<std::int64_t> parent;
  std::int64_t above = 0;  // what the parent means
  for (const std::string& level : name.empty() ? std::vector<std::string>() : tag_path(name)) {
    const std::string key = tag_key(level);
    if (find_.bind(key).step()) {
      entry = {find_.integer(0), find_.text(1) == level ? std::string() : level, find_.integer(2),
               find_.integer(3) != 0};
      find_.reset();
    } else {
      insert_.run(level, key, parent);
      entry = {database_.last_row(), std::string()};
      entry.means = entry.id;
      if (parent && above != *parent) move_below(above, level, entry);
    }
    parent = entry.id;
    above = entry.means;
  }
  if (seen_.size() >= kRemembered) seen_.clear();
  return seen_.emplace(std::string(written), std::move(entry)).first->second;
}

void TagTable::move_below(std::int64_t above, const std::string& level, Entry& entry) {
  entry.changed = true;
  entry.means = 0;
  if (above != 0) {
    name_.bind(above).step();
    const std::string other = concat(name_.text(0), '/', tag_leaf(level));
    name_.reset();
    entry.means = TagTable(database_).find_or_make(other).means;
  }
  mean_.run(entry.means != 0 ? std::optional(entry.means) : std::nullopt, entry.means != 0 ? 0 : 1,
            entry.id);
}

}  // namespace commonplace

#include "commonplace/library/machine/machine_marks.h"

#include "commonplace/formats/tag_name.h"
#include "commonplace/library/tags/tag_table.h"

namespace commonplace {

void remember_marks(Library& library, const Collection& collection,
                    const std::vector<SidecarMarks>& marks) {
  if (marks.empty()) return;
  Transaction transaction(library.database());
  TagTable tags(library.database());
  Statement find =
      library.database().prepare("SELECT id FROM item WHERE collection = ? AND key = ?");
  Statement clear = library.database().prepare("DELETE FROM machine_mark WHERE item = ?");
  Statement insert = library.database().prepare(
      "INSERT OR REPLACE INTO machine_mark(item, tag, model) VALUES(?, ?, ?)");
  for (const SidecarMarks& each : marks) {
    if (!find.bind(collection.id, each.item).step()) continue;  // removed meanwhile
    const std::int64_t item = find.integer(0);
    find.reset();
    clear.run(item);
    for (const ItemTag& tag : each.tags)
      if (const std::int64_t id = tags.find_or_make(tag.name).id; id != 0)
        insert.run(item, id, tag.model);
  }
  transaction.commit();
}

RememberedMarks::RememberedMarks(const Library& library, const Collection& collection)
    : collection_(collection.id),
      withdrawn_(library.database().prepare(
          "SELECT 1 FROM item i JOIN machine_mark m ON m.item = i.id JOIN tag t ON t.id = m.tag "
          "WHERE i.collection = ? AND i.key = ? AND t.key = ? AND NOT EXISTS("
          "SELECT 1 FROM machine_tag g WHERE g.item = m.item AND g.tag = m.tag)")),
      run_(library.database().prepare(
          "SELECT r.time FROM item i JOIN machine_tag g ON g.item = i.id "
          "JOIN tag t ON t.id = g.tag JOIN model m ON m.id = g.model "
          "JOIN run r ON r.id = g.run AND r.command <> 'add' "
          "WHERE i.collection = ? AND i.key = ? AND t.key = ? AND m.name = ?")),
      count_(library.database().prepare(
          "SELECT count(*) FROM item i JOIN machine_mark m ON m.item = i.id "
          "WHERE i.collection = ? AND i.key = ?")) {}

bool RememberedMarks::is_withdrawn(std::string_view item, std::string_view tag) {
  const std::string key = tag_key(tag);
  const bool found = withdrawn_.bind(collection_, item, key).step();
  withdrawn_.reset();
  return found;
}

std::string RememberedMarks::run_of(std::string_view item, std::string_view tag,
                                    std::string_view model) {
  const std::string key = tag_key(tag);
  std::string run;
  if (run_.bind(collection_, item, key, model).step()) run = run_.text(0);
  run_.reset();
  return run;
}

std::int64_t RememberedMarks::count(std::string_view item) {
  count_.bind(collection_, item).step();
  const std::int64_t found = count_.integer(0);
  count_.reset();
  return found;
}

}  // namespace commonplace

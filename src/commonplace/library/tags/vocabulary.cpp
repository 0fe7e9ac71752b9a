#include "commonplace/library/tags/vocabulary.h"

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/json.h"
#include "commonplace/library/identity.h"
#include "commonplace/library/tags/tag_table.h"

namespace commonplace {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestDescription = 10'000;
constexpr std::string_view kEntryColumns = "SELECT name, description, manual, hidden FROM tag ";

TagEntry entry_of(const Statement& row) {
  return {std::string(row.text(0)), std::string(row.text(1)), row.integer(2) != 0,
          row.integer(3) != 0};
}

Json as_json(const TagEntry& entry) {
  return {{"description", entry.description}, {"manual", entry.manual}, {"hidden", entry.hidden}};
}

}  // namespace

std::vector<TagEntry> described_tags(const Library& library) {
  Statement query = library.database().prepare(
      concat(kEntryColumns, "WHERE description <> '' OR manual OR hidden ORDER BY key"));
  std::vector<TagEntry> result;
  while (query.step()) result.push_back(entry_of(query));
  return result;
}

TagEntry tag_entry(const Library& library, std::string_view tag) {
  Statement query = library.database().prepare(concat(kEntryColumns, "WHERE key = ?"));
  const std::string key = tag_key(tag_name(tag));
  require(query.bind(key).step(), "the library has no tag '", tag, "'");
  return entry_of(query);
}

void describe_tag(Library& library, const TagEntry& entry) {
  const std::string name = tag_name(entry.name);
  require(!name.empty(), "'", entry.name, "' is not a tag: nothing but white space");
  TagEntry after = entry;
  require(invalid_utf8(after.description) == std::string_view::npos, "the description of '", name,
          "' is not UTF-8");
  after.description = nfc(after.description);
  require(after.description.size() <= kLongestDescription, "the description of '", name, "' has ",
          after.description.size(), " bytes; at most ", kLongestDescription, " are kept");
  Transaction transaction(library.database());
  TagTable tags(library.database());
  const std::int64_t id = tags.find_or_make(name).id;
  const TagEntry before = tag_entry(library, name);
  after.name = before.name;
  if (after == before) return;
  library.database()
      .prepare("UPDATE tag SET description = ?, manual = ?, hidden = ? WHERE id = ?")
      .run(after.description, after.manual ? 1 : 0, after.hidden ? 1 : 0, id);
  note_vocabulary_change(
      library.database(), "describe",
      json_text(
          Json{{"tag", before.name}, {"before", as_json(before)}, {"after", as_json(after)}}));
  transaction.commit();
}

std::vector<VocabularyChange> vocabulary_history(const Library& library) {
  Statement query = library.database().prepare(
      "SELECT id, kind, change, who, time, undone FROM vocabulary_change ORDER BY id DESC");
  std::vector<VocabularyChange> result;
  while (query.step())
    result.push_back({query.integer(0), std::string(query.text(1)), std::string(query.text(2)),
                      std::string(query.text(3)), std::string(query.text(4)),
                      std::string(query.text(5))});
  return result;
}

std::string vocabulary_state(const Library& library) {
  Statement newest = library.database().prepare(
      "SELECT coalesce(max(id), 0), coalesce(max(undone), '') FROM vocabulary_change");
  newest.step();
  return concat(newest.integer(0), ' ', newest.text(1));
}

std::int64_t note_vocabulary_change(Database& database, std::string_view kind,
                                    std::string_view change) {
  database.prepare("INSERT INTO vocabulary_change(kind, change, who, time) VALUES(?, ?, ?, ?)")
      .run(kind, change, current_person(), current_time());
  return database.last_row();
}

}  // namespace commonplace

#include "commonplace/library/tags/vocabulary.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/base/fields.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/identity.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/tags/tag_meanings.h"
#include "commonplace/library/tags/tag_table.h"
#include "commonplace/library/tags/tag_tree.h"

namespace commonplace {
namespace {

using Json = nlohmann::ordered_json;
using Kind = VocabularyEdit::Kind;

constexpr std::size_t kLongestDescription = 10'000;
constexpr std::string_view kEntryColumns =
    "SELECT name, description, manual, hidden, colour FROM tag ";
constexpr std::string_view kChangeColumns =
    "SELECT id, kind, change, who, time, undone FROM vocabulary_change ";

TagEntry entry_of(const Statement& row) {
  return {std::string(row.text(0)), std::string(row.text(1)), row.integer(2) != 0,
          row.integer(3) != 0, std::string(row.text(4))};
}

VocabularyChange change_of(const Statement& row) {
  return {row.integer(0),           std::string(row.text(1)), std::string(row.text(2)),
          std::string(row.text(3)), std::string(row.text(4)), std::string(row.text(5))};
}

Json as_json(const TagEntry& entry) {
  return {{"description", entry.description},
          {"colour", entry.colour},
          {"manual", entry.manual},
          {"hidden", entry.hidden}};
}

TagEntry entry_of(const std::string& name, const Json& json) {
  return {name, json.value("description", ""), json.value("manual", false),
          json.value("hidden", false), json.value("colour", "")};
}

bool is_colour(std::string_view text) {
  return text.size() == 7 && text[0] == '#' &&
         text.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos;
}

TagEntry checked(TagEntry entry) {
  require(invalid_utf8(entry.description) == std::string_view::npos, "the description of '",
          entry.name, "' is not UTF-8");
  entry.description = nfc(entry.description);
  require(entry.description.size() <= kLongestDescription, "the description of '", entry.name,
          "' has ", entry.description.size(), " bytes; at most ", kLongestDescription, " are kept");
  std::transform(entry.colour.begin(), entry.colour.end(), entry.colour.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  require(entry.colour.empty() || is_colour(entry.colour), "the colour of '", entry.name, "' is '",
          entry.colour, "'; expected one such as #aa3311, or nothing");
  return entry;
}

/// Stores what is said of a tag that is there.
void store_entry(Library& library, const TagEntry& entry, const TagEntry& before) {
  Database& database = library.database();
  const std::string key = tag_key(entry.name);
  database
      .prepare("UPDATE tag SET description = ?, manual = ?, hidden = ?, colour = ? WHERE key = ?")
      .run(entry.description, entry.manual ? 1 : 0, entry.hidden ? 1 : 0, entry.colour, key);
  if (entry.manual != before.manual || entry.hidden != before.hidden)
    change_meanings_state(database);
  if (entry.manual == before.manual) return;
  Statement find = database.prepare("SELECT id FROM tag WHERE key = ?");
  find.bind(key).step();
  const std::int64_t id = find.integer(0);
  find.reset();
  show_machines_of(database, {id});
}

/// Puts `to` in the place of what is said of a tag, unless that has changed otherwise since.
void exchange_entry(Library& library, const std::string& tag, const Json& from, const Json& to) {
  const TagEntry now = tag_entry(library, tag);
  if (as_json(now) == from) store_entry(library, entry_of(now.name, to), now);
}

/// What is said of a tag that another becomes a part of.
TagEntry joined(TagEntry of, const TagEntry& other) {
  if (of.description.empty()) of.description = other.description;
  if (of.colour.empty()) of.colour = other.colour;
  of.manual = of.manual || other.manual;
  return of;
}

std::vector<TagMove> moves_in_force(const Library& library) {
  std::vector<TagMove> moves;
  Statement query = library.database().prepare(
      "SELECT kind, change FROM vocabulary_change WHERE undone = '' AND kind IN "
      "('rename', 'merge', 'nest', 'delete') ORDER BY id");
  while (query.step()) {
    const Json change = Json::parse(query.text(1));
    moves.push_back({change.at("tag").get<std::string>(), change.at("name").get<std::string>(),
                     query.text(0) == "rename"});
  }
  return moves;
}

std::int64_t note_change(Library& library, std::string_view kind, const Json& change) {
  library.database()
      .prepare("INSERT INTO vocabulary_change(kind, change, who, time) VALUES(?, ?, ?, ?)")
      .run(kind, change.dump(), current_person(), current_time());
  return library.database().last_row();
}

/// Makes the changes of one call.
class Changing {
 public:
  explicit Changing(Library& library) : library_(library) {}

  void change(const VocabularyEdit& edit) {
    switch (edit.kind) {
      case Kind::rename:
      case Kind::merge:
      case Kind::nest:
      case Kind::remove:
        return move(edit);
      case Kind::split:
        return split(edit);
      case Kind::describe:
        return describe(edit);
      case Kind::keep:
        return keep(edit);
    }
  }

  std::vector<std::int64_t> finish() {
    mean();
    return std::move(numbers_);
  }

 private:
  /// The tag as it is shown; Error if nothing has it.
  std::string known(const std::string& written) {
    const std::string name = tag_name(written);
    require(!name.empty(), "'", written, "' is not a tag: nothing but white space");
    const auto found = tree().find(tag_key(name));
    require(found != tree().end(), "the library has no tag '", name,
            "'; commonplace vocabulary LIB lists them");
    return found->second.name;
  }

  const std::map<std::string, TagNode>& tree() {
    mean();
    if (tree_.empty())
      for (TagNode& each : tag_tree(library_, {.hidden = true}))
        tree_.emplace(tag_key(each.name), std::move(each));
    return tree_;
  }

  /// Moves are made together, because all is shown anew by each.
  void mean() {
    if (!moved_) return;
    mean_by(library_, moves_in_force(library_));
    moved_ = false;
    tree_.clear();
  }

  std::string new_name(const VocabularyEdit& edit, const std::string& tag) {
    const std::string to = tag_name(edit.to);
    if (edit.kind == Kind::remove) return {};
    if (edit.kind == Kind::nest) {
      const std::string leaf(tag_leaf(tag));
      return to.empty() ? leaf : tag_name(shown(to) + '/' + leaf);
    }
    require(!to.empty(), "what '", tag, "' is to become is missing");
    const std::vector<std::string> path = tag_path(to);
    return path.size() == 1 ? to : concat(shown(path[path.size() - 2]), '/', tag_leaf(to));
  }

  /// What a level that things go below is called now.
  std::string shown(const std::string& name) const {
    const std::string now = TagMeanings(library_).now(name);
    require(!now.empty(), "'", name, "' was deleted; take that back first");
    return now;
  }

  void move(const VocabularyEdit& edit) {
    // In bulk, names are looked up as they were before: what was done to others does not matter.
    const std::string tag = known_before(edit.tag);
    const std::string name = edit.kind == Kind::merge ? known_before(edit.to) : new_name(edit, tag);
    const std::string from_key = tag_key(tag);
    const std::string key = tag_key(name);
    if (name == tag) return;
    require(edit.kind == Kind::rename || key != from_key, "'", tag,
            "' cannot be merged with itself");
    require(!key.starts_with(from_key + '/'), "'", tag, "' cannot go below itself");
    require(edit.kind == Kind::merge || edit.kind == Kind::remove || key == from_key ||
                !tree_.contains(key),
            "there is a tag '", name, "' already; merge them: commonplace vocabulary LIB --merge '",
            tag, "' '", name, "'");
    Json entries = Json::array();
    if (!name.empty() && key != from_key) entries = carry_entries(tag, name);
    numbers_.push_back(note_change(library_, word_of(edit.kind),
                                   {{"tag", tag},
                                    {"to", edit.kind == Kind::nest ? tag_name(edit.to) : name},
                                    {"name", name},
                                    {"items", tree_.at(from_key).below},
                                    {"entries", entries}}));
    touched_.insert(from_key);
    touched_.insert(key);
    moved_ = true;
  }

  std::string known_before(const std::string& written) {
    const std::string key = tag_key(tag_name(written));
    if (!tree_.empty() && !touches(key))
      if (const auto found = tree_.find(key); found != tree_.end()) return found->second.name;
    touched_.clear();
    return known(written);
  }

  /// Whether an earlier change of this call was about the tag, or one above or below it.
  bool touches(const std::string& key) const {
    for (const std::string& level : tag_path(key))
      if (touched_.contains(level)) return true;
    const auto below = touched_.lower_bound(key + '/');
    return below != touched_.end() && below->starts_with(key + '/');
  }

  /// What is said of tags that move goes along.
  Json carry_entries(const std::string& tag, const std::string& name) {
    Json entries = Json::array();
    const std::string from = tag_key(tag);
    TagTable table(library_.database());
    for (const TagEntry& each : described_tags(library_)) {
      const std::string key = tag_key(each.name);
      if (key != from && !key.starts_with(from + '/')) continue;
      const std::string target = name + each.name.substr(std::min(each.name.size(), tag.size()));
      table.find_or_make(target);
      const TagEntry before = tag_entry(library_, target);
      const TagEntry after = joined(before, each);
      if (before == after) continue;
      store_entry(library_, after, before);
      entries.push_back({{"tag", target}, {"before", as_json(before)}, {"after", as_json(after)}});
    }
    return entries;
  }

  void split(const VocabularyEdit& edit) {
    const std::string tag = known(edit.tag);
    const std::string to = tag_name(edit.to);
    require(!to.empty() && tag_key(to) != tag_key(tag), "what is split off '", tag,
            "' needs another name");
    std::vector<CollectionDecisions> decisions;
    std::int64_t items = 0;
    for (const CollectionItems& each : edit.items) {
      CollectionDecisions& of = decisions.emplace_back();
      of.collection = each.collection;
      ItemReader reader(library_, each.collection, {.machine = true});
      for (const std::string& id : each.ids) {
        const std::optional<Item> item = reader.find(id);
        require(item.has_value(), "collection '", each.collection.name, "' has no item '", id, "'");
        if (std::ranges::none_of(item->tags, [&](const ItemTag& of_item) {
              return tag_key(of_item.name) == tag_key(tag);
            }))
          continue;
        ++items;
        of.decisions.push_back({id, tag, Verdict::rejected, ""});
        of.decisions.push_back({id, to, Verdict::accepted, ""});
      }
    }
    require(items > 0, "none of the items that were named has the tag '", tag, "'");
    const DecisionRun run = decide(library_, decisions);
    tree_.clear();
    numbers_.push_back(note_change(
        library_, "split",
        {{"tag", tag}, {"to", to}, {"items", items}, {"first", run.first}, {"last", run.last}}));
  }

  void describe(const VocabularyEdit& edit) {
    mean();
    std::string name = tag_name(edit.tag);
    require(!name.empty(), "'", edit.tag, "' is not a tag: nothing but white space");
    const std::string now = TagMeanings(library_).now(name);
    require(!now.empty(), "'", name, "' was deleted; take that back first");
    TagTable(library_.database()).find_or_make(now);
    const TagEntry before = tag_entry(library_, now);
    TagEntry after = before;
    if (edit.description) after.description = *edit.description;
    if (edit.colour) after.colour = *edit.colour;
    if (edit.manual) after.manual = *edit.manual;
    if (edit.hidden) after.hidden = *edit.hidden;
    after = checked(after);
    if (after == before) return;
    store_entry(library_, after, before);
    tree_.clear();
    numbers_.push_back(note_change(
        library_, "describe",
        {{"tag", before.name}, {"before", as_json(before)}, {"after", as_json(after)}}));
  }

  void keep(const VocabularyEdit& edit) {
    const std::string tag = known(edit.tag);
    const std::string to = known(edit.to);
    numbers_.push_back(note_change(library_, "keep", {{"tag", tag}, {"to", to}}));
  }

  Library& library_;
  std::vector<std::int64_t> numbers_;
  std::map<std::string, TagNode> tree_;  ///< by key, as before the moves that are not made yet
  std::set<std::string> touched_;        ///< keys that those moves are about
  bool moved_ = false;
};

void set_change_undone(Library& library, std::int64_t id, bool undone) {
  Transaction transaction(library.database());
  const VocabularyChange change = vocabulary_change(library, id);
  if (change.undone.empty() != undone) return;
  library.database()
      .prepare("UPDATE vocabulary_change SET undone = ? WHERE id = ?")
      .run(undone ? current_time() : "", id);
  Json json = Json::parse(change.change);
  const auto* from = undone ? "after" : "before";
  const auto* to = undone ? "before" : "after";
  if (change.kind == "describe") {
    exchange_entry(library, json.at("tag"), json.at(from), json.at(to));
  } else if (change.kind == "split") {
    const DecisionRun run = undo(library, {json.at("first"), json.at("last"), 0});
    json["first"] = run.first;
    json["last"] = run.last;
    library.database()
        .prepare("UPDATE vocabulary_change SET change = ? WHERE id = ?")
        .run(json.dump(), id);
  } else if (change.kind != "keep") {
    for (const Json& each : json.value("entries", Json::array()))
      exchange_entry(library, each.at("tag"), each.at(from), each.at(to));
    mean_by(library, moves_in_force(library));
  }
  transaction.commit();
}

}  // namespace

std::vector<TagEntry> described_tags(const Library& library) {
  Statement query = library.database().prepare(
      concat(kEntryColumns,
             "WHERE (description <> '' OR manual OR hidden OR colour <> '') AND means IS NULL AND "
             "NOT gone ORDER BY key"));
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
  change_vocabulary(library, {{.kind = Kind::describe,
                               .tag = entry.name,
                               .description = entry.description,
                               .colour = entry.colour,
                               .manual = entry.manual,
                               .hidden = entry.hidden}});
}

std::vector<VocabularyChange> vocabulary_history(const Library& library) {
  Statement query = library.database().prepare(concat(kChangeColumns, "ORDER BY id DESC"));
  std::vector<VocabularyChange> result;
  while (query.step()) result.push_back(change_of(query));
  return result;
}

std::string vocabulary_state(const Library& library) {
  Statement newest = library.database().prepare(
      "SELECT coalesce(max(id), 0), coalesce(max(undone), '') FROM vocabulary_change");
  newest.step();
  return concat(newest.integer(0), ' ', newest.text(1));
}

VocabularyChange vocabulary_change(const Library& library, std::int64_t id) {
  Statement query = library.database().prepare(concat(kChangeColumns, "WHERE id = ?"));
  require(query.bind(id).step(), "there is no change ", id,
          "; commonplace vocabulary LIB --history lists them");
  return change_of(query);
}

std::vector<std::int64_t> change_vocabulary(Library& library,
                                            const std::vector<VocabularyEdit>& edits) {
  Transaction transaction(library.database());
  Changing changing(library);
  for (const VocabularyEdit& each : edits) changing.change(each);
  std::vector<std::int64_t> numbers = changing.finish();
  transaction.commit();
  return numbers;
}

void undo_vocabulary_change(Library& library, std::int64_t id) {
  set_change_undone(library, id, true);
}

void restore_vocabulary_change(Library& library, std::int64_t id) {
  set_change_undone(library, id, false);
}

std::set<std::pair<std::string, std::string>> kept_apart(const Library& library) {
  std::set<std::pair<std::string, std::string>> result;
  for (const VocabularyChange& each : vocabulary_history(library)) {
    if (each.kind != "keep" || !each.undone.empty()) continue;
    const Json change = Json::parse(each.change);
    std::string first = tag_key(change.at("tag").get<std::string>());
    std::string second = tag_key(change.at("to").get<std::string>());
    if (second < first) std::swap(first, second);
    result.emplace(std::move(first), std::move(second));
  }
  return result;
}

}  // namespace commonplace

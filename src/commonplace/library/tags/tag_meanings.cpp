#include "commonplace/library/tags/tag_meanings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/machine/machine_runs.h"
#include "commonplace/library/tags/tag_table.h"

namespace commonplace {
namespace {

constexpr std::string_view kChanged = "(gone OR means IS NOT NULL OR said IS NOT NULL)";

struct Meaning {
  std::string said;  ///< its name as first written
  std::string now;   ///< by which it is shown; empty: deleted
};

/// What every tag is called after some moves.
class Replay {
 public:
  explicit Replay(const Database& database) {
    Statement all = database.prepare("SELECT id, coalesce(said, name) FROM tag");
    while (all.step()) {
      const std::string name(all.text(1));
      tags_[all.integer(0)] = {name, name};
      by_key_[tag_key(name)].push_back(all.integer(0));
    }
  }

  void move(const TagMove& move) {
    const std::string from = tag_key(move.from);
    const std::string to_key = tag_key(move.to);
    const std::size_t depth = tag_path(move.from).size();
    std::vector<std::int64_t> moved;
    const auto take = [&](auto first, auto last) {
      for (auto each = first; each != last; ++each)
        moved.insert(moved.end(), each->second.begin(), each->second.end());
      by_key_.erase(first, last);
    };
    take(by_key_.lower_bound(from), by_key_.upper_bound(from));
    // '0' comes after '/'.
    take(by_key_.lower_bound(from + '/'), by_key_.lower_bound(from + '0'));
    if (move.respells && !move.to.empty())
      if (const auto there = by_key_.find(to_key); there != by_key_.end())
        for (const std::int64_t id : there->second) tags_.at(id).now = move.to;
    for (const std::int64_t id : moved) {
      Meaning& tag = tags_.at(id);
      if (move.to.empty()) {
        tag.now.clear();
        continue;
      }
      const std::vector<std::string> path = tag_path(tag.now);
      tag.now = move.to + tag.now.substr(path.at(depth - 1).size());
      by_key_[tag_key(tag.now)].push_back(id);
    }
  }

  const std::map<std::int64_t, Meaning>& tags() const { return tags_; }

 private:
  std::map<std::int64_t, Meaning> tags_;
  std::map<std::string, std::vector<std::int64_t>> by_key_;
};

/// As Replay has it, with tags for all names that are shown.
std::map<std::int64_t, Meaning> replay(Database& database, const std::vector<TagMove>& moves) {
  for (;;) {
    Replay replay(database);
    for (const TagMove& move : moves) replay.move(move);
    const std::int64_t before = database.integer("SELECT count(*) FROM tag");
    TagTable table(database);
    for (const auto& [id, tag] : replay.tags())
      if (!tag.now.empty() && tag.now != tag.said) table.find_or_make(tag.now);
    // What was made just now may be moved too.
    if (database.integer("SELECT count(*) FROM tag") == before) return replay.tags();
  }
}

/// Writes what tags mean; returns those for which that is new.
std::vector<std::int64_t> store(Database& database, const std::map<std::int64_t, Meaning>& tags) {
  std::map<std::string, std::int64_t> by_key;
  for (const auto& [id, tag] : tags) by_key.emplace(tag_key(tag.said), id);
  for (const auto& [id, tag] : tags) {
    if (tag.now.empty()) continue;
    const Meaning& target = tags.at(by_key.at(tag_key(tag.now)));
    require(tag_key(target.now) == tag_key(tag.now), "'", target.said, "' ",
            target.now.empty() ? "was deleted" : concat("means '", target.now, "'"),
            " since an earlier change of the vocabulary; take that back first, or choose another "
            "name");
  }
  Statement before = database.prepare(
      "SELECT coalesce(means, 0), gone, name, coalesce(said, name) FROM tag "
      "WHERE id = ?");
  Statement change =
      database.prepare("UPDATE tag SET means = ?, gone = ?, name = ?, said = ? WHERE id = ?");
  std::vector<std::int64_t> changed;
  for (const auto& [id, tag] : tags) {
    const bool own = !tag.now.empty() && tag_key(tag.now) == tag_key(tag.said);
    const std::int64_t means = own || tag.now.empty() ? 0 : by_key.at(tag_key(tag.now));
    const int gone = tag.now.empty() ? 1 : 0;
    const std::string& name = own ? tag.now : tag.said;
    before.bind(id).step();
    const bool same = before.integer(0) == means && before.integer(1) == gone &&
                      before.text(2) == name && before.text(3) == tag.said;
    before.reset();
    if (same) continue;
    changed.push_back(id);
    change.run(means != 0 ? std::optional(means) : std::nullopt, gone, name,
               name != tag.said ? std::optional(tag.said) : std::nullopt, id);
  }
  return changed;
}

void show_source(Database& database) {
  database.execute(
      "DELETE FROM human_tag WHERE EXISTS (SELECT 1 FROM source_tag s "
      "WHERE s.item = human_tag.item AND s.position = human_tag.position);"
      "INSERT INTO human_tag SELECT item, position, tag, count, written FROM source_tag;"
      "DELETE FROM source_tag;");
  // Tags that mean themselves stay where they are, so that they are there first.
  database.execute(
      concat("INSERT INTO source_tag SELECT item, position, tag, count, written FROM human_tag "
             "WHERE tag IN (SELECT id FROM tag WHERE ",
             kChanged,
             ");"
             "DELETE FROM human_tag WHERE tag IN (SELECT id FROM tag WHERE ",
             kChanged,
             ");"
             "INSERT OR IGNORE INTO human_tag SELECT s.item, s.position, coalesce(t.means, t.id), "
             "s.count, "
             "NULL FROM source_tag s JOIN tag t ON t.id = s.tag WHERE NOT t.gone "
             "ORDER BY s.item, t.means IS NOT NULL, s.position"));
}

/// What was decided of one item and tags that mean the same now.
struct Said {
  std::map<std::int64_t, std::int64_t> newest;            ///< verdict by the tag decided on
  std::vector<std::pair<std::int64_t, std::int64_t>> no;  ///< numbers, with -1 or, taken back, 0
};

/// A rejection of one name says nothing where the item has another name for the same by its source
/// or by a decision: "owls" was put right to "owl".
void weigh_rejections(Database& database) {
  Statement query = database.prepare(
      "SELECT d.id, d.collection, d.item, d.tag, coalesce(d.said, d.tag), d.verdict FROM decision "
      "d "
      "WHERE d.tag IN (SELECT means FROM tag WHERE means IS NOT NULL) ORDER BY d.id");
  std::map<std::tuple<std::string, std::string, std::int64_t>, Said> all;
  while (query.step()) {
    Said& said = all[{std::string(query.text(1)), std::string(query.text(2)), query.integer(3)}];
    said.newest[query.integer(4)] = query.integer(5);
    if (query.integer(5) <= 0) said.no.emplace_back(query.integer(0), query.integer(5));
  }
  Statement source = database.prepare(
      "SELECT s.tag FROM source_tag s JOIN item i ON i.id = s.item JOIN collection c ON "
      "c.id = i.collection JOIN tag t ON t.id = s.tag WHERE c.name = ?1 AND i.key = ?2 AND "
      "NOT t.gone AND coalesce(t.means, t.id) = ?3 UNION ALL SELECT h.tag FROM human_tag h JOIN "
      "item i ON i.id = h.item "
      "JOIN collection c ON c.id = i.collection WHERE c.name = ?1 AND i.key = ?2 AND h.tag = ?3 "
      "AND NOT EXISTS (SELECT 1 FROM source_tag s WHERE s.item = h.item AND s.position = "
      "h.position)");
  Statement change =
      database.prepare("UPDATE decision SET meant = verdict, verdict = ? WHERE id = ?");
  for (const auto& [key, said] : all) {
    if (said.no.empty()) continue;
    const auto& [collection, item, tag] = key;
    const bool accepted =
        std::ranges::any_of(said.newest, [](const auto& each) { return each.second > 0; });
    bool has = accepted;
    source.bind(collection, item, tag);
    while (source.step()) {
      const auto verdict = said.newest.find(source.integer(0));
      has = has || verdict == said.newest.end() || verdict->second >= 0;
    }
    source.reset();
    if (!has) continue;
    for (const auto& [id, verdict] : said.no)
      if (accepted || verdict < 0) change.run(accepted ? 1 : 0, id);
  }
}

void show_decisions(Database& database) {
  database.execute(
      "UPDATE decision SET tag = coalesce(said, tag), verdict = coalesce(meant, verdict), "
      "said = NULL, meant = NULL WHERE said IS NOT NULL OR meant IS NOT NULL");
  database.execute(
      concat("UPDATE decision SET said = tag, tag = (SELECT coalesce(means, id) FROM tag t "
             "WHERE t.id = decision.tag) WHERE tag IN (SELECT id FROM tag WHERE ",
             kChanged, ")"));
  database.execute(
      "UPDATE decision SET meant = verdict, verdict = 0 WHERE said IN (SELECT id FROM tag "
      "WHERE gone)");
  weigh_rejections(database);
}

}  // namespace

TagMeanings::TagMeanings(const Library& library) {
  Statement query = library.database().prepare(
      concat("SELECT t.key, CASE WHEN t.gone THEN '' ELSE coalesce(m.name, t.name) END FROM tag t "
             "LEFT JOIN tag m ON m.id = t.means WHERE t.gone OR t.means IS NOT NULL OR "
             "t.said IS NOT NULL"));
  while (query.step()) now_.emplace(query.text(0), query.text(1));
  Statement marked =
      library.database().prepare("SELECT key, manual, hidden FROM tag WHERE manual OR hidden");
  while (marked.step()) {
    if (marked.integer(1) != 0) manual_.emplace(marked.text(0));
    if (marked.integer(2) != 0) hidden_.emplace(marked.text(0));
  }
}

std::string TagMeanings::now(std::string_view tag) const {
  if (now_.empty()) return std::string(tag);
  if (const auto known = now_.find(tag_key(tag)); known != now_.end()) return known->second;
  // A level above may be called otherwise, and this below it was never a tag of the library.
  const std::vector<std::string> path = tag_path(tag);
  for (auto level = path.rbegin(); level != path.rend(); ++level)
    if (const auto known = now_.find(tag_key(*level)); known != now_.end())
      return known->second.empty() ? std::string()
                                   : known->second + std::string(tag.substr(level->size()));
  return std::string(tag);
}

bool TagMeanings::may_be_given(std::string_view tag) const {
  return manual_.empty() || !manual_.contains(tag_key(tag));
}

bool TagMeanings::is_hidden(std::string_view tag) const {
  return !hidden_.empty() && hidden_.contains(tag_key(tag));
}

bool TagMeanings::may_be_proposed(std::string_view tag) const {
  return empty() || (tag_key(now(tag)) == tag_key(tag) && may_be_given(tag) && !is_hidden(tag));
}

void TagMeanings::rename(std::vector<std::string>& tags) const {
  if (now_.empty()) return;
  std::unordered_set<std::string> taken;
  for (const std::string& each : tags)
    if (const std::string key = tag_key(each); tag_key(now(each)) == key) taken.insert(key);
  for (std::string& each : tags) {
    std::string name = now(each);
    const std::string key = tag_key(name);
    if (name.empty() || (key != tag_key(each) && !taken.insert(key).second)) continue;
    each = std::move(name);
  }
}

std::unordered_map<std::string, std::vector<std::string>> former_names(
    const Library& library, const Collection& collection) {
  Statement query = library.database().prepare(
      "SELECT i.key, coalesce(s.written, t.name) FROM source_tag s JOIN item i ON i.id = s.item "
      "JOIN tag t ON t.id = s.tag AND (t.means IS NOT NULL OR t.gone) WHERE i.collection = ?1 "
      "UNION SELECT d.item, d.written FROM decision d JOIN item i ON i.collection = ?1 AND "
      "i.key = d.item JOIN tag t ON t.id = d.said AND (t.means IS NOT NULL OR t.gone) "
      "WHERE d.collection = ?2 ORDER BY 1, 2");
  std::unordered_map<std::string, std::vector<std::string>> names;
  query.bind(collection.id, collection.name);
  while (query.step()) names[std::string(query.text(0))].emplace_back(query.text(1));
  return names;
}

std::string meanings_state(const Library& library) {
  Statement query = library.database().prepare("SELECT value FROM fact WHERE name = 'vocabulary'");
  return query.step() ? std::string(query.text(0)) : std::string();
}

void change_meanings_state(Database& database) {
  database.execute(
      "INSERT INTO fact VALUES('vocabulary', '1') "
      "ON CONFLICT(name) DO UPDATE SET value = CAST(value AS INTEGER) + 1");
}

void mean_by(Library& library, const std::vector<TagMove>& moves) {
  Database& database = library.database();
  const std::vector<std::int64_t> changed = store(database, replay(database, moves));
  if (changed.empty()) return;
  show_source(database);
  show_decisions(database);
  show_machines_of(database, changed);
  change_meanings_state(database);
}

void show_machines_of(Database& database, const std::vector<std::int64_t>& tags) {
  std::set<std::pair<std::string, std::string>> said;
  Statement runs = database.prepare(
      "SELECT DISTINCT r.collection, r.model FROM run_tag g JOIN run r ON r.id = g.run "
      "WHERE g.tag = ?1 OR g.tag IN (SELECT id FROM tag WHERE means = ?1)");
  for (const std::int64_t tag : tags)
    for (runs.bind(tag); runs.step();)
      said.emplace(std::string(runs.text(0)), std::string(runs.text(1)));
  for (const auto& [collection, model] : said) show_runs(database, collection, model, "");
}

}  // namespace commonplace

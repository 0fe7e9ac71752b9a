#include "commonplace/library/tags/decisions.h"

#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/identity.h"
#include "commonplace/library/tags/tag_table.h"

namespace commonplace {
namespace {

std::vector<Decision> decisions_of(Statement& query) {
  std::vector<Decision> result;
  while (query.step())
    result.push_back({std::string(query.text(0)), std::string(query.text(1)),
                      static_cast<Verdict>(query.integer(2)), std::string(query.text(3))});
  return result;
}

/// The tag of a decision as it is to be shown: as written, or as the vocabulary has it.
std::string shown_tag(std::string_view decision) {
  return concat("CASE WHEN ", decision, ".said IS NULL THEN ", decision,
                ".written ELSE (SELECT name FROM tag WHERE tag.id = ", decision, ".tag) END");
}

std::int64_t newest(const Library& library) {
  return library.database().integer("SELECT coalesce(max(id), 0) FROM decision");
}

}  // namespace

void decide(Library& library, const Collection& collection,
            const std::vector<Decision>& decisions) {
  decide(library, {{collection, decisions}});
}

DecisionRun decide(Library& library, const std::vector<CollectionDecisions>& decisions) {
  Transaction transaction(library.database());
  TagTable tags(library.database());
  Statement known =
      library.database().prepare("SELECT 1 FROM item WHERE collection = ? AND key = ?");
  Statement insert = library.database().prepare(
      "INSERT INTO decision(collection, item, tag, verdict, written, time, who, said) "
      "VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
  const std::string now = current_time();
  const std::string person = current_person();
  DecisionRun run;
  const std::int64_t before = newest(library);
  for (const auto& [collection, of_collection] : decisions)
    for (const Decision& each : of_collection) {
      require(known.bind(collection.id, each.item).step(), "collection '", collection.name,
              "' has no item '", each.item, "'");
      const std::string name = tag_name(each.tag);
      require(!name.empty(), "'", each.tag, "' is not a tag: nothing but white space");
      const TagTable::Entry& tag = tags.find_or_make(name);
      require(tag.means != 0, "the tag '", name,
              "' was deleted from the vocabulary; take that back first: commonplace vocabulary LIB "
              "--history");
      insert.run(collection.name, each.item, tag.means, static_cast<int>(each.verdict), name,
                 each.time.empty() ? now : each.time, person,
                 tag.changed ? std::optional(tag.id) : std::nullopt);
      ++run.count;
    }
  if (run.count > 0) std::tie(run.first, run.last) = std::pair(before + 1, newest(library));
  transaction.commit();
  return run;
}

DecisionRun undo(Library& library, DecisionRun run) {
  Statement query = library.database().prepare(
      concat("SELECT d.collection, d.item, ", shown_tag("d"),
             ", coalesce((SELECT b.verdict FROM decision b WHERE "
             "b.collection = d.collection AND b.item = d.item AND b.tag = d.tag AND b.id < ?1 "
             "ORDER BY b.id DESC LIMIT 1), 0) FROM decision d "
             "JOIN collection c ON c.name = d.collection "
             "JOIN item i ON i.collection = c.id AND i.key = d.item "
             "WHERE d.id BETWEEN ?1 AND ?2 AND d.id = (SELECT max(n.id) FROM decision n WHERE "
             "n.collection = d.collection AND n.item = d.item AND n.tag = d.tag) ORDER BY d.id"));
  query.bind(run.first, run.last);
  std::map<std::string, std::vector<Decision>> back;
  while (query.step())
    back[std::string(query.text(0))].push_back({std::string(query.text(1)),
                                                std::string(query.text(2)),
                                                static_cast<Verdict>(query.integer(3)), ""});
  std::vector<CollectionDecisions> decisions;
  for (auto& [name, of_collection] : back)
    decisions.push_back({collection(library, name), std::move(of_collection)});
  return decide(library, decisions);
}

std::vector<Decision> decisions_in_force(const Library& library, std::string_view collection) {
  Statement query = library.database().prepare(
      concat("SELECT item, ", shown_tag("decision"),
             ", verdict, time, max(id) AS newest FROM decision "
             "WHERE collection = ? GROUP BY item, tag HAVING verdict <> 0 ORDER BY newest"));
  query.bind(collection);
  return decisions_of(query);
}

std::vector<Decision> decisions_since(const Library& library, const Collection& collection,
                                      std::int64_t last) {
  Statement query =
      library.database().prepare(concat("SELECT d.item, ", shown_tag("d"),
                                        ", d.verdict, d.time FROM decision d "
                                        "JOIN item i ON i.collection = ?1 AND i.key = d.item "
                                        "WHERE d.collection = ?2 AND d.id > ?3 ORDER BY i.row"));
  query.bind(collection.id, collection.name, last);
  return decisions_of(query);
}

std::vector<Decision> decision_history(const Library& library, std::string_view collection,
                                       std::string_view item) {
  Statement query = library.database().prepare(
      concat("SELECT item, ", shown_tag("decision"),
             ", verdict, time FROM decision WHERE collection = ? AND item = ? ORDER BY id"));
  query.bind(collection, item);
  return decisions_of(query);
}

}  // namespace commonplace

#include "commonplace/library/decisions.h"

#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/tag_table.h"

namespace commonplace {
namespace {

std::vector<Decision> decisions_of(Statement& query) {
  std::vector<Decision> result;
  while (query.step())
    result.push_back({std::string(query.text(0)), std::string(query.text(1)),
                      static_cast<Verdict>(query.integer(2)), std::string(query.text(3))});
  return result;
}

}  // namespace

void decide(Library& library, const Collection& collection,
            const std::vector<Decision>& decisions) {
  Transaction transaction(library.database());
  TagTable tags(library.database());
  Statement known =
      library.database().prepare("SELECT 1 FROM item WHERE collection = ? AND key = ?");
  Statement insert = library.database().prepare(
      "INSERT INTO decision(collection, item, tag, verdict, written, time) "
      "VALUES(?, ?, ?, ?, ?, ?)");
  const std::string now = current_time();
  for (const Decision& each : decisions) {
    require(known.bind(collection.id, each.item).step(), "collection '", collection.name,
            "' has no item '", each.item, "'");
    const std::string name = tag_name(each.tag);
    require(!name.empty(), "'", each.tag, "' is not a tag: nothing but white space");
    insert.run(collection.name, each.item, tags.find_or_make(name).id,
               static_cast<int>(each.verdict), name, each.time.empty() ? now : each.time);
  }
  transaction.commit();
}

std::vector<Decision> decisions_in_force(const Library& library, std::string_view collection) {
  Statement query = library.database().prepare(
      "SELECT item, written, verdict, time, max(id) AS newest FROM decision "
      "WHERE collection = ? GROUP BY item, tag HAVING verdict <> 0 ORDER BY newest");
  query.bind(collection);
  return decisions_of(query);
}

std::vector<Decision> decisions_since(const Library& library, const Collection& collection,
                                      std::int64_t last) {
  Statement query = library.database().prepare(
      "SELECT d.item, d.written, d.verdict, d.time FROM decision d "
      "JOIN item i ON i.collection = ?1 AND i.key = d.item "
      "WHERE d.collection = ?2 AND d.id > ?3 ORDER BY i.row");
  query.bind(collection.id, collection.name, last);
  return decisions_of(query);
}

std::vector<Decision> decision_history(const Library& library, std::string_view collection,
                                       std::string_view item) {
  Statement query = library.database().prepare(
      "SELECT item, written, verdict, time FROM decision WHERE collection = ? AND item = ? "
      "ORDER BY id");
  query.bind(collection, item);
  return decisions_of(query);
}

}  // namespace commonplace

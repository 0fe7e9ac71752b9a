#include "commonplace/library/tags/lessons.h"

#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/identity.h"

namespace commonplace {

void teach(Library& library, const Collection& collection, std::string_view concept_name,
           const std::vector<Lesson>& lessons) {
  const std::string name = tag_name(concept_name);
  require(!name.empty(), "'", concept_name, "' is no name for a concept: nothing but white space");
  Transaction transaction(library.database());
  Statement known =
      library.database().prepare("SELECT 1 FROM item WHERE collection = ? AND key = ?");
  Statement insert = library.database().prepare(
      "INSERT INTO lesson(collection, concept, written, item, shows, time, who) "
      "VALUES(?, ?, ?, ?, ?, ?, ?)");
  const std::string now = current_time();
  const std::string person = current_person();
  for (const Lesson& each : lessons) {
    require(known.bind(collection.id, each.item).step(), "collection '", collection.name,
            "' has no item '", each.item, "'");
    insert.run(collection.name, tag_key(name), name, each.item, each.shows,
               each.time.empty() ? now : each.time, person);
  }
  transaction.commit();
}

std::vector<Lesson> lessons_in_force(const Library& library, std::string_view collection,
                                     std::string_view concept_name) {
  Statement query = library.database().prepare(
      "SELECT item, shows, time, max(id) AS newest FROM lesson "
      "WHERE collection = ? AND concept = ? GROUP BY item HAVING shows <> 0 ORDER BY newest");
  query.bind(collection, tag_key(tag_name(concept_name)));
  std::vector<Lesson> result;
  while (query.step())
    result.push_back({std::string(query.text(0)), static_cast<int>(query.integer(1)),
                      std::string(query.text(2))});
  return result;
}

std::vector<TaughtConcept> taught_concepts(const Library& library, std::string_view collection) {
  Statement query = library.database().prepare(
      "SELECT (SELECT written FROM lesson AS l WHERE l.collection = ?1 AND l.concept = f.concept "
      "        ORDER BY id DESC LIMIT 1), sum(shows = 1), sum(shows = -1) "
      "FROM (SELECT concept, item, shows, max(id) FROM lesson WHERE collection = ?1 "
      "      GROUP BY concept, item HAVING shows <> 0) AS f GROUP BY concept ORDER BY concept");
  query.bind(collection);
  std::vector<TaughtConcept> result;
  while (query.step())
    result.push_back({std::string(query.text(0)), query.integer(1), query.integer(2)});
  return result;
}

}  // namespace commonplace

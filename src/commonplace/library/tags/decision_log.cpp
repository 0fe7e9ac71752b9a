#include "commonplace/library/tags/decision_log.h"

namespace commonplace {

std::vector<LoggedDecision> decision_log(const Library& library, std::string_view collection) {
  Statement query = library.database().prepare(
      "SELECT item, written, verdict, time, id, collection, who FROM decision "
      "WHERE ?1 = '' OR collection = ?1 ORDER BY id");
  query.bind(collection);
  std::vector<LoggedDecision> result;
  while (query.step()) {
    LoggedDecision& each = result.emplace_back();
    each.item = query.text(0);
    each.tag = query.text(1);
    each.verdict = static_cast<Verdict>(query.integer(2));
    each.time = query.text(3);
    each.number = query.integer(4);
    each.collection = query.text(5);
    each.who = query.text(6);
  }
  return result;
}

}  // namespace commonplace

#include "commonplace/library/stored/evaluations.h"

namespace commonplace {

std::int64_t store_evaluation(Library& library, const Evaluation& evaluation) {
  Transaction transaction(library.database());
  library.database()
      .prepare("INSERT INTO evaluation(verb, about, result, created) VALUES(?, ?, ?, ?)")
      .run(evaluation.verb, evaluation.about, evaluation.result, current_time());
  const std::int64_t id = library.database().last_row();
  library.database()
      .prepare(
          "DELETE FROM evaluation WHERE verb = ?1 AND about = ?2 AND id NOT IN "
          "(SELECT id FROM evaluation WHERE verb = ?1 AND about = ?2 ORDER BY id DESC LIMIT 10)")
      .run(evaluation.verb, evaluation.about);
  transaction.commit();
  return id;
}

std::vector<Evaluation> evaluations(const Library& library) {
  Statement query = library.database().prepare(
      "SELECT id, verb, about, result, created FROM evaluation ORDER BY id DESC");
  std::vector<Evaluation> result;
  while (query.step())
    result.push_back({query.integer(0), std::string(query.text(1)), std::string(query.text(2)),
                      std::string(query.text(3)), std::string(query.text(4))});
  return result;
}

}  // namespace commonplace

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/base/fields.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// What was measured on the items of a library.
struct Evaluation {
  std::int64_t id = 0;
  std::string verb;    ///< search, suggest, detect, relate or transfer
  std::string about;   ///< the collection, or what else was asked for
  std::string result;  ///< JSON
  std::string created{};
};
template <class Visit>
void visit_fields(const Evaluation& evaluation, Visit&& visit) {
  visit("id", evaluation.id, "of the evaluation");
  visit("verb", evaluation.verb, "search, suggest, detect, relate or transfer");
  visit("collection", evaluation.about, "that it is of");
  visit("created", evaluation.created, "when");
  visit("result", JsonText{evaluation.result}, "what evaluate prints");
}

/// Keeps it, with the time; of each verb and `about` the newest ten are kept. Returns its id.
std::int64_t store_evaluation(Library& library, const Evaluation& evaluation);

/// Newest first.
std::vector<Evaluation> evaluations(const Library& library);

}  // namespace commonplace

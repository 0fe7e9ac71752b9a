#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

/// Keeps it, with the time; of each verb and `about` the newest ten are kept. Returns its id.
std::int64_t store_evaluation(Library& library, const Evaluation& evaluation);

/// Newest first.
std::vector<Evaluation> evaluations(const Library& library);

}  // namespace commonplace

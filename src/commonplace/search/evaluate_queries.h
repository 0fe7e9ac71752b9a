#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"

namespace commonplace::search {

/// How well sentences find the items that they were written about.
struct QueriesEvaluation {
  std::string model;       ///< of words; empty: there is none
  std::int64_t items = 0;  ///< that are searched
  std::int64_t queries = 0;
  double found_first = 0;   ///< share of the queries whose item is the first result,
  double found_in_5 = 0;    ///< among the first 5
  double found_in_10 = 0;   ///< and among the first 10
  double median_rank = 0;   ///< of the right item; one that is not found is the last
  double nothing = 0;       ///< share of the queries for which nothing is said to fit
  double milliseconds = 0;  ///< a query, on average
};

/// Asks for lines "query TAB item id" of a file, as `search` would, and finds the ranks of the
/// items. Learns nothing: what was learned for the collection is what is judged.
QueriesEvaluation evaluate_queries(const Library& library, const std::string& target,
                                   const std::filesystem::path& file, const Run& run);

std::string to_json(const QueriesEvaluation& evaluation);

}  // namespace commonplace::search

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/library/tags/decisions.h"

namespace commonplace {

/// A decision with its number in the log and who made it.
struct LoggedDecision : Decision {
  std::int64_t number = 0;
  std::string collection;
  std::string who;  ///< empty: it was made before this was noted
};

/// The whole log, or that of one collection, oldest first.
std::vector<LoggedDecision> decision_log(const Library& library, std::string_view collection = {});

}  // namespace commonplace

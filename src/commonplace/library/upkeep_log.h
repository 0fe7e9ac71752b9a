#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/library/library.h"

namespace commonplace {

/// What was brought up to date last, and from what.
struct UpkeepEntry {
  std::string collection;
  std::string step;   ///< "features", "suggest", ...
  std::string state;  ///< of what it was made from: it is up to date as long as that is the same
  std::int64_t items = 0;  ///< that were worked on
  double seconds = 0;      ///< that it took
  std::string said;        ///< in words, what was done
  std::string time;
};

/// All there is, by collection and step.
std::vector<UpkeepEntry> upkeep_entries(const Library& library);
/// Stores one in place of the one of the same collection and step; `time` is filled in.
void store_upkeep(Library& library, const UpkeepEntry& entry);

/// How much of a collection there is to learn from.
struct TaggedCounts {
  std::int64_t items = 0;      ///< that people gave tags to
  std::int64_t tags = 0;       ///< that at least `least` of them have
  std::int64_t decisions = 0;  ///< that were ever made
};
TaggedCounts tagged_counts(const Library& library, const Collection& collection,
                           std::int64_t least);

}  // namespace commonplace

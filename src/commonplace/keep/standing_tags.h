#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/machine/machine_runs.h"

namespace commonplace {

/// Tags that a person had given by a rule, which goes on to hold for items that come.
struct StandingTags {
  MachineRun run;           ///< in which the rule was given
  std::int64_t looked = 0;  ///< items of the collection that were looked at: the first so many rows
};

/// Those of a collection: of each model the newest run of `apply` that is in force.
std::vector<StandingTags> standing_tags(const Library& library, const Collection& collection);
/// Text that changes when there are items that they have not looked at.
std::string standing_state(const Library& library, const Collection& collection);
/// Gives the tags to the items that have come; says what it did. Each run notes how far it looked,
/// so that an item is looked at once, also if its tags are taken back.
std::string extend_standing_tags(Library& library, const Collection& collection, const Run& run);

}  // namespace commonplace

#include "commonplace/library/upkeep_log.h"

#include <unordered_map>

#include "commonplace/library/tags/tag_uses.h"

namespace commonplace {

std::vector<UpkeepEntry> upkeep_entries(const Library& library) {
  Statement query = library.database().prepare(
      "SELECT collection, step, state, items, seconds, said, time FROM upkeep "
      "ORDER BY collection, step");
  std::vector<UpkeepEntry> result;
  while (query.step())
    result.push_back({std::string(query.text(0)), std::string(query.text(1)),
                      std::string(query.text(2)), query.integer(3), query.real(4),
                      std::string(query.text(5)), std::string(query.text(6))});
  return result;
}

void store_upkeep(Library& library, const UpkeepEntry& entry) {
  Transaction transaction(library.database());
  library.database()
      .prepare(
          "INSERT OR REPLACE INTO upkeep(collection, step, state, items, seconds, said, time) "
          "VALUES(?, ?, ?, ?, ?, ?, ?)")
      .run(entry.collection, entry.step, entry.state, entry.items, entry.seconds, entry.said,
           current_time());
  transaction.commit();
}

TaggedCounts tagged_counts(const Library& library, const Collection& collection,
                           std::int64_t least) {
  TaggedCounts counts;
  std::unordered_map<std::int64_t, std::int64_t> uses;
  visit_tags(library, collection, [&](std::int64_t, std::span<const NumberedTag> tags) {
    ++counts.items;
    for (const NumberedTag& each : tags) ++uses[each.tag];
  });
  for (const auto& [tag, items] : uses) counts.tags += items >= least ? 1 : 0;
  Statement decided =
      library.database().prepare("SELECT count(*) FROM decision WHERE collection = ?");
  decided.bind(collection.name).step();
  counts.decisions = decided.integer(0);
  return counts;
}

}  // namespace commonplace

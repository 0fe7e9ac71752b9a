#include "commonplace/library/tags/tag_uses.h"

#include <algorithm>
#include <unordered_map>

namespace commonplace {
namespace {

struct DecidedTag {
  std::int64_t tag;
  std::int64_t verdict;
};

/// What is decided of each item that the collection has, by its row.
std::unordered_map<std::int64_t, std::vector<DecidedTag>> decided_rows(
    const Library& library, const Collection& collection) {
  Statement query = library.database().prepare(
      "SELECT max(d.id), i.row, d.tag, d.verdict FROM decision d "
      "JOIN item i ON i.collection = ?1 AND i.key = d.item "
      "WHERE d.collection = ?2 GROUP BY d.item, d.tag");
  query.bind(collection.id, collection.name);
  std::unordered_map<std::int64_t, std::vector<DecidedTag>> decided;
  while (query.step()) decided[query.integer(1)].push_back({query.integer(2), query.integer(3)});
  return decided;
}

void apply_decisions(const std::vector<DecidedTag>& decisions, std::vector<NumberedTag>& tags) {
  for (const DecidedTag& decision : decisions) {
    const auto same = std::find_if(tags.begin(), tags.end(),
                                   [&](const NumberedTag& tag) { return tag.tag == decision.tag; });
    if (decision.verdict < 0 && same != tags.end()) tags.erase(same);
    if (decision.verdict > 0 && same == tags.end()) tags.push_back({decision.tag, 1});
  }
}

/// One more than the greatest number of a tag.
std::size_t tag_numbers(const Library& library) {
  return static_cast<std::size_t>(
      library.database().integer("SELECT coalesce(max(id), 0) + 1 FROM tag"));
}

}  // namespace

void visit_tags(
    const Library& library, const Collection& collection,
    const std::function<void(std::int64_t row, std::span<const NumberedTag> tags)>& visit) {
  auto decided = decided_rows(library, collection);
  // Items without a tag of their source come too, for those that decisions gave one.
  Statement query = library.database().prepare(
      "SELECT i.row, h.tag, h.count FROM item i LEFT JOIN human_tag h ON h.item = i.id "
      "WHERE i.collection = ? ORDER BY i.row, h.position");
  query.bind(collection.id);
  std::vector<NumberedTag> tags;
  std::int64_t row = -1;
  auto finish = [&] {
    if (const auto found = decided.find(row); found != decided.end())
      apply_decisions(found->second, tags);
    if (!tags.empty()) visit(row, tags);
    tags.clear();
  };
  while (query.step()) {
    if (query.integer(0) != row) {
      if (row >= 0) finish();
      row = query.integer(0);
    }
    if (!query.is_null(1)) tags.push_back({query.integer(1), query.real(2)});
  }
  if (row >= 0) finish();
}

std::vector<KnownTag> known_tags(const Library& library) {
  Statement query = library.database().prepare("SELECT id, name, key FROM tag ORDER BY key");
  std::vector<KnownTag> tags;
  while (query.step())
    tags.push_back({query.integer(0), std::string(query.text(1)), std::string(query.text(2))});
  return tags;
}

TagMatrix tag_matrix(const Library& library, const Collection& collection) {
  std::vector<std::int32_t> column(tag_numbers(library), -1);
  std::vector<std::int64_t> rows;
  std::vector<std::size_t> ends;
  std::vector<NumberedTag> entries;
  visit_tags(library, collection, [&](std::int64_t row, std::span<const NumberedTag> tags) {
    // Another process may have added items and tags since.
    if (row >= collection.items) return;
    rows.push_back(row);
    for (const NumberedTag& each : tags) {
      const auto tag = static_cast<std::size_t>(each.tag);
      if (tag >= column.size()) column.resize(tag + 1, -1);
      column[tag] = 0;
      entries.push_back(each);
    }
    ends.push_back(entries.size());
  });

  TagMatrix result;
  Statement names = library.database().prepare("SELECT id, name FROM tag ORDER BY key");
  while (names.step()) {
    const auto tag = static_cast<std::size_t>(names.integer(0));
    if (tag >= column.size() || column[tag] < 0) continue;
    std::int32_t& place = column[tag];
    place = static_cast<std::int32_t>(result.names.size());
    result.names.emplace_back(names.text(1));
  }
  result.counts.columns = std::ssize(result.names);
  std::size_t entry = 0;
  std::vector<std::pair<std::int32_t, float>> row;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    while (result.counts.rows() < rows[i]) result.counts.end_row();
    row.clear();
    for (; entry < ends[i]; ++entry)
      row.emplace_back(column[static_cast<std::size_t>(entries[entry].tag)],
                       static_cast<float>(entries[entry].count));
    std::sort(row.begin(), row.end());
    for (const auto& [place, count] : row) result.counts.push(place, count);
    result.counts.end_row();
  }
  while (result.counts.rows() < collection.items) result.counts.end_row();
  return result;
}

std::vector<TagUse> tag_uses(const Library& library, const Collection& collection,
                             bool with_parents) {
  // Numbers of tags are small and dense, so plain arrays serve as tables.
  const std::size_t size = tag_numbers(library);
  std::vector<std::int64_t> parent(size, 0);
  std::vector<std::int64_t> uses(size, 0);
  std::vector<std::int64_t> last_row(size, -1);
  Statement query = library.database().prepare("SELECT id, coalesce(parent, 0) FROM tag");
  while (query.step()) parent[static_cast<std::size_t>(query.integer(0))] = query.integer(1);

  visit_tags(library, collection, [&](std::int64_t row, std::span<const NumberedTag> tags) {
    for (const NumberedTag& each : tags) {
      auto tag = static_cast<std::size_t>(each.tag);
      if (tag >= size) continue;  // added by another process since
      while (tag != 0 && last_row[tag] != row) {
        last_row[tag] = row;
        ++uses[tag];
        tag = with_parents ? static_cast<std::size_t>(parent[tag]) : 0;
      }
    }
  });

  std::vector<TagUse> result;
  Statement names = library.database().prepare("SELECT id, name FROM tag ORDER BY key");
  while (names.step()) {
    const auto tag = static_cast<std::size_t>(names.integer(0));
    const std::int64_t items = tag < size ? uses[tag] : 0;
    if (items > 0) result.push_back({std::string(names.text(1)), items});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const TagUse& a, const TagUse& b) { return a.items > b.items; });
  return result;
}

}  // namespace commonplace

#include "commonplace/library/tags/tag_tree.h"

#include <algorithm>

#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/tags/tag_uses.h"

namespace commonplace {
namespace {

/// What is counted of one tag, by its number.
struct Counted {
  TagNode node;
  std::string key;
  std::int64_t parent = 0;
  std::int64_t last = -1;  ///< the item that was counted last
};

std::vector<Counted> all_tags(const Library& library) {
  std::vector<Counted> tags(1 + static_cast<std::size_t>(library.database().integer(
                                    "SELECT coalesce(max(id), 0) FROM tag")));
  Statement query = library.database().prepare(
      "SELECT t.id, t.name, t.key, t.description, t.manual, t.hidden, t.colour, "
      "coalesce(t.parent, 0) FROM tag t");
  while (query.step()) {
    if (query.integer(0) >= std::ssize(tags)) break;
    Counted& tag = tags[static_cast<std::size_t>(query.integer(0))];
    tag.node.name = query.text(1);
    tag.key = query.text(2);
    tag.node.description = query.text(3);
    tag.node.manual = query.integer(4) != 0;
    tag.node.hidden = query.integer(5) != 0;
    tag.node.colour = query.text(6);
    tag.parent = query.integer(7);
  }
  return tags;
}

/// Names that mean tags, and which tags do not mean themselves.
std::vector<bool> add_other_names(const Library& library, std::vector<Counted>& tags) {
  std::vector<bool> moved(tags.size(), false);
  Statement query = library.database().prepare(
      "SELECT id, coalesce(means, 0), coalesce(said, name) FROM tag "
      "WHERE means IS NOT NULL OR gone OR said IS NOT NULL ORDER BY key");
  while (query.step()) {
    const auto id = static_cast<std::size_t>(query.integer(0));
    const auto means = static_cast<std::size_t>(query.integer(1));
    if (id >= tags.size() || means >= tags.size()) continue;
    const bool respelled = query.text(2) != tags[id].node.name;
    if (!respelled) moved[id] = true;
    if (respelled) tags[id].node.also.emplace_back(query.text(2));
    if (means != 0) tags[means].node.also.emplace_back(query.text(2));
  }
  return moved;
}

}  // namespace

std::string tag_tree_state(const Library& library) {
  std::string state = concat(
      library.database().integer("SELECT coalesce(max(id), 0) FROM vocabulary_change"), ' ',
      library.database().integer("SELECT count(*) FROM vocabulary_change WHERE undone = ''"));
  for (const Collection& each : collections(library))
    state += concat('\n', each.name, ' ', state_of(library, each));
  return state;
}

std::vector<TagNode> tag_tree(const Library& library, const TagTreeOptions& options) {
  const ReadSnapshot snapshot = read_snapshot(library);
  std::vector<Counted> tags = all_tags(library);
  const std::vector<bool> moved = add_other_names(library, tags);
  std::int64_t item = 0;
  for (const Collection& collection : collections(library))
    visit_tags(library, collection, [&](std::int64_t, std::span<const NumberedTag> of_item) {
      ++item;
      for (const NumberedTag& each : of_item) {
        auto tag = static_cast<std::size_t>(each.tag);
        ++tags[tag].node.items;
        for (; tag != 0 && tags[tag].last != item;
             tag = static_cast<std::size_t>(tags[tag].parent)) {
          tags[tag].last = item;
          ++tags[tag].node.below;
        }
      }
    });
  Statement machine =
      library.database().prepare("SELECT tag, count(DISTINCT item) FROM machine_tag GROUP BY tag");
  while (machine.step())
    tags[static_cast<std::size_t>(machine.integer(0))].node.machine = machine.integer(1);

  const std::string under = tag_key(tag_name(options.under));
  std::vector<bool> used(tags.size(), false);
  for (std::size_t i = 1; i < tags.size(); ++i) {
    const TagNode& node = tags[i].node;
    const bool said =
        !node.description.empty() || !node.colour.empty() || node.manual || node.hidden;
    if (moved[i] || (node.items == 0 && node.machine == 0 && !said)) continue;
    for (std::size_t tag = i; tag != 0 && !used[tag];
         tag = static_cast<std::size_t>(tags[tag].parent))
      used[tag] = true;
  }
  std::vector<const Counted*> shown;
  for (std::size_t i = 1; i < tags.size(); ++i) {
    const Counted& each = tags[i];
    if (!used[i] || moved[i] || each.key.empty() || (each.node.hidden && !options.hidden)) continue;
    if (!under.empty() && each.key != under && !each.key.starts_with(under + '/')) continue;
    shown.push_back(&each);
  }
  // By levels, so that nothing stands between a tag and what is below it.
  std::sort(shown.begin(), shown.end(), [](const Counted* a, const Counted* b) {
    return std::ranges::lexicographical_compare(a->key, b->key, [](char x, char y) {
      const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c) + 1; };
      return rank(x) < rank(y);
    });
  });
  std::vector<TagNode> result;
  for (const Counted* each : shown) result.push_back(each->node);
  return result;
}

}  // namespace commonplace

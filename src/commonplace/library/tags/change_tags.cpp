#include "commonplace/library/tags/change_tags.h"

#include <algorithm>

#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/items/items.h"

namespace commonplace {
namespace {

void add_decisions(const Item& item, const TagChange& change, std::vector<Decision>& decisions) {
  using Kind = TagChange::Kind;
  const std::string key = tag_key(change.tag);
  const auto same = [&](const ItemTag& tag) { return tag_key(tag.name) == key; };
  switch (change.kind) {
    case Kind::add: {
      const bool has = std::any_of(item.tags.begin(), item.tags.end(), [&](const ItemTag& tag) {
        return tag.by != GivenBy::machine && same(tag);
      });
      if (!has) decisions.push_back({item.id, change.tag, Verdict::accepted, ""});
      return;
    }
    case Kind::remove:
      if (std::any_of(item.tags.begin(), item.tags.end(), same))
        decisions.push_back({item.id, change.tag, Verdict::rejected, ""});
      return;
    case Kind::accept:
    case Kind::reject:
      for (const ItemTag& tag : item.tags)
        if (tag.by == GivenBy::machine && (key.empty() || same(tag)))
          decisions.push_back({item.id, tag.name,
                               change.kind == Kind::accept ? Verdict::accepted : Verdict::rejected,
                               ""});
      return;
  }
}

}  // namespace

std::vector<CollectionDecisions> decisions_for(const Library& library,
                                               const std::vector<CollectionItems>& items,
                                               const std::vector<TagChange>& changes) {
  std::vector<TagChange> named = changes;
  for (TagChange& each : named) {
    each.tag = tag_name(each.tag);
    const bool all = each.kind == TagChange::Kind::accept || each.kind == TagChange::Kind::reject;
    require(all || !each.tag.empty(),
            "a tag to add or remove is missing, or nothing but white space");
  }
  std::vector<CollectionDecisions> result;
  for (const auto& [collection, ids] : items) {
    ItemReader reader(library, collection, {.machine = true});
    CollectionDecisions& of_collection = result.emplace_back();
    of_collection.collection = collection;
    for (const std::string& id : ids)
      if (const std::optional<Item> item = reader.find(id))
        for (const TagChange& each : named) add_decisions(*item, each, of_collection.decisions);
  }
  return result;
}

}  // namespace commonplace

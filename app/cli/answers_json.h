#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "commonplace/io/fields_json.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/items/links.h"
#include "commonplace/library/tags/decisions.h"

namespace commonplace::app {

using Json = nlohmann::ordered_json;

/// Answers that are the same on the command line and over HTTP, and are of no room. All others list
/// their fields beside their structs.

/// The item as the JSON lines export has it.
Json item_json(const Item& item);
/// The item with all that is known of it.
Json whole_item_json(const Library& library, const Collection& collection, std::string_view id);

/// A collection with its features. The rest takes reading it, which the server does once.
struct CollectionAnswer {
  Collection collection;
  std::vector<std::string> features;
  struct Facts {
    bool pictures = false;
    bool places = false;
    std::vector<std::string> label_fields;
    std::int64_t hidden = 0;
  };
  bool has_facts = false;
  Facts facts{};
};
template <class Visit>
void visit_fields(const CollectionAnswer& answer, Visit&& visit) {
  visit("name", answer.collection.name, "of the collection");
  visit("items", answer.collection.items, "that it has");
  visit("format", answer.collection.format, "that it was added from");
  visit("features", answer.features, "that are stored");
  visit("changed", answer.collection.changed, "when it was last added");
  visit("source", answer.collection.source, "the file or folder that it was last added from");
  const auto& [pictures, places, label_fields, hidden] = answer.facts;
  visit.where(answer.has_facts, "pictures", pictures, "it has some");
  visit.where(answer.has_facts, "places", places, "it has some");
  visit.where(answer.has_facts, "label_fields", label_fields, "the fields of its labels");
  visit.where(answer.has_facts, "hidden", hidden, "how many of its items are hidden");
}

/// All collections, and the links between them.
struct CollectionsAnswer {
  std::vector<CollectionAnswer> collections;
  std::vector<LinkCount> links;
};
template <class Visit>
void visit_fields(const CollectionsAnswer& answer, Visit&& visit) {
  visit("collections", answer.collections, "by name");
  visit("links", answer.links, "between them");
}
CollectionsAnswer collections_answer(const Library& library);

}  // namespace commonplace::app

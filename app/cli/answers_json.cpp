#include "app/cli/answers_json.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "commonplace/formats/export.h"
#include "commonplace/library/machine/machine_labels.h"
#include "commonplace/library/stored/stored_features.h"

namespace commonplace::app {

Json item_json(const Item& item) {
  std::string line;
  bool given = false;
  write_jsonl(
      [&](Item& next) {
        if (std::exchange(given, true)) return false;
        next = item;
        return true;
      },
      [&](std::string_view bytes) { line += bytes; });
  return Json::parse(line);
}

Json whole_item_json(const Library& library, const Collection& collection, std::string_view id) {
  const Item found = item(library, collection, id, {.machine = true});
  Json json = item_json(found);
  json["collection"] = collection.name;
  if (const auto labels = machine_labels_of(library, collection, found.id); !labels.empty())
    write_json(json["machine_labels"], labels);
  write_json(json["decisions"], decision_history(library, collection.name, found.id));
  return json;
}

CollectionsAnswer collections_answer(const Library& library) {
  CollectionsAnswer answer = {{}, link_counts(library)};
  for (const Collection& each : collections(library)) {
    answer.collections.push_back({each, {}});
    for (const FeatureRecord& record : feature_records(library, each))
      answer.collections.back().features.push_back(record.name);
  }
  return answer;
}

}  // namespace commonplace::app

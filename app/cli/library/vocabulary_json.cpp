#include "app/cli/library/vocabulary_json.h"

#include <nlohmann/json.hpp>

namespace commonplace::app {

using Json = nlohmann::ordered_json;

Json change_json(const VocabularyChange& change) {
  const Json stored = Json::parse(change.change);
  Json json = {{"change", change.id},
               {"do", change.kind},
               {"tag", stored.value("tag", "")},
               {"to", stored.value("to", "")},
               {"items", stored.value("items", 0)},
               {"who", change.who},
               {"time", change.time},
               {"undone", change.undone.empty() ? Json() : Json(change.undone)}};
  if (change.kind == "describe") {
    json["before"] = stored.at("before");
    json["after"] = stored.at("after");
  }
  return json;
}

Json changes_json(const Library& library, const std::vector<std::int64_t>& ids) {
  Json list = Json::array();
  for (const std::int64_t id : ids) list.push_back(change_json(vocabulary_change(library, id)));
  return list;
}

}  // namespace commonplace::app

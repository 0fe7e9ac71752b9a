#include "commonplace/keep/standing_tags.h"

#include <algorithm>

#include "commonplace/base/error.h"
#include "commonplace/detect/apply.h"
#include "commonplace/io/json.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/suggest/ask.h"

namespace commonplace {
namespace {

using Json = nlohmann::ordered_json;

/// The items that a run looked at.
std::int64_t looked_at(const MachineRun& run) {
  const Json settings = ordered_json_from(run.settings, false);
  return settings.is_object() ? settings.value("items", std::int64_t{0}) : 0;
}

std::int64_t extend_suggestions(Library& library, const Collection& collection,
                                const StandingTags& standing, const Json& settings,
                                const std::vector<std::string>& ids, const Run& run) {
  std::vector<MachineTag> tags;
  {
    const suggest::Answerer suggester(library, standing.run.model, collection.name, run);
    suggest::Options options;
    options.limit = settings.value("limit_per_item", std::int64_t{5});
    options.threshold = settings.value("above", 0.9);
    const std::vector<suggest::Answer> answers = suggester.ask(collection.name, ids, options);
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (const suggest::Suggestion& each : answers[i].suggestions)
        tags.push_back({ids[i], each.tag, each.confidence});
  }
  Json noted = settings;
  noted["items"] = collection.items;
  noted["follows"] = standing.run.id;
  store_run(
      library, collection, standing.run.model, tags,
      {"update", json_text(noted), concat("items that came since run ", standing.run.id), false});
  return std::ssize(tags);
}

std::int64_t extend_concept(Library& library, const Collection& collection,
                            const StandingTags& standing, const Json& settings,
                            const std::vector<std::string>& ids, const Run& run) {
  Json noted = settings;
  noted["items"] = collection.items;
  noted["follows"] = standing.run.id;
  const detect::Answerer finder(library, "", collection.name, run);
  return std::ssize(detect::apply_to(library, finder, settings.at("concept").get<std::string>(),
                                     settings.at("least_score").get<double>(), ids,
                                     json_text(noted), run)
                        .tags);
}

}  // namespace

std::vector<StandingTags> standing_tags(const Library& library, const Collection& collection) {
  std::vector<StandingTags> result;
  const std::vector<MachineRun> runs = machine_runs(library);
  for (const MachineRun& each : runs) {
    if (each.collection != collection.name || !each.replaces || each.command != "apply" ||
        !each.field.empty() || !each.undone.empty() || looked_at(each) == 0)
      continue;
    const auto newest = newest_run(library, collection, each.model);
    if (!newest || newest->id != each.id) continue;
    StandingTags standing{each, looked_at(each)};
    for (const MachineRun& later : runs)
      if (later.id > each.id && later.collection == each.collection && later.model == each.model)
        standing.looked = std::max(standing.looked, looked_at(later));
    result.push_back(std::move(standing));
  }
  return result;
}

std::string standing_state(const Library& library, const Collection& collection) {
  std::string state;
  for (const StandingTags& each : standing_tags(library, collection))
    state += concat(each.run.id, collection.items > each.looked ? " behind " : " done ",
                    collection.items, '\n');
  return state;
}

std::string extend_standing_tags(Library& library, const Collection& collection, const Run& run) {
  std::int64_t given = 0;
  std::int64_t looked = 0;
  for (const StandingTags& each : standing_tags(library, collection)) {
    std::vector<std::int64_t> rows;
    for (std::int64_t row = each.looked; row < collection.items; ++row) rows.push_back(row);
    if (rows.empty()) continue;
    const std::vector<std::string> ids = ids_of_rows(library, collection, rows);
    const Json settings = ordered_json_from(each.run.settings);
    if (settings.contains("concept")) {
      if (settings.value("least_score", Json()).is_number())
        given += extend_concept(library, collection, each, settings, ids, run);
    } else {
      given += extend_suggestions(library, collection, each, settings, ids, run);
    }
    looked = std::max(looked, std::ssize(ids));
  }
  return concat("looked at ", looked, " items, gave ", given, " tags");
}

}  // namespace commonplace

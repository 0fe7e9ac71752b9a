#include "app/cli/keep/json.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "app/cli/terminal.h"

namespace commonplace::app {

using Json = nlohmann::ordered_json;

std::string keep_state_word(KeepState state) {
  switch (state) {
    case KeepState::done:
      return "done";
    case KeepState::due:
      return "due";
    case KeepState::waiting:
      return "waiting";
    case KeepState::away:
      break;
  }
  return "away";
}

Json as_json(const KeepStep& step) {
  return {{"collection", step.collection},
          {"step", step.step},
          {"state", keep_state_word(step.state)},
          {"why", step.why},
          {"anew", step.anew},
          {"items", step.items},
          {"seconds_left", step.seconds_left},
          {"said", step.said},
          {"time", step.time}};
}

Json as_json(const KeptStep& step) {
  return {{"collection", step.collection},
          {"step", step.step},
          {"why", step.why},
          {"said", step.said},
          {"problem", step.problem},
          {"seconds", step.seconds}};
}

Json as_json(const std::vector<KeepStep>& plan) {
  Json steps = Json::array();
  double seconds = 0;
  bool due = false;
  for (const KeepStep& each : plan) {
    steps.push_back(as_json(each));
    seconds += each.seconds_left;
    due = due || each.state == KeepState::due;
  }
  return {{"up_to_date", !due}, {"seconds_left", seconds}, {"steps", steps}};
}

Json as_json(const std::vector<KeepStep>& plan, const std::vector<KeptStep>& did) {
  Json json = as_json(plan);
  Json& steps = json["did"] = Json::array();
  for (const KeptStep& each : did) steps.push_back(as_json(each));
  return json;
}

Json as_json(const MachineRun& run) {
  Json settings = Json::parse(run.settings, nullptr, false);
  if (settings.is_discarded()) settings = run.settings;
  return {{"run", run.id},          {"time", run.time},
          {"command", run.command}, {"collection", run.collection},
          {"model", run.model},     {"version", run.version},
          {"field", run.field},     {"settings", settings},
          {"reason", run.reason},   {"replaces", run.replaces},
          {"wrote", run.wrote},     {"items", run.items},
          {"shown", run.shown},     {"undone", run.undone.empty() ? Json() : Json(run.undone)}};
}

Json as_json(const detect::Applied& tags, const std::string& concept_name) {
  Json list = Json::array();
  for (const detect::Applied::Tag& each : tags.tags)
    list.push_back({{"item", each.item}, {"probability", each.probability}});
  const detect::Calibration& sure = tags.calibration;
  return {{"concept", concept_name},
          {"model", tags.model},
          {"run", tags.run == 0 ? Json() : Json(tags.run)},
          {"items", tags.items},
          {"tagged", tags.tags.size()},
          {"before", tags.before},
          {"calibration",
           {{"answers", sure.answers},
            {"right", sure.right},
            {"held_out", sure.held_out},
            {"above", sure.above},
            {"above_right", sure.above_right},
            {"low", sure.low},
            {"high", sure.high}}},
          {"tags", list}};
}

Json as_json(const suggest::Applied& tags, const std::string& model, const std::string& collection,
             const suggest::ApplyOptions& options) {
  Json uses = Json::array();
  for (const TagUse& use : tags.uses) uses.push_back({{"tag", use.name}, {"items", use.items}});
  return {{"model", model},
          {"collection", collection},
          {"above", options.above},
          {"dry_run", options.dry_run},
          {"items", tags.items},
          {"tagged_items", tags.tagged_items},
          {"tags", tags.tags},
          {"replaced", tags.before},
          {"uses", uses}};
}

std::string duration_words(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 90) return counted(std::max<std::int64_t>(whole, 1), "second");
  if (whole < 90 * 60) return counted((whole + 30) / 60, "minute");
  return counted((whole + 1800) / 3600, "hour");
}

}  // namespace commonplace::app

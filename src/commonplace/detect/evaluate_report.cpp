#include "commonplace/detect/evaluate_report.h"

#include <algorithm>
#include <map>

#include "commonplace/eval/contest.h"
#include "commonplace/io/json.h"

namespace commonplace::detect {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string to_json(const Evaluation& evaluation) {
  Json methods = Json::array();
  for (const MethodQuality& each : evaluation.methods) {
    Json json = {{"method", each.method},
                 {"labelled", each.labelled},
                 {"unlabelled", each.unlabelled},
                 {"miap", measured_json(each.miap)},
                 {"precision@100", measured_json(each.precision_at_100)},
                 {"seconds", each.seconds}};
    if (each.error >= 0) json["error"] = each.error;
    if (!each.chosen.empty()) json["chosen"] = each.chosen;
    Json concepts = Json::object();
    for (std::size_t c = 0; c < each.of_concepts.size(); ++c)
      concepts[evaluation.concepts[c]] = each.of_concepts[c];
    json["concepts"] = std::move(concepts);
    methods.push_back(std::move(json));
  }
  return json_text(Json{{"items", evaluation.items},
                        {"columns", evaluation.columns},
                        {"concepts", evaluation.concepts.size()},
                        {"methods", methods}});
}

std::string evaluation_plot(const Evaluation& evaluation) {
  const auto by_labelled = [](const MethodQuality& of) {
    return ChartPoint{static_cast<double>(of.labelled), 100 * of.miap.value};
  };
  const auto by_unlabelled = [](const MethodQuality& of) {
    return ChartPoint{static_cast<double>(of.unlabelled), 100 * of.miap.value};
  };
  const auto errors = [](const MethodQuality& of) {
    return ChartPoint{static_cast<double>(of.labelled), 100 * of.error};
  };
  // Against the labelled items with the most unlabelled ones, and against these with the fewest
  // labelled ones.
  std::map<std::int64_t, std::int64_t> greatest;
  for (const MethodQuality& each : evaluation.methods)
    greatest[each.labelled] = std::max(greatest[each.labelled], each.unlabelled);
  std::vector<MethodQuality> most;
  std::vector<MethodQuality> fewest;
  for (const MethodQuality& each : evaluation.methods) {
    if (each.unlabelled == greatest[each.labelled]) most.push_back(each);
    if (each.labelled == greatest.begin()->first) fewest.push_back(each);
  }
  std::vector<Chart> charts = {
      {"Labelled items", "a concept", "MiAP, %", lines_by_method(most, by_labelled)},
      {"Unlabelled items", "that helped", "MiAP, %", lines_by_method(fewest, by_unlabelled)}};
  if (!most.empty() && most[0].error >= 0)
    charts.push_back({"Labelled items", "a concept", "error, %", lines_by_method(most, errors)});
  return chart_page(charts);
}

}  // namespace commonplace::detect

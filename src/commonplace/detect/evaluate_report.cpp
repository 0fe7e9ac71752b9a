#include "commonplace/detect/evaluate_report.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "commonplace/eval/plot.h"

namespace commonplace::detect {
namespace {

using Json = nlohmann::ordered_json;

/// One line a method of `y` against `x`.
template <class X, class Y>
std::vector<Series> lines(const std::vector<MethodQuality>& methods, X x, Y y) {
  std::vector<Series> result;
  for (const MethodQuality& each : methods) {
    auto found = std::find_if(result.begin(), result.end(),
                              [&](const Series& series) { return series.name == each.method; });
    if (found == result.end()) {
      result.push_back({each.method, {}, {}, {}, {}});
      found = result.end() - 1;
    }
    found->x.push_back(x(each));
    found->y.push_back(y(each));
  }
  return result;
}

}  // namespace

std::string to_json(const Evaluation& evaluation) {
  const auto measure = [](const Measured& of) {
    return Json{{"value", of.value}, {"low", of.interval.low}, {"high", of.interval.high}};
  };
  Json methods = Json::array();
  for (const MethodQuality& each : evaluation.methods) {
    Json json = {{"method", each.method},
                 {"labelled", each.labelled},
                 {"unlabelled", each.unlabelled},
                 {"miap", measure(each.miap)},
                 {"precision@100", measure(each.precision_at_100)},
                 {"seconds", each.seconds}};
    if (each.error >= 0) json["error"] = each.error;
    if (!each.chosen.empty()) json["chosen"] = each.chosen;
    Json concepts = Json::object();
    for (std::size_t c = 0; c < each.of_concepts.size(); ++c)
      concepts[evaluation.concepts[c]] = each.of_concepts[c];
    json["concepts"] = std::move(concepts);
    methods.push_back(std::move(json));
  }
  return Json{{"items", evaluation.items},
              {"columns", evaluation.columns},
              {"concepts", evaluation.concepts.size()},
              {"methods", methods}}
      .dump();
}

std::string evaluation_plot(const Evaluation& evaluation) {
  const auto labelled = [](const MethodQuality& of) { return static_cast<double>(of.labelled); };
  const auto helping = [](const MethodQuality& of) { return static_cast<double>(of.unlabelled); };
  const auto miap = [](const MethodQuality& of) { return 100 * of.miap.value; };
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
      {"Labelled items", "a concept", "MiAP, %", lines(most, labelled, miap)},
      {"Unlabelled items", "that helped", "MiAP, %", lines(fewest, helping, miap)}};
  if (!most.empty() && most[0].error >= 0)
    charts.push_back(
        {"Labelled items", "a concept", "error, %",
         lines(most, labelled, [](const MethodQuality& of) { return 100 * of.error; })});
  return chart_page(charts);
}

}  // namespace commonplace::detect

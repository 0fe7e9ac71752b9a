#include "commonplace/relate/evaluate_report.h"

#include <algorithm>
#include <functional>
#include <vector>

#include <nlohmann/json.hpp>

#include "commonplace/eval/plot.h"

namespace commonplace::relate {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const MethodQuality& each) {
  Json json = {{"method", each.method},
               {"learned_from", each.learned_from},
               {"ndcg",
                {{"value", each.ndcg.value},
                 {"low", each.ndcg.interval.low},
                 {"high", each.ndcg.interval.high}}},
               {"seconds", each.seconds}};
  if (each.dim > 0) json["dim"] = each.dim;
  if (!each.met.empty()) json.update({{"met", each.met}, {"rand", each.rand}});
  if (!each.chosen.empty()) json["chosen"] = each.chosen;
  return json;
}

/// One line a method of nDCG against what `x` gives; nothing if that is the same for all.
Chart ndcg_chart(const Evaluation& evaluation, const std::string& title, const std::string& label,
                 const std::function<double(const MethodQuality&)>& x) {
  Chart chart{title, label, "nDCG", {}};
  for (const MethodQuality& each : evaluation.methods) {
    auto found = std::find_if(chart.series.begin(), chart.series.end(),
                              [&](const Series& series) { return series.name == each.method; });
    if (found == chart.series.end()) {
      chart.series.push_back({each.method, {}, {}, {}, {}});
      found = std::prev(chart.series.end());
    }
    found->x.push_back(x(each));
    found->y.push_back(each.ndcg.value);
  }
  std::erase_if(chart.series, [](const Series& series) { return series.x.size() < 2; });
  return chart;
}

}  // namespace

std::string to_json(const Evaluation& evaluation) {
  Json methods = Json::array();
  for (const MethodQuality& each : evaluation.methods) methods.push_back(as_json(each));
  Json json = {{"target", evaluation.target},
               {"kinds", evaluation.modalities},
               {"items", evaluation.items},
               {"things", evaluation.nodes},
               {"methods", methods}};
  if (!evaluation.places.empty()) {
    Json places = Json::array();
    for (const PlaceQuality& each : evaluation.places)
      places.push_back({{"method", each.method},
                        {"median_metres", each.median.value},
                        {"low", each.median.interval.low},
                        {"high", each.median.interval.high},
                        {"within_1_km", each.within_1_km}});
    json.update({{"places", places}, {"places_told", evaluation.told}});
  }
  return json.dump();
}

std::string evaluation_plot(const Evaluation& evaluation) {
  std::vector<Chart> charts;
  Chart by_dim =
      ndcg_chart(evaluation, "Things found, by coordinates", "coordinates at most",
                 [](const MethodQuality& each) { return static_cast<double>(each.dim); });
  if (!by_dim.series.empty() && by_dim.series[0].x.front() != by_dim.series[0].x.back())
    charts.push_back(std::move(by_dim));
  Chart by_items =
      ndcg_chart(evaluation, "Things found, by items learned from", "items",
                 [](const MethodQuality& each) { return static_cast<double>(each.learned_from); });
  if (!by_items.series.empty() && by_items.series[0].x.front() != by_items.series[0].x.back())
    charts.push_back(std::move(by_items));
  Chart met{"Links of items held out that are met", "closest % of all pairs", "% met", {}};
  for (const MethodQuality& each : evaluation.methods) {
    const bool seen = std::any_of(met.series.begin(), met.series.end(),
                                  [&](const Series& series) { return series.name == each.method; });
    if (each.met.empty() || seen) continue;
    Series series{each.method, {}, {}, {}, {}};
    for (std::size_t i = 0; i < each.met.size(); ++i) {
      series.x.push_back(100.0 * static_cast<double>(i + 1) / static_cast<double>(each.met.size()));
      series.y.push_back(100 * each.met[i]);
    }
    met.series.push_back(std::move(series));
  }
  charts.push_back(std::move(met));
  return chart_page(charts);
}

}  // namespace commonplace::relate

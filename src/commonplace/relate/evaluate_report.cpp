#include "commonplace/relate/evaluate_report.h"

#include <algorithm>
#include <vector>

#include "commonplace/eval/contest.h"
#include "commonplace/io/json.h"

namespace commonplace::relate {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const MethodQuality& each) {
  Json json = {{"method", each.method},
               {"learned_from", each.learned_from},
               {"ndcg", measured_json(each.ndcg)},
               {"seconds", each.seconds}};
  if (each.dim > 0) json["dim"] = each.dim;
  if (!each.met.empty()) json.update({{"met", each.met}, {"rand", each.rand}});
  if (!each.chosen.empty()) json["chosen"] = each.chosen;
  return json;
}

/// nDCG against a number of each result; nothing if that is the same for all.
void add_ndcg_chart(const Evaluation& evaluation, const std::string& title,
                    const std::string& label, std::int64_t MethodQuality::*x,
                    std::vector<Chart>& charts) {
  std::vector<Series> lines = lines_by_method(evaluation.methods, [&](const MethodQuality& each) {
    return ChartPoint{static_cast<double>(each.*x), each.ndcg.value};
  });
  std::erase_if(lines, [](const Series& line) { return line.x.size() < 2; });
  if (is_varied(lines)) charts.push_back({title, label, "nDCG", std::move(lines)});
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
  return json_text(json);
}

std::string evaluation_plot(const Evaluation& evaluation) {
  std::vector<Chart> charts;
  add_ndcg_chart(evaluation, "Things found, by coordinates", "coordinates at most",
                 &MethodQuality::dim, charts);
  add_ndcg_chart(evaluation, "Things found, by items learned from", "items",
                 &MethodQuality::learned_from, charts);
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

#include "commonplace/suggest/evaluate_classify_report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "commonplace/base/error.h"
#include "commonplace/eval/contest.h"
#include "commonplace/io/json.h"

namespace commonplace::suggest {
namespace {

using Json = nlohmann::ordered_json;

Series series_of(const std::string& name) { return {name, {}, {}, {}, {}}; }

Chart errors_chart(const ClassifyEvaluation& evaluation) {
  Chart chart{"Error against prototypes", "prototypes, % of training items", "error, %", {}};
  std::map<std::string, std::size_t> places;
  for (const ClassifierQuality& each : evaluation.methods) {
    if (each.method == "full") continue;
    const std::string name = each.method == "sgp" ? each.selection : "ivm, one against rest";
    const auto [place, fresh] = places.try_emplace(name, chart.series.size());
    if (fresh) chart.series.push_back(series_of(name));
    Series& series = chart.series[place->second];
    series.x.push_back(100 * static_cast<double>(each.prototypes) /
                       static_cast<double>(std::max<std::int64_t>(1, evaluation.train_items)));
    series.y.push_back(100 * each.error.value);
    series.low.push_back(100 * each.error.interval.low);
    series.high.push_back(100 * each.error.interval.high);
  }
  for (const ClassifierQuality& each : evaluation.methods) {
    if (each.method != "full") continue;
    Series all = series_of("all items");
    for (const Series& series : chart.series)
      for (const double x : series.x) all.x.push_back(x);
    std::sort(all.x.begin(), all.x.end());
    all.y.assign(all.x.size(), 100 * each.error.value);
    chart.series.push_back(std::move(all));
  }
  return chart;
}

Chart surface_chart(const LikelihoodSurface& surface) {
  Chart chart{"Log marginal likelihood", "log2 of the kernel's length", "log likelihood", {}};
  for (std::size_t j = 0; j < surface.variances.size(); ++j) {
    Series series = series_of(concat("variance ", surface.variances[j]));
    for (std::size_t i = 0; i < surface.length_scales.size(); ++i) {
      series.x.push_back(std::log2(surface.length_scales[i]));
      series.y.push_back(
          surface.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

std::string to_json(const ClassifyEvaluation& evaluation) {
  Json methods = Json::array();
  for (const ClassifierQuality& each : evaluation.methods) {
    Json json = {{"method", each.method}};
    if (!each.selection.empty()) json["selection"] = each.selection;
    if (!each.asked.empty()) json["asked"] = each.asked;
    json["prototypes"] = each.prototypes;
    json["error"] = measured_json(each.error);
    json["log_likelihood"] = measured_json(each.log_likelihood);
    json["calibration_error"] = measured_json(each.calibration_error);
    json["averaged_log_likelihood"] = measured_json(each.averaged_log_likelihood);
    json["averaged_calibration_error"] = measured_json(each.averaged_calibration_error);
    json["train_seconds"] = each.train_seconds;
    json["predict_seconds"] = each.predict_seconds;
    methods.push_back(std::move(json));
  }
  Json gains = Json::array();
  for (const SelectionGain& gain : evaluation.descent_over_random)
    gains.push_back({{"prototypes", gain.asked},
                     {"error", measured_json(gain.difference)},
                     {"log_likelihood", measured_json(gain.log_likelihood)}});
  Json json = {{"items", evaluation.items},
               {"features", evaluation.features},
               {"classes", evaluation.classes},
               {"train_items", evaluation.train_items},
               {"kernel",
                {{"kind", to_string(evaluation.kernel.kind)},
                 {"length_scale", evaluation.kernel.length_scale},
                 {"variance", evaluation.kernel.variance}}},
               {"methods", std::move(methods)},
               {"descent_minus_random", std::move(gains)}};
  const LikelihoodSurface& surface = evaluation.surface;
  if (surface.values.size() > 0) {
    Json rows = Json::array();
    for (Eigen::Index i = 0; i < surface.values.rows(); ++i) {
      Json row = Json::array();
      for (Eigen::Index j = 0; j < surface.values.cols(); ++j) row.push_back(surface.values(i, j));
      rows.push_back(std::move(row));
    }
    json["likelihood_surface"] = {{"lengths", surface.length_scales},
                                  {"variances", surface.variances},
                                  {"log_likelihood", std::move(rows)}};
  }
  return json_text(json);
}

std::string evaluation_plot(const ClassifyEvaluation& evaluation) {
  std::vector<Chart> charts = {errors_chart(evaluation)};
  if (evaluation.surface.values.size() > 0) charts.push_back(surface_chart(evaluation.surface));
  return chart_page(charts, 1);
}

}  // namespace commonplace::suggest

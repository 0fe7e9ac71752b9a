#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/eval/plot.h"
#include "commonplace/io/csv.h"
#include "commonplace/suggest/evaluate_classify.h"

// What goes into evaluate_classify and what comes out of it as files.

namespace commonplace {
namespace {

using Json = nlohmann::ordered_json;

std::string trimmed(const std::string& cell) {
  const std::size_t begin = cell.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return cell.substr(begin, cell.find_last_not_of(" \t") - begin + 1);
}

bool read_number(const std::string& cell, float& value) {
  const std::string text = trimmed(cell);
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  return problem == std::errc{} && stop == end && std::isfinite(value);
}

/// The numbers of a record, and its class.
std::string read_record(const CsvRecords& records, std::size_t columns,
                        std::vector<float>& numbers) {
  const auto& cells = records.cells();
  require(records.problem().empty(), to_string(records.where()), ": ", records.problem());
  require(cells.size() == columns, to_string(records.where()), ": ", cells.size(),
          " cells where the first line has ", columns, "; give every line as many");
  for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
    float value = 0;
    require(read_number(cells[i], value), to_string(records.where()), ": '", cells[i],
            "' is not a number; expected numbers and the class in the last column");
    numbers.push_back(value);
  }
  std::string name = trimmed(cells.back());
  require(!name.empty(), to_string(records.where()), ": the last cell, the class, is empty");
  return name;
}

Json as_json(const ClassifyMeasure& measure) {
  return {{"value", measure.value}, {"low", measure.interval.low}, {"high", measure.interval.high}};
}

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
    for (std::size_t i = 0; i < surface.lengths.size(); ++i) {
      series.x.push_back(std::log2(surface.lengths[i]));
      series.y.push_back(
          surface.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace

ClassifiedItems read_classified(const std::filesystem::path& path) {
  const auto source = open_bytes(path);
  CsvRecords records(*source, path.string(), '\0');
  std::vector<float> numbers;
  std::vector<std::string> names;
  std::size_t columns = 0;
  while (records.next()) {
    if (columns == 0) {
      columns = records.cells().size();
      require(columns >= 2, to_string(records.where()),
              ": one column; expected numbers and the class in the last column");
      float value = 0;
      if (!read_number(records.cells()[0], value)) continue;
    }
    names.push_back(read_record(records, columns, numbers));
  }
  require(!names.empty(), path.string(), ": no items; expected lines of numbers and a class");
  ClassifiedItems items;
  items.features = Eigen::Map<const Matrix>(numbers.data(), std::ssize(names),
                                            static_cast<Eigen::Index>(columns - 1));
  std::map<std::string, std::int32_t> ids;
  for (const std::string& name : names) ids.try_emplace(name, 0);
  for (auto& [name, id] : ids) {
    id = static_cast<std::int32_t>(items.classes.size());
    items.classes.push_back(name);
  }
  for (const std::string& name : names) items.labels.push_back(ids.at(name));
  return items;
}

std::string to_json(const ClassifyEvaluation& evaluation) {
  Json methods = Json::array();
  for (const ClassifierQuality& each : evaluation.methods) {
    Json json = {{"method", each.method}};
    if (!each.selection.empty()) json["selection"] = each.selection;
    if (!each.asked.empty()) json["asked"] = each.asked;
    json["prototypes"] = each.prototypes;
    json["error"] = as_json(each.error);
    json["log_likelihood"] = as_json(each.log_likelihood);
    json["calibration_error"] = as_json(each.calibration_error);
    json["averaged_log_likelihood"] = as_json(each.averaged_log_likelihood);
    json["averaged_calibration_error"] = as_json(each.averaged_calibration_error);
    json["train_seconds"] = each.train_seconds;
    json["predict_seconds"] = each.predict_seconds;
    methods.push_back(std::move(json));
  }
  Json gains = Json::array();
  for (const SelectionGain& gain : evaluation.descent_over_random)
    gains.push_back({{"prototypes", gain.asked},
                     {"error", as_json(gain.difference)},
                     {"log_likelihood", as_json(gain.log_likelihood)}});
  Json json = {{"items", evaluation.items},
               {"features", evaluation.features},
               {"classes", evaluation.classes},
               {"train_items", evaluation.train_items},
               {"kernel",
                {{"kind", to_string(evaluation.kernel.kind)},
                 {"length", evaluation.kernel.length},
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
    json["likelihood_surface"] = {{"lengths", surface.lengths},
                                  {"variances", surface.variances},
                                  {"log_likelihood", std::move(rows)}};
  }
  return json.dump();
}

std::string evaluation_plot(const ClassifyEvaluation& evaluation) {
  std::vector<Chart> charts = {errors_chart(evaluation)};
  if (evaluation.surface.values.size() > 0) charts.push_back(surface_chart(evaluation.surface));
  return chart_page(charts, 1);
}

}  // namespace commonplace

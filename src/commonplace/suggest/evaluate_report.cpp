#include "commonplace/suggest/evaluate_report.h"

#include "commonplace/eval/plot.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/io/json.h"

namespace commonplace::suggest {
namespace {

nlohmann::ordered_json result_json(const MethodQuality& result) {
  nlohmann::ordered_json json = {{"method", result.method},
                                 {"prototypes", result.prototypes},
                                 {"precision@1", result.precision[0]},
                                 {"precision@3", result.precision[2]},
                                 {"precision@5", result.precision[4]},
                                 {"precision@1_interval", both_ends(result.precision_at_1)},
                                 {"precision@3_interval", both_ends(result.precision_at_3)},
                                 {"precision@5_interval", both_ends(result.precision_at_5)},
                                 {"precision", result.precision},
                                 {"ndcg@5", result.ndcg_at_5},
                                 {"f1@5", result.f1_at_5},
                                 {"popular_ndcg@5", result.popular_ndcg},
                                 {"rare_ndcg@5", result.rare_ndcg},
                                 {"rank_loss", result.rank_loss},
                                 {"one_error", result.one_error},
                                 {"coverage", result.coverage},
                                 {"train_seconds", result.train_seconds},
                                 {"predict_seconds", result.predict_seconds},
                                 {"peak_memory_bytes", result.memory}};
  const auto difference = [&](const Measured& each) {
    return nlohmann::ordered_json{{"value", each.value}, {"interval", both_ends(each.interval)}};
  };
  if (result.has_confidence) {
    json["shown"] = commonplace::as_json(result.shown);
    json["shown_rare"] = commonplace::as_json(result.shown_rare);
    json["hamming_loss"] = result.hamming_loss;
    json["f1"] = result.f1;
    json["calibration_error"] = result.calibration_error;
    write_json(json["reliability"], result.reliability);
  }
  if (result.has_claim)
    json["claimed"] = {{"precision@1", result.claimed_precision_at_1},
                       {"precision@1_interval", both_ends(result.claimed_precision_at_1_interval)},
                       {"real_less_claimed", difference(result.precision_at_1_less_claimed)},
                       {"right_less_confidence", difference(result.right_less_confidence)}};
  if (!result.settings.empty()) {
    json["settings"] = ordered_json_from(result.settings);
    json["settings"].erase("seconds");  // train_seconds has them
  }
  return json;
}

Chart precision_chart(const Evaluation& evaluation) {
  Chart chart;
  chart.title = "Precision of the first k tags";
  chart.x_label = "k";
  chart.y_label = "precision";
  for (const MethodQuality& each : evaluation.methods) {
    Series& series = chart.series.emplace_back();
    series.name = each.method;
    for (std::size_t k = 1; k <= each.precision.size(); ++k) {
      series.x.push_back(static_cast<double>(k));
      series.y.push_back(each.precision[k - 1]);
    }
  }
  return chart;
}

Chart sweep_chart(const Evaluation& evaluation) {
  Chart chart;
  chart.title = "Precision by number of prototypes";
  chart.x_label = "prototypes";
  chart.y_label = "precision";
  for (const std::size_t k : {1, 3, 5}) {
    Series& series = chart.series.emplace_back();
    series.name = "first " + std::to_string(k);
    for (const MethodQuality& each : evaluation.sweep) {
      series.x.push_back(static_cast<double>(each.prototypes));
      series.y.push_back(each.precision[k - 1]);
    }
  }
  return chart;
}

Chart reliability_chart(const Evaluation& evaluation) {
  Chart chart;
  chart.title = "How often a confidence is right";
  chart.x_label = "confidence";
  chart.y_label = "share that is right";
  chart.series.push_back({});
  chart.series.back().name = "perfect";
  chart.series.back().x = {0, 1};
  chart.series.back().y = {0, 1};
  for (const MethodQuality& each : evaluation.methods) {
    if (each.reliability.empty()) continue;
    Series& series = chart.series.emplace_back();
    series.name = each.method;
    for (const CalibrationBin& bin : each.reliability) {
      series.x.push_back(bin.mean_probability);
      series.y.push_back(bin.frequency);
    }
  }
  return chart;
}

}  // namespace

std::string to_json(const Evaluation& evaluation) {
  nlohmann::ordered_json methods = nlohmann::ordered_json::array();
  for (const MethodQuality& each : evaluation.methods) methods.push_back(result_json(each));
  nlohmann::ordered_json sweep = nlohmann::ordered_json::array();
  for (const MethodQuality& each : evaluation.sweep) sweep.push_back(result_json(each));
  const nlohmann::ordered_json json = {{"train_items", evaluation.train_items},
                                       {"test_items", evaluation.test_items},
                                       {"untagged_test_items", evaluation.untagged},
                                       {"strange_test_items", evaluation.strange},
                                       {"features", evaluation.features},
                                       {"tags", evaluation.tags},
                                       {"methods", methods},
                                       {"sweep", sweep}};
  return json_text(json);
}

std::string evaluation_plot(const Evaluation& evaluation) {
  std::vector<Chart> charts = {precision_chart(evaluation)};
  if (evaluation.sweep.size() > 1) charts.push_back(sweep_chart(evaluation));
  charts.push_back(reliability_chart(evaluation));
  return chart_page(charts);
}

}  // namespace commonplace::suggest

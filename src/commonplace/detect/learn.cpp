#include "commonplace/detect/learn.h"

#include <algorithm>
#include <utility>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/detect/concepts.h"
#include "commonplace/detect/features.h"
#include "commonplace/detect/index.h"
#include "commonplace/eval/calibration.h"
#include "commonplace/io/json.h"

namespace commonplace::detect {
namespace {

Report report_of(const Model& model, const Detector& chosen, std::int64_t items) {
  Report report;
  report.collection = model.collection;
  report.features = model.features;
  report.items = items;
  report.labelled = std::ssize(labelled_rows(model.shown));
  report.concepts = std::ssize(model.concepts);
  report.representation = model.representation;
  report.columns = model.space.columns();
  report.head = model.head;
  report.tried = chosen.tried;
  for (const TuningTrial& each : chosen.tried) report.miap = std::max(report.miap, each.quality);
  if (!chosen.held_scores.empty()) {
    std::vector<double> given;
    for (const float score : chosen.held_scores)
      given.push_back(confidence(model.confidence, static_cast<double>(score)));
    report.calibration_error = expected_calibration_error(given, chosen.held_outcomes, 15);
  }
  return report;
}

}  // namespace

Report learn(Library& library, const std::string& collection_name, const std::string& name,
             const ModelOptions& options, const Run& run) {
  const auto begin = Clock::now();
  check(options.detector);
  const Collection source = collection(library, collection_name);
  Model model;
  model.collection = source.name;
  model.options = options;
  model.features = detect_features(library, source, options.features);
  const MappedFeatures features(library, source, model.features);
  ConceptTable table = read_concepts(library, source, options, features.rows());
  require_same(run.comm, state_of(library, source), "collection '" + source.name + "'");
  model.concepts = std::move(table.concepts);
  model.known = std::move(table.known);
  model.shown = std::move(table.shown);

  LabelledItems labelled;
  if (!model.concepts.empty()) {
    labelled.rows = labelled_rows(model.shown);
    labelled =
        sample_labelled(labelled.rows, options.detector.choose_on, options.detector.space.seed);
    labelled.labels = labels_of(model.known, labelled.rows);
  }
  Detector chosen = fit_detector(features.views(), labelled, options.detector, run);
  model.space = std::move(chosen.space);
  model.representation = chosen.representation;
  model.head = chosen.head;
  model.confidence = fit_confidence(chosen.held_scores, chosen.held_outcomes);
  learn_concepts(model, features.views(), run);
  Sq8Rows index = code_items(model.space, features.views(), 0, {}, run);

  Report report = report_of(model, chosen, features.rows());
  report.model = name.empty() ? "detect." + source.name : name;
  report.seconds = seconds_since(begin);
  on_root(run.comm, [&] {
    store_with_index(library, report.model, model, to_json(report), std::move(index));
  });
  return report;
}

std::string to_json(const Report& report) {
  using Json = nlohmann::ordered_json;
  Json json = {{"model", report.model},
               {"collection", report.collection},
               {"features", report.features},
               {"items", report.items},
               {"labelled", report.labelled},
               {"concepts", report.concepts},
               {"representation", report.representation},
               {"coordinates", report.columns},
               {"head", report.head.svm ? "svm" : "laprls"},
               {"tried", ordered_json_from(to_json(report.tried, "miap"))},
               {"seconds", report.seconds}};
  if (!report.head.svm) json["lambda"] = report.head.lambda;
  if (!report.tried.empty()) {
    json["miap"] = report.miap;
    json["calibration_error"] = report.calibration_error;
  }
  return json_text(json);
}

}  // namespace commonplace::detect

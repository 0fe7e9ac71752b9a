#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/transfer/bridges.h"
#include "commonplace/transfer/core/transitive_transfer.h"
#include "commonplace/transfer/data.h"

namespace commonplace::transfer {

struct Request {
  std::vector<std::string> sources;
  std::string target;
  std::vector<std::string> through;     ///< collections in between, in their order
  bool direct = false;                  ///< nothing in between
  bool chain = false;                   ///< search the best path
  std::vector<std::string> candidates;  ///< that may be in between; empty: all others
  std::size_t most = 3;                 ///< collections in between, of a path that is searched
  bool force = false;                   ///< go on where the forecast is that it would harm
  bool dry_run = false;                 ///< find out and write nothing
  double above = 0;                     ///< least probability of a label that is written
  std::string name;                     ///< of the model; empty: SOURCE-to-TARGET
};

/// What the model is called: as asked for, or SOURCE-to-TARGET.
std::string model_name(const Request& request);

struct Prediction {
  std::string item;
  std::string label;
  double probability = 0;
};
template <class Visit>
void visit_fields(const Prediction& prediction, Visit&& visit) {
  visit("item", prediction.item, "without a label of its own");
  visit("label", prediction.label, "the likeliest");
  visit("probability", prediction.probability, "of it");
}

struct LabelCount {
  std::string label;
  std::int64_t items = 0;
};

struct Answer {
  std::vector<std::string> sources;
  std::vector<std::string> through;
  std::string target;
  std::string field;
  std::string model;
  std::optional<RankedBridge> forecast;  ///< of what is in between, if something is
  std::string advice;                    ///< what the forecast is learned from
  bool refused = false;
  std::string reason;  ///< for a refusal
  std::vector<Stage> stages;
  std::vector<Prediction> predictions;  ///< of the items without a label, in their order
  std::vector<LabelCount> counts;       ///< of those that are sure enough
  std::int64_t known = 0;               ///< items of the target that had a label before
  std::int64_t same_items = 0;          ///< that are the same as a labelled item elsewhere
  std::int64_t sure = 0;                ///< predictions that are sure enough to be written
  std::int64_t written = 0;             ///< these, unless it was a try
  double mean_probability = 0;
  double seconds = 0;
};
/// What the objective was at the end; 0 where nothing was factorised.
inline double last_objective(const Stage& stage) {
  return stage.report.objective.empty() ? 0.0 : stage.report.objective.back();
}
inline std::vector<std::pair<std::string, std::int64_t>> by_label(
    const std::vector<LabelCount>& counts) {
  std::vector<std::pair<std::string, std::int64_t>> result;
  for (const LabelCount& each : counts) result.emplace_back(each.label, each.items);
  return result;
}
template <class Visit>
void visit_fields(const Stage& stage, Visit&& visit) {
  visit("iterations", stage.report.iterations, "of the factorisation");
  visit("converged", stage.report.converged, "it did");
  visit("objective", last_objective(stage), "at its end");
  visit("refinements", stage.refinements, "rounds of them");
  visit("told_by", stage.told_by, "what the start was told by");
  visit("expected", stage.expected, "share of the start that is expected to be right");
  visit("guessing", stage.guessing, "what naming the commonest class may reach");
  visit("answer", stage.answer, "the step that the answer is of");
  visit("collapsed", stage.collapsed, "a later step was undone");
  visit("grouped", stage.clustered, "it was factorised and refined");
  visit("right_before_grouping", stage.simulation.start, "in a simulated transfer");
  visit("right_after_grouping", stage.simulation.refined, "in a simulated transfer");
  visit("right_after_self_training", stage.simulation.self_trained, "in a simulated transfer");
  visit("renamed", stage.permuted, "the labels were");
  visit("shared_features", stage.shared_features,
        "share of its features that the one before it has too");
  visit("agreement", stage.agreement, "share of items that are of the class that the start said");
}
template <class Visit>
void visit_fields(const Answer& summary, Visit&& visit) {
  visit("model", summary.model, "its name");
  visit("field", summary.field, "the field of the labels");
  visit("sources", summary.sources, "that have labels");
  visit("through", summary.through, "in between");
  visit("target", summary.target, "that gets labels");
  visit("refused", summary.refused, "it would harm, or there is no way");
  visit.where(!summary.reason.empty(), "reason", summary.reason, "for a refusal");
  visit("forecast", summary.forecast, "of what is in between");
  visit.where(summary.forecast.has_value(), "forecast_learned_from", summary.advice, "for people");
  visit("stages", summary.stages, "one a collection of the path");
  visit("labels", by_label(summary.counts),
        "how many items get each, of those that are sure enough");
  visit("known", summary.known, "items of the target that had a label before");
  visit.where(summary.same_items > 0, "same_items", summary.same_items,
              "that are the same as a labelled item elsewhere, and take its label");
  visit("sure", summary.sure, "predictions that are sure enough to be written");
  visit("written", summary.written, "these, unless it was a try");
  visit("mean_probability", summary.mean_probability, "of the predictions");
  visit("seconds", summary.seconds, "that it took");
  visit.where(!summary.predictions.empty(), "predictions", summary.predictions,
              "of the items without a label");
}

/// Labels the items of the target that have no label of their own, and stores what it finds as
/// machine labels under the model's name, with their probabilities, in place of what that model
/// said before; what humans say is not touched. If the way is not given, the collection in between
/// of the greatest predicted gain is taken if the gain is clear, otherwise none. Where harm is
/// predicted, or source and target have nothing in common, it refuses and writes nothing. Each rank
/// has the library and works on its own_rows of every collection on the way; rank 0 writes.
Answer ask(Library& library, const Request& request, const ReadOptions& read,
           const Options& options, const Run& run);

/// What bridges there are between two ends, ranked.
struct BridgeRanking {
  BridgeMap map;
  std::vector<RankedBridge> bridges;
  /// What `chain` would go through; nothing if there is no way.
  std::optional<std::vector<std::string>> chain;
  BridgeAdvice advice;
};
/// The source or the target of a ranking, and how far apart they are.
struct BridgeEnd {
  std::string name;
  double complexity = 0;
};
BridgeEnd source_of(const BridgeMap& map);
BridgeEnd target_of(const BridgeMap& map);
double distance_of(const BridgeMap& map);
template <class Visit>
void visit_fields(const BridgeEnd& end, Visit&& visit) {
  visit("name", end.name, "of the collection");
  visit("complexity", end.complexity, "the share of its features that are rare");
}
template <class Visit>
void visit_fields(const BridgeQuality& quality, Visit&& visit) {
  visit("trials", quality.examples, "that it was learned from");
  visit("successes", quality.successes, "among them");
  visit("balanced_accuracy", quality.balanced_accuracy, "of telling them");
  visit("accuracy_on_new_targets", quality.target_accuracy,
        "of telling them, for targets that were held out");
  visit("auc_on_new_targets", quality.target_auc, "successes ranked above failures");
  visit("gain_error", quality.gain_error, "root mean square");
  visit("gain_correlation", quality.gain_correlation, "of forecast and actual gains");
}
template <class Visit>
void visit_fields(const BridgeRanking& ranking, Visit&& visit) {
  visit("source", source_of(ranking.map), "the collection that has labels");
  visit("target", target_of(ranking.map), "the collection that gets them");
  visit("distance", distance_of(ranking.map), "between the two");
  visit("bridges", ranking.bridges, "that there are, best first");
  visit.or_null("chain", ranking.chain, "what a path would go through; null: there is none");
  visit("forecast_learned_from", ranking.advice.learned_from, "for people");
  visit("forecast_quality", ranking.advice.choice.quality, "how good forecasts are");
}
BridgeRanking rank_library_bridges(const Library& library, const Request& request,
                                   const ReadOptions& read, const Run& run);

/// All collections that have items, measured without labels.
BridgeMap measure_library(const Library& library, const ReadOptions& read, const Run& run);

}  // namespace commonplace::transfer

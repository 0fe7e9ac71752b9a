#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/base/fields.h"
#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/transfer/core/bridge_choice.h"
#include "commonplace/transfer/core/bridge_trials.h"
#include "commonplace/transfer/data.h"

namespace commonplace::transfer {

/// The model that says which bridges help, and where it is from.
struct BridgeAdvice {
  BridgeChoice choice;
  std::string learned_from;  ///< for people
};

/// The one that was learned from the library, if there is one; else the one that is built in.
BridgeAdvice bridge_advice(const Library& library);
BridgeAdvice built_in_advice();

/// What was tried to learn it.
struct LearnedBridges {
  BridgeAdvice advice;
  std::vector<std::string> names;  ///< of the collections
  BridgeTrials tried;
  std::size_t plain = 0;  ///< of the trials; in the others collections have lost features
  std::vector<BridgeForecast> held_out;  ///< of each trial, learned from the other targets
  double seconds = 0;                    ///< of the trials, reading aside
};

/// Tries all labelled collections of a library as bridges between each other, learns from it and
/// stores the model as "bridges". `names` are the collections; empty: all that have the label.
/// The ranks share the trials, and rank 0 stores.
/// Error for fewer than four of them.
LearnedBridges learn_bridges(Library& library, std::vector<std::string> names,
                             const ReadOptions& read, const BridgeTrialOptions& options,
                             const Run& run);

/// What one trial found, beside what was forecast without it.
struct TriedBridge {
  std::string source;
  std::string bridge;
  std::string target;
  bool features_hidden = false;
  double direct = 0;
  double bridged = 0;
  BridgeForecast forecast;
};
std::vector<TriedBridge> tried_bridges(const LearnedBridges& learned);
template <class Visit>
void visit_fields(const TriedBridge& tried, Visit&& visit) {
  visit("source", tried.source, "that has labels");
  visit("bridge", tried.bridge, "in between");
  visit("target", tried.target, "that gets them");
  visit("features_hidden", tried.features_hidden, "collections had lost features");
  visit("direct", tried.direct, "accuracy without the bridge");
  visit("bridged", tried.bridged, "accuracy with it");
  visit("success", tried.forecast.success, "the chance that was forecast");
  visit("gain", tried.forecast.gain, "that was forecast");
}
inline constexpr const char* kBridgesModel = "bridges";
template <class Visit>
void visit_fields(const LearnedBridges& learned, Visit&& visit) {
  const std::string text = to_json(learned.advice.choice);
  visit("model", std::string(kBridgesModel), "its name");
  visit("learned_from", learned.advice.learned_from, "for people");
  visit("seconds", learned.seconds, "that it took");
  visit("choice", JsonText{text}, "the forecast itself");
  visit("trials", tried_bridges(learned), "what was tried");
}

/// Collections that a transfer could go through, measured without labels. All sources together
/// stand first, the target last.
struct BridgeMap {
  std::vector<std::string> names;
  CollectionMeasures measures;
  MatrixD shared;  ///< of each pair, the share of the smaller one's features that both have
  std::vector<std::int64_t> items;

  std::size_t target() const { return names.size() - 1; }
};
/// A collection, and a pair of them, as a map has them.
struct MeasuredCollection {
  std::string name;
  std::int64_t items = 0;
  double complexity = 0;
};
struct MeasuredPair {
  std::string first;
  std::string second;
  double distance = 0;
  double shared = 0;
};
std::vector<MeasuredCollection> measured_collections(const BridgeMap& map);
std::vector<MeasuredPair> measured_pairs(const BridgeMap& map);
template <class Visit>
void visit_fields(const MeasuredCollection& each, Visit&& visit) {
  visit("name", each.name, "of the collection");
  visit("items", each.items, "that it has");
  visit("complexity", each.complexity, "the share of its features that are rare");
}
template <class Visit>
void visit_fields(const MeasuredPair& pair, Visit&& visit) {
  visit("first", pair.first, "a collection");
  visit("second", pair.second, "another");
  visit("distance", pair.distance, "0: alike, 2: as unlike as can be");
  visit("shared", pair.shared, "of the features of the smaller, the share that both have");
}
template <class Visit>
void visit_fields(const BridgeMap& map, Visit&& visit) {
  visit("collections", measured_collections(map), "that have items");
  visit("pairs", measured_pairs(map), "of them");
}
/// The ranks share the pairs.
BridgeMap map_of(const Data& data, std::size_t sources, const BridgeTrialOptions& options,
                 const Run& run);

struct RankedBridge {
  std::string name;
  BridgeTraits traits;
  BridgeForecast forecast;
  double shared_source = 0;  ///< shares of features
  double shared_target = 0;
  /// Source and target share nothing, but it shares with both: without it there is no way at all.
  bool only_way = false;
};
template <class Visit>
void visit_fields(const RankedBridge& bridge, Visit&& visit) {
  visit("name", bridge.name, "of the collection");
  visit("success", bridge.forecast.success, "the chance that it helps");
  visit("gain", bridge.forecast.gain, "in accuracy that is forecast");
  visit("gain_error", bridge.forecast.gain_error, "of the forecast");
  visit("complexity", bridge.traits.bridge_complexity, "the share of its features that are rare");
  visit("distance_to_source", bridge.traits.source_bridge, "0: alike, 2: as unlike as can be");
  visit("distance_to_target", bridge.traits.bridge_target, "0: alike, 2: as unlike as can be");
  visit("shared_with_source", bridge.shared_source, "the share of features that both have");
  visit("shared_with_target", bridge.shared_target, "the share of features that both have");
  visit.where(bridge.only_way, "only_way", bridge.only_way,
              "source and target share nothing without it");
}

/// Below this share of features two collections have nothing in common.
inline constexpr double kHardlyShared = 0.01;
/// Whether it shares features with both ends.
bool leads(const RankedBridge& bridge);

/// Whether a bridge is clearly forecast to help: more likely than not, and by more than the
/// forecast errs.
bool is_clear_gain(const BridgeForecast& forecast);

/// Every collection of the map but the two ends, the best first: by the gain that is predicted.
/// Those that do not lead from one to the other come last.
std::vector<RankedBridge> rank_bridges(const BridgeMap& map, const BridgeChoice& choice);

/// The forecast for a path through several collections: that of one bridge as far from the source
/// as the first, as far from the target as the last, and as complex as the most complex of them.
RankedBridge forecast_path(const BridgeMap& map, const std::vector<std::size_t>& through,
                           const BridgeChoice& choice);

/// The collections to go through, as places in the map: those of the shortest way from source to
/// target, where a step between two collections of A-distance d costs -ln(1.01 - d / 2), and is
/// possible only between collections that share features. Empty: directly. Nothing if there is no
/// way with at most `most` collections in between.
std::optional<std::vector<std::size_t>> best_chain(const BridgeMap& map, std::size_t most);

}  // namespace commonplace::transfer

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

std::string to_json(const LearnedBridges& learned);

/// Collections that a transfer could go through, measured without labels. All sources together
/// stand first, the target last.
struct BridgeMap {
  std::vector<std::string> names;
  CollectionMeasures measures;
  MatrixD shared;  ///< of each pair, the share of the smaller one's features that both have
  std::vector<std::int64_t> items;

  std::size_t target() const { return names.size() - 1; }
};
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

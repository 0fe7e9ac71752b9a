#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
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
  std::int64_t sure = 0;                ///< predictions that are sure enough to be written
  std::int64_t written = 0;             ///< these, unless it was a try
  double mean_probability = 0;
  double seconds = 0;
};

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
BridgeRanking rank_library_bridges(const Library& library, const Request& request,
                                   const ReadOptions& read, const Run& run);

/// All collections that have items, measured without labels.
BridgeMap measure_library(const Library& library, const ReadOptions& read, const Run& run);

std::string to_json(const BridgeMap& map);
std::string to_json(const Answer& summary);
std::string to_json(const BridgeRanking& ranking);

}  // namespace commonplace::transfer

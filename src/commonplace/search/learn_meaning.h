#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/search/core/trial.h"
#include "commonplace/search/meaning.h"

namespace commonplace::search {

/// What learning found of one way.
struct MeaningWaySummary {
  MeaningKind kind = MeaningKind::texts;
  std::string features;
  std::string encoder;         ///< of what is asked
  std::int64_t captioned = 0;  ///< pictures that it learned from
  /// Of captions held out, in %, how many found their picture among the first ten of `among`.
  double recall = 0;
  std::int64_t among = 0;
  double gain = 0;  ///< in mean average precision on hidden tags, of those without the tag
  double weight = 0;
};

struct MeaningReport {
  std::vector<MeaningWaySummary> ways;
  std::string problem;  ///< why some vectors could not be used
};

/// Tags that were hidden from some of the target's items, and how these are ranked without any
/// meaning: what the weights are chosen on.
struct HeldOutRanking {
  Trial trial;
  std::vector<std::string> asked;          ///< names of the asked terms
  std::vector<std::int64_t> rows;          ///< of the target: the trial's items
  std::vector<std::vector<float>> scores;  ///< [asked][item]
};

/// Whether an encoder made features of a collection.
bool has_encoded_features(const Library& library, const Collection& collection);

/// Learns to search the first of the collections by meaning from features that encoders made of it;
/// the others help by what is written beside their pictures. Nothing if there are no such features.
std::optional<MeaningModel> learn_meaning(const Library& library,
                                          const std::vector<Collection>& collections,
                                          const HeldOutRanking& held_out, MeaningReport& report,
                                          const Run& run);

}  // namespace commonplace::search

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/eval/tune.h"
#include "commonplace/suggest/core/suggester.h"
#include "commonplace/suggest/core/suggester_quality.h"

namespace commonplace::suggest {

struct SuggesterReport {
  std::int64_t items = 0;
  std::int64_t tags = 0;
  std::int64_t prototypes = 0;
  std::string weighting;  ///< empty for dense features
  double length_scale = 0;
  double noise_variance = 0;
  SuggesterMixture mixture;
  std::string linear{};  ///< which linear classifiers are in it; empty: none
  double threshold = 0;
  std::vector<TuningTrial> tried;  ///< by nDCG of the first five tags
  SuggesterQuality quality;
  double seconds = 0;
};

struct LearnedSuggester {
  Suggester suggester;
  SuggesterReport report;
};

/// What a suggester learns from.
struct SuggesterData {
  FeatureRows features;              ///< items x features, raw
  std::vector<std::int64_t> blocks;  ///< of sparse features: where each kind begins; empty: one
  SparseView targets;                ///< items x tags: 1 has the tag, -1 it was rejected
  /// Of each item, in a form that sorts; empty where it is not known. None at all: not known.
  std::vector<std::string> times{};
  /// Raw features of items that have tags, but none of these. Nothing is learned from them; where
  /// they are held out nothing can be right.
  FeatureRows strange = SparseView();
  std::vector<std::string> strange_times{};
  std::int64_t min_uses = 1;  ///< a tag that fewer items had would not be among the targets
  NamedTags names{};          ///< what the tags' names say, if anything
};

/// Every choice that the options leave open is made on items held out, and then all is learned from
/// all items. How good that is, and how sure, is found on others, held out from both: the newest
/// where items have times, since what comes next will be newer still, or else drawn ones. They are
/// asked for from what was chosen and the other items, with the tags and features that these would
/// have given. O(items M²) for M prototypes, times the settings tried on the smaller sample. Every
/// rank gives all items; each learns from its own, makes the choices by itself and decides by rank
/// 0's figures, so that all end with the same. Error for options out of range, or if there is
/// nothing to learn from. Collective.
LearnedSuggester learn_suggester(const SuggesterData& data, const SuggesterOptions& options,
                                 const Run& run);

/// The number of prototypes that `text` ("auto", "5%", "200") asks for of so many items; 0 for
/// auto. Error if it is neither.
std::int64_t prototype_count(const std::string& text, std::int64_t items);

/// The report as JSON.
std::string to_json(const SuggesterReport& report);

}  // namespace commonplace::suggest

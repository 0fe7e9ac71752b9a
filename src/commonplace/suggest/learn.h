#pragma once

#include <cstdint>
#include <string>

#include "commonplace/base/progress.h"
#include "commonplace/comm/comm.h"
#include "commonplace/library/library.h"
#include "commonplace/suggest/core/learn_suggester.h"
#include "commonplace/suggest/evaluate.h"
#include "commonplace/suggest/model.h"

namespace commonplace {

struct SuggestLearningReport {
  std::string model;  ///< its name in the library
  std::string collection;
  std::string features;  ///< what tags are told from, by commas
  SuggesterReport fit;
  std::int64_t file_bytes = 0;
};

/// Learns to suggest the tags of a collection from its tagged items, and stores the model under
/// `name` (empty: "suggest.COLLECTION"). All or nothing; rank 0 stores. Error if there are no tags
/// to learn. Collective.
SuggestLearningReport learn_suggest(Library& library, const std::string& collection,
                                    const std::string& name, const SuggestModelOptions& options,
                                    Comm& comm, int jobs, const Progress& progress);

std::string to_json(const SuggestLearningReport& report);

/// What bringing a model up to date has changed.
struct SuggestUpdate {
  std::int64_t new_items = 0;      ///< tagged since, learned now
  std::int64_t changed_items = 0;  ///< whose tags or rejections have changed
  std::int64_t new_tags = 0;
  double seconds = 0;

  bool any() const { return new_items + changed_items + new_tags > 0; }
};

/// Teaches the model, in memory, the tags and decisions that have come since it was learned: the
/// same as learning again with the same prototypes, weights and choices, in O(M² + M tags) an item.
SuggestUpdate update_model(SuggestModel& model, const Library& library, int jobs,
                           const Progress& progress);

/// The same for the stored model of that name, which is replaced; all or nothing. It takes a
/// moment, so rank 0 does it by itself. Collective.
SuggestUpdate update_suggest(Library& library, const std::string& name, Comm& comm, int jobs,
                             const Progress& progress);

/// The collection's tagged items in two parts for evaluate_suggest. Features and the vocabulary are
/// those that learning from the first part would have. Collective.
SuggestTrial split_collection(const Library& library, const std::string& collection,
                              const SuggestModelOptions& options,
                              const SuggestEvaluationOptions& evaluation, Comm& comm, int jobs,
                              const Progress& progress);

}  // namespace commonplace

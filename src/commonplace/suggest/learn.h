#pragma once

#include <cstdint>
#include <string>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/suggest/core/learn_suggester.h"
#include "commonplace/suggest/model.h"

namespace commonplace::suggest {

struct Report {
  std::string model;  ///< its name in the library
  std::string collection;
  std::string features;     ///< what tags are told from, by commas
  bool from_tags = false;   ///< from other tags alone: an item without tags gets none
  std::int64_t merged = 0;  ///< tags that are the last level of another, and taken for it
  SuggesterReport fit;
  std::int64_t file_bytes = 0;
};

/// Learns to suggest the tags of a collection from its tagged items, and stores the model under
/// `name` (empty: "suggest.COLLECTION"). All or nothing; rank 0 stores. Error if there are no tags
/// to learn. Collective.
Report learn(Library& library, const std::string& collection, const std::string& name,
             const ModelOptions& options, const Run& run);

std::string to_json(const Report& report);

}  // namespace commonplace::suggest

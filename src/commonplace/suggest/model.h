#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/library/tags/tag_meanings.h"
#include "commonplace/suggest/core/suggester.h"
#include "commonplace/suggest/evidence.h"
#include "commonplace/suggest/names.h"
#include "commonplace/suggest/tags.h"

namespace commonplace::suggest {

/// How a model that suggests tags is learned.
struct ModelOptions {
  EvidenceOptions evidence;
  TagControlOptions tags;
  SuggesterOptions suggester;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, ModelOptions>
void visit_options(Self& options, Visit&& visit) {
  visit_options(options.evidence, visit);
  visit_options(options.tags, visit);
  visit_options(options.suggester, visit);
}

/// All that is needed to suggest tags. A plain value.
struct Model {
  std::string collection;  ///< whose tags it learned
  Evidence evidence;
  TagControl control;
  std::vector<std::string> tags;       ///< that it may suggest, as shown
  std::vector<std::string> known_ids;  ///< per known item of the suggester: its id
  Suggester suggester;
  Naming naming;  ///< how the names of the tags were read, if they were
  ModelOptions options;
  std::string state;  ///< of the collection when it was learned or last updated
};

/// Calls tags by the names that they have in the vocabulary now, so that what was learned of them
/// holds. Those that mean no tag of their own any more keep their names, and are not to be
/// suggested.
void follow_vocabulary(Model& model, const TagMeanings& meanings);

/// A safetensors file of kind "suggest".
void save(const Model& model, const std::filesystem::path& path);
/// Error if the file is another kind's or its parts do not fit together.
Model load_model(const TensorFile& file);

inline constexpr const char* kModelKind = "suggest";

}  // namespace commonplace::suggest

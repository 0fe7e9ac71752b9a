#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/detect/core/detector.h"
#include "commonplace/detect/core/lap_rls.h"
#include "commonplace/eval/confidence.h"
#include "commonplace/io/safetensors.h"

namespace commonplace::detect {

/// How a model that detects concepts is learned.
struct ModelOptions {
  std::string features;                ///< names of stored dense features, by commas; empty: all
  std::string concepts_from = "tags";  ///< tags, none, or the name of a label's field
  std::int64_t min_uses = 20;          ///< of a tag or label, to be a concept
  DetectorOptions detector;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, ModelOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("features", options.features, "stored dense features to detect by, separated by commas");
  visit("concepts_from", options.concepts_from, "tags, none, or a label's field");
  visit("min_uses|min", options.min_uses,
        "items that must have a tag or label for it to be a concept");
  visit_options(options.detector, visit);
}

/// All that is needed to detect concepts. A plain value.
struct Model {
  std::string collection;
  std::vector<std::string> features;  ///< names
  Space space;
  std::string representation;
  HeadSetting head;
  std::vector<std::string> concepts;  ///< that were learned from tags or labels
  ConceptHeads heads;                 ///< theirs
  ConfidenceMap confidence;           ///< of their scores
  /// What the labelled items say of the concepts: enough to learn more labels without these items.
  LapRlsStatistics statistics;
  Sparse known;                     ///< items x concepts: which the labelled ones show
  std::vector<std::uint8_t> shown;  ///< per item: not 0 if it is labelled
  ModelOptions options;
};

/// A safetensors file of kind "detect". Loading throws Error if the file is of another kind or its
/// parts do not fit together.
void save(const Model& model, const std::filesystem::path& path);
Model load_model(const TensorFile& file);

inline constexpr const char* kModelKind = "detect";

}  // namespace commonplace::detect

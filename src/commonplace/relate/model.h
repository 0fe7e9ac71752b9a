#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "commonplace/io/safetensors.h"
#include "commonplace/relate/core/choice.h"

namespace commonplace {

/// The nodes of one modality, placed.
struct PlacedModality {
  Modality what;
  std::string features;            ///< of items: the name of the stored features
  std::vector<std::string> names;  ///< of tags and labels
  std::vector<Place> places;       ///< of places
  TfidfModel text;                 ///< of text
  Sparse has;                      ///< items of the collection x nodes, as when it was learned
  Matrix positions;                ///< nodes x dim; 0 for what could not be placed

  std::int64_t nodes() const { return positions.rows(); }
};

/// One space for everything that was related. A plain value.
struct RelateModel {
  std::vector<PlacedModality> modalities;
  RelateSpace space;
  std::vector<TargetRule> rules;  ///< per modality, as a target
  PlaceRule place_rule;
  RelateOptions options;
};

/// A safetensors file of kind "relate".
void save(const RelateModel& model, const std::filesystem::path& path);
/// Error if the file is another kind's or its parts do not fit together.
RelateModel load_relate_model(const TensorFile& file);

inline constexpr const char* kRelateModelKind = "relate";

}  // namespace commonplace

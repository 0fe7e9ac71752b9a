#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "commonplace/io/safetensors.h"
#include "commonplace/relate/core/choice.h"

namespace commonplace::relate {

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
struct Model {
  std::vector<PlacedModality> modalities;
  Space space;
  std::vector<TargetRule> rules;  ///< per modality, as a target
  PlaceRule place_rule;
  ModelOptions options;
};

/// A safetensors file of kind "relate".
void save(const Model& model, const std::filesystem::path& path);
/// Error if the file is another kind's or its parts do not fit together.
Model load_model(const TensorFile& file);

inline constexpr const char* kModelKind = "relate";

}  // namespace commonplace::relate

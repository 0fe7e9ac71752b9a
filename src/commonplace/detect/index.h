#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "commonplace/comm/run.h"
#include "commonplace/detect/core/space.h"
#include "commonplace/detect/model.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/library/library.h"
#include "commonplace/math/sq8_rows.h"

namespace commonplace::detect {

/// The coordinates of all items in a byte each, for ranking them; derived data.
struct Index {
  std::string model;  ///< the file of the model that the coordinates are of
  Sq8Rows rows;
};

inline constexpr const char* kIndexKind = "detect-index";

/// The name of a model's index in the library.
std::string index_name(const std::string& model);

/// A safetensors file of kind "detect-index".
void save(const Index& index, const std::filesystem::path& path);
/// The rows as a view of the mapped file; its metadata has the `model`. Error if the file is of
/// another kind or its parts do not fit together.
Sq8RowsView view_index(const TensorFile& file);

/// The coordinates of the items from `first` on, in a byte each, with `scales` or, if that is
/// empty, scales of their own. Each rank codes its part of them, and rank 0 gets all.
Sq8Rows code_items(const Space& space, ManyFeatures features, std::int64_t first,
                   std::span<const float> scales, const Run& run);

/// Stored rows, and more behind them.
Sq8Rows grown(const Sq8RowsView& stored, const Sq8Rows& more);

/// Whether an index is of these features, as far as some of its rows tell: not if items were
/// removed or features made anew since.
bool index_fits(const Sq8RowsView& index, const Space& space, ManyFeatures features, int jobs);

/// Stores a model under `name` with what was reported of learning it, and `rows` as its index.
void store_with_index(Library& library, const std::string& name, const Model& model,
                      const std::string& report, Sq8Rows rows);

}  // namespace commonplace::detect

#pragma once

#include <filesystem>
#include <string>

#include "commonplace/detect/core/axis_eigenmaps.h"
#include "commonplace/io/safetensors.h"

namespace commonplace::detect {

/// A safetensors file of kind "axis-eigenmaps".
void save(const AxisEigenmaps& model, const std::filesystem::path& path);
/// The same file in memory.
std::string to_bytes(const AxisEigenmaps& model);
/// Error if the file is another kind's or its parts do not fit together.
AxisEigenmaps load_axis_eigenmaps(const TensorFile& file);
/// A safetensors file of kind "axis-statistics".
void save(const AxisStatistics& statistics, const std::filesystem::path& path);
std::string to_bytes(const AxisStatistics& statistics);
/// Error if the file is another kind's, its parts do not fit together, or it does not hold the
/// items of `model` or more on the axes of that.
AxisStatistics load_axis_statistics(const TensorFile& file, const AxisEigenmaps& model);

}  // namespace commonplace::detect

#pragma once

#include <cstdint>
#include <functional>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/detect/core/axis_eigenmaps.h"
#include "commonplace/detect/core/axis_spread.h"

/// The part of axis_eigenmaps.h that counts items on their axes.
namespace commonplace::detect {

/// Sets low, high, clip_low and clip_high of a model that has a mean and rotation, from all ranks'
/// rows, and returns histogram, between, moment and second of these. `centre` and `deviation` are
/// the mean and standard deviation of each axis. Reads the rows twice.
template <class Scalar>
AxisStatistics place_axes(const RowsOf<Scalar>& rows, const VectorD& centre,
                          const VectorD& deviation, std::int64_t bins, AxisEigenmaps& model,
                          const Run& run, const RowsDone& done);

/// Histogram, between, moment and second of all ranks' rows on the axes of a model.
template <class Scalar>
AxisStatistics count_on_axes(const RowsOf<Scalar>& rows, const AxisEigenmaps& model,
                             const Run& run);

}  // namespace commonplace::detect

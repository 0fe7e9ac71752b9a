#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/detect/core/axis_eigenmaps.h"

/// The part of axis_eigenmaps.h that does not see items: eigenfunctions of densities.
namespace commonplace::detect {

/// Share of items of each bin plus `smoothing`, summing to one.
VectorD smoothed_density(const VectorD& histogram, double smoothing);

struct DensityFunctions {
  VectorD eigenvalues;  ///< ascending, one per bin
  MatrixD functions;    ///< a row each, values at the bin centres; empty if they were not asked for
};

/// Solves (D̃ - P W̃ P) g = σ P D̂ g for bins of `width` and a Gaussian of `bandwidth`. O(bins³).
DensityFunctions density_functions(const VectorD& density, double width, double bandwidth,
                                   bool with_functions = true);

/// Fills in axis, eigenvalues, functions, norms and items of a model of which the rest is there.
void choose_functions(AxisEigenmaps& model, const AxisStatistics& statistics, int jobs);

}  // namespace commonplace::detect

#pragma once

#include "commonplace/base/matrix.h"
#include "commonplace/features/picture.h"

namespace commonplace {

/// Descriptors of patches around the points of a grid, `grid` pixels apart, one row a patch. A
/// picture too small for a patch is stretched until it has one, so there is always a row. What is
/// computed depends on the picture alone; any number of threads may do it at once.

/// Dense SIFT of the brightness, 128 columns, at several sizes; roots of descriptors that sum to 1,
/// and zeros where a patch is even.
Matrix sift_descriptors(const Picture& picture, int grid);

/// SIFT of red, green and blue, one after the other: 384 columns.
Matrix rgb_sift_descriptors(const Picture& picture, int grid);

/// SURF of the brightness, upright and of one size: 64 columns, rows of length 1.
Matrix surf_descriptors(const Picture& picture, int grid);

}  // namespace commonplace

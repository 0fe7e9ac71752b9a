#pragma once

#include "commonplace/detect/core/axis_eigenmaps.h"

namespace commonplace {

/// Error, naming the option, if one is out of range.
void check(const AxisEigenmapOptions& options);

}  // namespace commonplace

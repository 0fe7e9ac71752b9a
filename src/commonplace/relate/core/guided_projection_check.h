#pragma once

#include "commonplace/relate/core/guided_projection.h"

namespace commonplace {

/// Error, naming the option, if one is out of range.
void check(const GuidedProjectionOptions& options);

}  // namespace commonplace

#pragma once

#include <string>

#include "commonplace/relate/evaluate.h"

namespace commonplace {

std::string to_json(const RelateEvaluation& evaluation);
/// nDCG against the coordinates and against the items learned from, and guidance met, as SVG.
std::string evaluation_plot(const RelateEvaluation& evaluation);

}  // namespace commonplace

#pragma once

#include <string>

#include "commonplace/relate/evaluate.h"

namespace commonplace::relate {

std::string to_json(const Evaluation& evaluation);
/// nDCG against the coordinates and against the items learned from, and guidance met, as SVG.
std::string evaluation_plot(const Evaluation& evaluation);

}  // namespace commonplace::relate

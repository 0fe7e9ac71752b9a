#pragma once

#include <string>

#include "commonplace/suggest/evaluate.h"

namespace commonplace {

std::string to_json(const SuggestEvaluation& evaluation);
/// Precision against k, against the number of prototypes (if swept) and reliability, as one SVG.
std::string evaluation_plot(const SuggestEvaluation& evaluation);

}  // namespace commonplace

#pragma once

#include <string>

#include "commonplace/suggest/evaluate.h"

namespace commonplace::suggest {

std::string to_json(const Evaluation& evaluation);
/// Precision against k, against the number of prototypes (if swept) and reliability, as one SVG.
std::string evaluation_plot(const Evaluation& evaluation);

}  // namespace commonplace::suggest

#pragma once

#include <string>

#include "commonplace/suggest/evaluate_classify.h"

namespace commonplace::suggest {

std::string to_json(const ClassifyEvaluation& evaluation);

/// Error against the number of prototypes, and the marginal likelihood, as SVG.
std::string evaluation_plot(const ClassifyEvaluation& evaluation);

}  // namespace commonplace::suggest

#pragma once

#include <string>

#include "commonplace/detect/evaluate.h"

namespace commonplace {

std::string to_json(const DetectEvaluation& evaluation);
/// MiAP and error against the number of labelled items and of unlabelled ones, as SVG.
std::string evaluation_plot(const DetectEvaluation& evaluation);

}  // namespace commonplace

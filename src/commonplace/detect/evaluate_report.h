#pragma once

#include <string>

#include "commonplace/detect/evaluate.h"

namespace commonplace::detect {

std::string to_json(const Evaluation& evaluation);
/// MiAP and error against the number of labelled items and of unlabelled ones, as SVG.
std::string evaluation_plot(const Evaluation& evaluation);

}  // namespace commonplace::detect

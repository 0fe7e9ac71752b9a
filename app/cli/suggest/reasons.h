#pragma once

#include <string>

#include "commonplace/suggest/ask.h"

namespace commonplace::app {

/// "because of harbour (12), ship (5); like photo-3 (0.92)"; empty without a reason.
std::string why(const suggest::Reasons& reasons);

}  // namespace commonplace::app

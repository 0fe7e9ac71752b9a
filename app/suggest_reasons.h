#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "commonplace/task/suggest.h"

namespace commonplace::app {

nlohmann::ordered_json reasons_json(const SuggestReasons& reasons);

/// "because of harbour (12), ship (5); like photo-3 (0.92)"; empty without a reason.
std::string why(const SuggestReasons& reasons);

}  // namespace commonplace::app

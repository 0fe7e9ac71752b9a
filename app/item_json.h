#pragma once

#include <nlohmann/json_fwd.hpp>

#include "commonplace/formats/item.h"

namespace commonplace::app {

/// The item as the JSON lines export has it.
nlohmann::ordered_json item_json(const Item& item);

}  // namespace commonplace::app

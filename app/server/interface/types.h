#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace commonplace::server {

/// The schemas of an OpenAPI document as TypeScript: what the page includes as api/types.ts.
std::string typescript(const nlohmann::ordered_json& document);

}  // namespace commonplace::server

#pragma once

#include <nlohmann/json_fwd.hpp>

namespace commonplace::server {

/// What describes the HTTP interface: openapi.json of this folder, as it was when the program was
/// built, with the schemas of all answers.
const nlohmann::ordered_json& openapi_document();

}  // namespace commonplace::server

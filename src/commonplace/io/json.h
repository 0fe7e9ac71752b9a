#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace commonplace {

/// Reads and prints JSON by code that is compiled once: nlohmann's own is compiled anew in every
/// file that calls it.

/// Throws nlohmann's exception for what is not JSON; without `strict` that is a discarded value.
nlohmann::json json_from(std::string_view text, bool strict = true);
nlohmann::ordered_json ordered_json_from(std::string_view text, bool strict = true);

/// On one line, or indented by so many spaces.
std::string json_text(const nlohmann::json& json, int indent = -1);
std::string json_text(const nlohmann::ordered_json& json, int indent = -1);
/// The same where strings may not be UTF-8: what is not is replaced.
std::string lenient_json_text(const nlohmann::ordered_json& json);

/// Its beginning, for an error message, in ASCII.
std::string json_excerpt(const nlohmann::json& json);
std::string json_excerpt(const nlohmann::ordered_json& json);

}  // namespace commonplace

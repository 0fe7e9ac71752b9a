#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace commonplace {

/// JSON whose objects keep the order of their members.
using Json = nlohmann::ordered_json;

/// Parses one JSON value. Error if `text` is not UTF-8 or not JSON, nests more than 64 levels (so
/// that recursion over the value is safe), or has an object of more than 10,000 members (finding a
/// member is a linear search). Of a repeated member the last counts.
Json parse_json(std::string_view text);

/// The end of the JSON value that begins `text`, found by its brackets and quotes alone; npos if it
/// does not end.
std::size_t json_value_end(std::string_view text);

/// "a string", "an array", ... for messages.
std::string kind_of(const Json& value);

/// Appends `text` (UTF-8) as a JSON string.
void append_json_string(std::string& out, std::string_view text);

/// The shortest decimal that reads back as `value`.
std::string number_text(double value);
std::string number_text(float value);

}  // namespace commonplace

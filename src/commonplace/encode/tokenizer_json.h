#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace commonplace {

/// Parts of `tokenizer.json` and its neighbours. All throw Error, with the name of the member,
/// where it is not of the type that is asked for.

/// A member that must be there.
const nlohmann::json& member(const nlohmann::json& object, const char* name);
/// A member, or nullptr where it is missing or null.
const nlohmann::json* member_or_null(const nlohmann::json& object, const char* name);
std::string text_member(const nlohmann::json& object, const char* name);
std::optional<std::string> optional_text(const nlohmann::json& object, const char* name);
bool flag_member(const nlohmann::json& object, const char* name, bool otherwise);
/// A whole number from `least` to `most`; `what` names it in the message.
std::int32_t number_within(const nlohmann::json& value, const char* what, std::int32_t least,
                           std::int32_t most);
/// An element of an array that must be a text.
const std::string& text_element(const nlohmann::json& array, std::size_t at, const char* what);

/// The component's `type`, or "" where it has none.
std::string type_of(const nlohmann::json& component);

/// `vocab` of a model: an object from tokens to their numbers.
std::vector<std::pair<std::string, std::int32_t>> read_vocabulary(const nlohmann::json& model);

}  // namespace commonplace

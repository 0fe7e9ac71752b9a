#pragma once

#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace commonplace {

/// Rewrites a text (well-formed UTF-8) before it is cut: case, accents, forms of Unicode.
using Normalizer = std::function<std::string(std::string)>;

/// Makes the `normalizer` of a `tokenizer.json`; null leaves texts as they are. Error that names
/// one that is unknown.
Normalizer read_normalizer(const nlohmann::json& json);

/// Names, for each byte, the character that stands for it in byte-level vocabularies: printable
/// ASCII and Latin-1 for themselves, U+0100 and on for the others.
std::string byte_level(std::string_view text);

}  // namespace commonplace

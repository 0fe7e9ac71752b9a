#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace commonplace {

/// A tag's name as it is shown: NFC, white space tidied, levels separated by single '/' without
/// blanks around them, no empty level. An address ("https://...") is one level as it is. Empty if
/// nothing is left. Error if it is not UTF-8 or is longer than 1,000 bytes.
std::string tag_name(std::string_view written);

/// The key by which two tags are the same: the folded name.
std::string tag_key(std::string_view name);

/// "a/b/c" -> {"a", "a/b", "a/b/c"}.
std::vector<std::string> tag_path(std::string_view name);

/// The last level: "a/b/c" -> "c".
std::string_view tag_leaf(std::string_view name);

}  // namespace commonplace

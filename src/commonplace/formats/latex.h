#pragma once

#include <string>
#include <string_view>

namespace commonplace {

/// Tells whether a character is of what names of LaTeX's commands are made.
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// LaTeX as people write it in bibliographies, as plain text: accents and the common letters become
/// Unicode, dashes and quotes their characters, braces and unknown commands go (their arguments
/// stay), mathematics stays as written, white space is tidied. Cost linear in its length.
std::string plain_text(std::string_view latex);

}  // namespace commonplace

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <unicode/utf8.h>

namespace commonplace {

/// Calls visit(character, its bytes) for each character of UTF-8; a negative one stands for bytes
/// that are none. Stops where `visit` returns false.
template <class Visit>
void visit_characters(std::string_view text, const Visit& visit) {
  const auto length = static_cast<std::int32_t>(text.size());
  for (std::int32_t at = 0; at < length;) {
    const std::int32_t begin = at;
    UChar32 character = 0;
    U8_NEXT(text.data(), at, length, character);
    const std::string_view bytes =
        text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(at - begin));
    if constexpr (std::is_same_v<std::invoke_result_t<Visit, UChar32, std::string_view>, bool>) {
      if (!visit(character, bytes)) return;
    } else {
      visit(character, bytes);
    }
  }
}

void append_character(std::string& text, UChar32 character);

/// The text up to a character's beginning at or before `most` bytes.
std::string_view shortened(std::string_view text, std::size_t most);

/// The text with U+FFFD in place of each sequence that is not UTF-8.
std::string well_formed(std::string_view text);

}  // namespace commonplace

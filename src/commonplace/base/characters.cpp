#include "commonplace/base/characters.h"

#include "commonplace/base/unicode.h"

namespace commonplace {

void append_character(std::string& text, UChar32 character) {
  if (character >= 0 && character < 0x80) {
    text += static_cast<char>(character);
    return;
  }
  char bytes[U8_MAX_LENGTH];  // NOLINT(modernize-avoid-c-arrays): what ICU's macro writes to
  std::int32_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, character);
  text.append(bytes, static_cast<std::size_t>(length));
}

std::string_view shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && U8_IS_TRAIL(text[most])) --most;
  return text.substr(0, most);
}

std::string well_formed(std::string_view text) {
  if (invalid_utf8(text) == std::string_view::npos) return std::string(text);
  std::string result;
  visit_characters(text, [&](UChar32 character, std::string_view) {
    append_character(result, character < 0 ? 0xFFFD : character);
  });
  return result;
}

}  // namespace commonplace

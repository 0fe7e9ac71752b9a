#include "commonplace/encode/characters.h"

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

bool is_bert_control(UChar32 character) {
  return (U_GET_GC_MASK(character) & (U_GC_C_MASK & ~U_GC_CN_MASK)) != 0;
}

bool is_bert_ideograph(UChar32 character) {
  return (character >= 0x4E00 && character <= 0x9FFF) ||
         (character >= 0x3400 && character <= 0x4DBF) ||
         (character >= 0x20000 && character <= 0x2A6DF) ||
         (character >= 0x2A700 && character <= 0x2B81F) ||
         (character >= 0x2B920 && character <= 0x2CEAF) ||
         (character >= 0xF900 && character <= 0xFAFF) ||
         (character >= 0x2F800 && character <= 0x2FA1F);
}

bool is_bert_punctuation(UChar32 character) {
  const bool ascii =
      character < 0x80 && character > ' ' && character != 0x7F && u_isalnum(character) == 0;
  return ascii || (U_GET_GC_MASK(character) & U_GC_P_MASK) != 0;
}

}  // namespace commonplace

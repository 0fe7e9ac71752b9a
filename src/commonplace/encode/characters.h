#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace commonplace {

/// A text to tokenize, at most, in bytes, also after normalizing.
inline constexpr std::size_t kMostText = 64U << 20U;

/// Calls visit(character, its bytes) for each character of well-formed UTF-8.
template <class Visit>
void visit_characters(std::string_view text, const Visit& visit) {
  const auto length = static_cast<std::int32_t>(text.size());
  for (std::int32_t at = 0; at < length;) {
    const std::int32_t begin = at;
    UChar32 character = 0;
    U8_NEXT(text.data(), at, length, character);
    visit(character,
          text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(at - begin)));
  }
}

void append_character(std::string& text, UChar32 character);

/// The text with U+FFFD in place of each sequence that is not UTF-8.
std::string well_formed(std::string_view text);

/// What BERT's tokenizer takes for control characters, for ideographs that stand alone, and for
/// punctuation.
bool is_bert_control(UChar32 character);
bool is_bert_ideograph(UChar32 character);
bool is_bert_punctuation(UChar32 character);

}  // namespace commonplace

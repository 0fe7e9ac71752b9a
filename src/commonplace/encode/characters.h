#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace commonplace {

/// Bytes of a text that count: no encoder reads as many tokens as they hold.
inline constexpr std::size_t kMostText = 1U << 20U;
/// The same while it is rewritten, so that no tokenizer can make much of little.
inline constexpr std::size_t kMostRewritten = 4 * kMostText;

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

/// The text up to a character's beginning at or before `most` bytes.
std::string_view shortened(std::string_view text, std::size_t most);

/// The text with U+FFFD in place of each sequence that is not UTF-8.
std::string well_formed(std::string_view text);

/// What BERT's tokenizer takes for control characters, for ideographs that stand alone, and for
/// punctuation.
bool is_bert_control(UChar32 character);
bool is_bert_ideograph(UChar32 character);
bool is_bert_punctuation(UChar32 character);

}  // namespace commonplace

#pragma once

#include <cstddef>

#include <unicode/uchar.h>

#include "commonplace/base/characters.h"

namespace commonplace {

/// Bytes of a text that count: no encoder reads as many tokens as they hold.
inline constexpr std::size_t kMostText = 1U << 20U;
/// The same while it is rewritten, so that no tokenizer can make much of little.
inline constexpr std::size_t kMostRewritten = 4 * kMostText;

/// What BERT's tokenizer takes for control characters, for ideographs that stand alone, and for
/// punctuation.
bool is_bert_control(UChar32 character);
bool is_bert_ideograph(UChar32 character);
bool is_bert_punctuation(UChar32 character);

}  // namespace commonplace

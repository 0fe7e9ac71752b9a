#include "commonplace/encode/characters.h"

namespace commonplace {

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

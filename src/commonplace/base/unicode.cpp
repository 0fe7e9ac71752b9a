#include "commonplace/base/unicode.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/normalizer2.h>
#include <unicode/stringoptions.h>
#include <unicode/uchar.h>
#include <unicode/ucnv.h>
#include <unicode/utf8.h>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

icu::StringPiece piece(std::string_view text) {
  require(text.size() <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
          "a text of ", text.size(), " bytes is too long; the limit is 2 GiB");
  return {text.data(), static_cast<std::int32_t>(text.size())};
}

void require_utf8(std::string_view text) {
  const std::size_t bad = invalid_utf8(text);
  require(bad == std::string_view::npos, "the text is not UTF-8 (byte ", bad,
          "); convert it to UTF-8 first");
}

}  // namespace

std::size_t invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    // A window of one character keeps ICU's 32-bit offsets away from the length of the text.
    const auto window = static_cast<std::int32_t>(std::min<std::size_t>(4, text.size() - at));
    const char* bytes = text.data() + at;
    std::int32_t used = 0;
    UChar32 character = 0;
    U8_NEXT(bytes, used, window, character);
    if (character < 0) return at;
    at += static_cast<std::size_t>(used);
  }
  return std::string_view::npos;
}

std::string nfc(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  require_utf8(text);
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* normalizer = icu::Normalizer2::getNFCInstance(status);
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  normalizer->normalizeUTF8(0, piece(text), sink, nullptr, status);
  require(U_SUCCESS(status) != 0, "Unicode normalisation failed: ", u_errorName(status));
  return result;
}

std::string fold(std::string_view text) {
  if (is_ascii(text)) {
    std::string result(text);
    for (char& c : result)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
  }
  // Folding can leave NFC (and NFC can undo nothing of a fold), so normalise around it.
  const std::string normal = nfc(text);
  UErrorCode status = U_ZERO_ERROR;
  std::string folded;
  icu::StringByteSink<std::string> sink(&folded);
  icu::CaseMap::utf8Fold(U_FOLD_CASE_DEFAULT, piece(normal), sink, nullptr, status);
  require(U_SUCCESS(status) != 0, "Unicode case folding failed: ", u_errorName(status));
  return nfc(folded);
}

std::string tidy(std::string_view text) {
  const std::string normal = nfc(text);
  std::string result;
  result.reserve(normal.size());
  bool blank_due = false;
  const std::int32_t length = piece(normal).length();
  for (std::int32_t at = 0; at < length;) {
    const std::int32_t begin = at;
    UChar32 character = 0;
    U8_NEXT(normal.data(), at, length, character);
    // Not u_iscntrl: that counts the joiners that hold emoji and Persian words together.
    if (u_isUWhiteSpace(character) != 0 || u_charType(character) == U_CONTROL_CHAR) {
      blank_due = !result.empty();
      continue;
    }
    if (blank_due) result += ' ';
    blank_due = false;
    result.append(normal, static_cast<std::size_t>(begin), static_cast<std::size_t>(at - begin));
  }
  return result;
}

std::string assume_utf8(std::string_view text) {
  if (invalid_utf8(text) == std::string_view::npos) return std::string(text);
  const icu::StringPiece source = piece(text);
  UErrorCode status = U_ZERO_ERROR;
  // Each byte becomes at most three of UTF-8, and ICU counts them in 32 bits.
  require(text.size() < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) / 3,
          "a text of ", text.size(), " bytes that is not UTF-8 is too long; the limit is 700 MB");
  std::string result(text.size() * 3 + 1, '\0');
  const std::int32_t written =
      ucnv_convert("UTF-8", "windows-1252", result.data(), static_cast<std::int32_t>(result.size()),
                   source.data(), source.length(), &status);
  require(U_SUCCESS(status) != 0,
          "the text is neither UTF-8 nor Windows-1252: ", u_errorName(status));
  result.resize(static_cast<std::size_t>(written));
  return result;
}

std::string utf8_of_utf16(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  const bool marked_little = byte(0) == 0xFF && byte(1) == 0xFE;
  const bool marked_big = byte(0) == 0xFE && byte(1) == 0xFF;
  const bool long_enough = text.size() >= 4;
  const bool little = marked_little ||
                      (long_enough && byte(0) != 0 && byte(1) == 0 && byte(2) != 0 && byte(3) == 0);
  const bool big =
      marked_big || (long_enough && byte(0) == 0 && byte(1) != 0 && byte(2) == 0 && byte(3) != 0);
  if (!little && !big) return std::string(text);
  std::u16string units;
  units.reserve(text.size() / 2);
  for (std::size_t at = marked_little || marked_big ? 2 : 0; at + 1 < text.size(); at += 2) {
    const unsigned first = byte(at);
    const unsigned second = byte(at + 1);
    units.push_back(
        static_cast<char16_t>(little ? first | (second << 8U) : (first << 8U) | second));
  }
  std::string result;
  icu::UnicodeString(units.data(), static_cast<int32_t>(units.size())).toUTF8String(result);
  return result;
}

}  // namespace commonplace

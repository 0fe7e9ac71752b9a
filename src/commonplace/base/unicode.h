#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace commonplace {

/// The offset of the first byte that is not well-formed UTF-8, or npos.
std::size_t invalid_utf8(std::string_view text);

/// Normalisation form C. Throws Error if `text` is not UTF-8. ASCII returns at once.
std::string nfc(std::string_view text);

/// The form in which two spellings are compared: NFC, case folded ("Straße" and "STRASSE" agree).
std::string fold(std::string_view text);

/// NFC with control characters and runs of white space made one blank each, and trimmed.
std::string tidy(std::string_view text);

/// Text in UTF-16, told by its byte order mark or by the zeros of an ASCII beginning, as UTF-8
/// without a mark; any other text as it is.
std::string utf8_of_utf16(std::string_view text);

/// Makes `text` UTF-8 when it is not, reading it as Windows-1252 (what old files mostly are).
std::string assume_utf8(std::string_view text);

}  // namespace commonplace

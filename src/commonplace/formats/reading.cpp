#include "commonplace/formats/reading.h"

#include <algorithm>

#include "commonplace/base/unicode.h"

namespace commonplace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    const std::string_view part = trim(text.substr(0, end));
    if (!part.empty()) parts.push_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return concat("'", text, "'");
  std::size_t end = kLongest;
  const auto is_continuation = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80;
  };
  while (end > 0 && is_continuation(end)) --end;
  return concat("'", text.substr(0, end), "...'");
}

void require_utf8(std::string_view text) {
  const std::size_t bad = invalid_utf8(text);
  require(bad == std::string_view::npos, "not UTF-8 (byte ", bad + 1,
          "); convert the file first, e.g. with iconv -f windows-1252 -t utf-8");
}

void report_bad(const Sink& sink, const Where& where, const std::string& message) {
  if (sink.bad) sink.bad(where, message);
}

void report_note(const Sink& sink, const Where& where, const std::string& message) {
  if (sink.note) sink.note(where, message);
}

ReadingProgress::ReadingProgress(const Sink& sink, const std::string& name)
    : sink_(sink), stage_("reading " + name) {}

void ReadingProgress::step(const ByteSource& source) {
  constexpr unsigned kEvery = 1024;
  if (++calls_ % kEvery != 0 || !sink_.progress) return;
  sink_.progress({stage_, source.consumed(), source.total(), "bytes"});
}

}  // namespace commonplace

#include "commonplace/encode/text_pattern.h"

#include <nlohmann/json.hpp>
#include <unicode/regex.h>
#include <unicode/utf8.h>

#include "commonplace/base/error.h"
#include "commonplace/encode/characters.h"
#include "commonplace/encode/tokenizer_json.h"

namespace commonplace {
namespace {

/// Steps of ICU's engine for one match, in its unit of about a millisecond each: enough for any
/// honest expression, and the same on every machine.
constexpr std::int32_t kMostMatchSteps = 500;

/// Follows offsets in UTF-16 by those in UTF-8, forward only.
class Utf8Cursor {
 public:
  explicit Utf8Cursor(std::string_view text) : text_(text) {}
  std::size_t at(std::int32_t units) {
    while (units_ < units && byte_ < text_.size()) {
      const auto lead = static_cast<unsigned char>(text_[byte_]);
      byte_ += lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      units_ += lead < 0xF0 ? 1 : 2;
    }
    return byte_;
  }

 private:
  std::string_view text_;
  std::size_t byte_ = 0;
  std::int32_t units_ = 0;
};

/// Collects matches in their order, and what is between them.
class StretchList {
 public:
  void add_match(std::size_t begin, std::size_t end) {
    if (at_ < begin) list_.push_back({at_, begin, false});
    list_.push_back({begin, end, true});
    at_ = end;
  }
  std::vector<TextPattern::Stretch> finish(std::size_t size) {
    if (at_ < size) list_.push_back({at_, size, false});
    return std::move(list_);
  }

 private:
  std::vector<TextPattern::Stretch> list_;
  std::size_t at_ = 0;
};

}  // namespace

TextPattern TextPattern::regex(const std::string& expression) {
  UErrorCode status = U_ZERO_ERROR;
  UParseError where{};
  TextPattern pattern;
  pattern.regex_.reset(
      icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(expression), 0, where, status));
  require(U_SUCCESS(status) != 0, "the regular expression \"", expression.substr(0, 200),
          "\" is not understood: ", u_errorName(status), " at ", where.offset);
  return pattern;
}

TextPattern TextPattern::literal(std::string text) {
  TextPattern pattern;
  pattern.literal_ = std::move(text);
  return pattern;
}

TextPattern TextPattern::read(const nlohmann::json& json) {
  if (const auto expression = optional_text(json, "Regex")) return regex(*expression);
  return literal(text_member(json, "String"));
}

std::vector<TextPattern::Stretch> TextPattern::stretches(std::string_view text) const {
  StretchList list;
  if (!regex_) {
    for (std::size_t at = 0; !literal_.empty();) {
      at = text.find(literal_, at);
      if (at == std::string_view::npos) break;
      list.add_match(at, at + literal_.size());
      at += literal_.size();
    }
    return list.finish(text.size());
  }
  UErrorCode status = U_ZERO_ERROR;
  const auto units = icu::UnicodeString::fromUTF8(
      icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
  const std::unique_ptr<icu::RegexMatcher> matcher(regex_->matcher(units, status));
  require(U_SUCCESS(status) != 0, "a regular expression failed: ", u_errorName(status));
  matcher->setTimeLimit(kMostMatchSteps, status);
  Utf8Cursor cursor(text);
  std::int32_t last = -1;
  while (matcher->find(status) != 0) {
    const std::int32_t begin = matcher->start(status);
    const std::int32_t end = matcher->end(status);
    if (begin == end && begin == last) continue;
    last = end;
    const std::size_t first_byte = cursor.at(begin);
    list.add_match(first_byte, cursor.at(end));
  }
  require(U_SUCCESS(status) != 0,
          "a regular expression of the tokenizer took too long or failed: ", u_errorName(status));
  return list.finish(text.size());
}

std::string TextPattern::replaced(std::string_view text, std::string_view content) const {
  std::string result;
  for (const auto& stretch : stretches(text)) {
    if (result.size() > kMostRewritten) break;
    result += stretch.matches ? content : text.substr(stretch.begin, stretch.end - stretch.begin);
  }
  return result;
}

}  // namespace commonplace

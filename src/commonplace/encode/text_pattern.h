#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>
#include <unicode/uversion.h>

U_NAMESPACE_BEGIN
class RegexPattern;
U_NAMESPACE_END

namespace commonplace {

/// What a tokenizer searches text for: a literal text or a regular expression.
class TextPattern {
 public:
  /// Error for an expression that ICU does not understand.
  static TextPattern regex(const std::string& expression);
  static TextPattern literal(std::string text);
  /// {"Regex": ...} or {"String": ...}.
  static TextPattern read(const nlohmann::json& json);

  /// A part of a text that matches, or one between two such parts.
  struct Stretch {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool matches = false;
  };
  /// Cuts `text`, which must be UTF-8, into stretches without gaps. Error if an expression takes
  /// unreasonably long.
  std::vector<Stretch> stretches(std::string_view text) const;

  /// The text with `content` in place of each match, as far as kMostRewritten.
  std::string replaced(std::string_view text, std::string_view content) const;

 private:
  std::string literal_;
  std::shared_ptr<const icu::RegexPattern> regex_;
};

}  // namespace commonplace

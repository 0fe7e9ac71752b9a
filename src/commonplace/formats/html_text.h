#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace commonplace {

/// `text` with its character references (&amp; &#39; &eacute; ...) replaced, and made UTF-8.
/// What is not a reference stays as it is.
std::string decode_html(std::string_view text);

/// `text` so that it can stand in an element or in a quoted attribute and is read back the same:
/// line ends, tabs and blanks that a reader may drop are written as references.
std::string encode_html(std::string_view text);

/// A piece of an HTML file: a tag, or the text between tags.
struct HtmlToken {
  enum class Kind { text, open, close };
  Kind kind = Kind::text;
  std::string_view text;  ///< of a text, as written
  std::string name;       ///< of a tag, in small letters
  /// Names in small letters, values as written, with references.
  std::vector<std::pair<std::string, std::string_view>> attributes;
  std::size_t line = 0;

  std::optional<std::string_view> attribute(std::string_view wanted) const;
};

/// The tokens of `html` (which must outlive the reader), one after the other, whatever it holds:
/// tags are not matched, comments and declarations are passed over. Cost linear in its length.
class HtmlTokens {
 public:
  explicit HtmlTokens(std::string_view html) : rest_(html) {}
  bool next(HtmlToken& token);

 private:
  void read_tag(HtmlToken& token);
  void read_attribute(HtmlToken& token);
  std::string_view take(std::size_t count);
  std::string_view take_until(std::string_view stops);

  std::string_view rest_;
  std::size_t line_ = 1;
};

}  // namespace commonplace

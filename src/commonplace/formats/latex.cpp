#include "commonplace/formats/latex.h"

#include <algorithm>
#include <array>

#include "commonplace/base/unicode.h"

namespace commonplace {
namespace {

struct Replacement {
  std::string_view command;
  std::string_view text;
};

/// \'e is e with a combining accent; composing them is left to normalisation.
constexpr std::array<Replacement, 15> kAccents{{{"`", "\u0300"},
                                                {"'", "\u0301"},
                                                {"^", "\u0302"},
                                                {"~", "\u0303"},
                                                {"=", "\u0304"},
                                                {"u", "\u0306"},
                                                {".", "\u0307"},
                                                {"\"", "\u0308"},
                                                {"r", "\u030A"},
                                                {"H", "\u030B"},
                                                {"v", "\u030C"},
                                                {"d", "\u0323"},
                                                {"c", "\u0327"},
                                                {"k", "\u0328"},
                                                {"b", "\u0331"}}};

constexpr std::array<Replacement, 43> kSymbols{{{"ss", "ß"},
                                                {"o", "ø"},
                                                {"O", "Ø"},
                                                {"l", "ł"},
                                                {"L", "Ł"},
                                                {"ae", "æ"},
                                                {"AE", "Æ"},
                                                {"oe", "œ"},
                                                {"OE", "Œ"},
                                                {"aa", "å"},
                                                {"AA", "Å"},
                                                {"i", "ı"},
                                                {"j", "ȷ"},
                                                {"dh", "ð"},
                                                {"DH", "Ð"},
                                                {"th", "þ"},
                                                {"TH", "Þ"},
                                                {"dj", "đ"},
                                                {"DJ", "Đ"},
                                                {"S", "§"},
                                                {"P", "¶"},
                                                {"copyright", "©"},
                                                {"textregistered", "®"},
                                                {"texttrademark", "™"},
                                                {"pounds", "£"},
                                                {"euro", "€"},
                                                {"texteuro", "€"},
                                                {"ldots", "…"},
                                                {"dots", "…"},
                                                {"textendash", "–"},
                                                {"textemdash", "—"},
                                                {"textquoteleft", "‘"},
                                                {"textquoteright", "’"},
                                                {"textquotedblleft", "“"},
                                                {"textquotedblright", "”"},
                                                {"textbackslash", "\\"},
                                                {"textasciitilde", "~"},
                                                {"textasciicircum", "^"},
                                                {"textunderscore", "_"},
                                                {"textdegree", "°"},
                                                {"TeX", "TeX"},
                                                {"LaTeX", "LaTeX"},
                                                {"slash", "/"}}};

template <std::size_t N>
std::string_view find(const std::array<Replacement, N>& table, std::string_view command) {
  for (const Replacement& each : table)
    if (each.command == command) return each.text;
  return {};
}

class PlainText {
 public:
  explicit PlainText(std::string_view latex) : rest_(latex) {}

  std::string read() {
    while (!rest_.empty()) step();
    return tidy(out_);
  }

 private:
  void step() {
    constexpr std::array<Replacement, 6> kTypography{
        {{"---", "—"}, {"--", "–"}, {"``", "“"}, {"''", "”"}, {"~", " "}, {"$$", "$$"}}};
    for (const Replacement& each : kTypography) {
      if (!rest_.starts_with(each.command)) continue;
      out_ += each.text;
      rest_.remove_prefix(each.command.size());
      return;
    }
    const char c = rest_.front();
    if (c == '\\') {
      read_command();
    } else if (c == '$') {
      read_mathematics();
    } else {
      if (c != '{' && c != '}') out_ += c;
      rest_.remove_prefix(1);
    }
  }

  void read_mathematics() {
    const std::size_t end = rest_.find('$', 1);
    const std::size_t length = end == std::string_view::npos ? 1 : end + 1;
    out_ += rest_.substr(0, length);
    rest_.remove_prefix(length);
  }

  void read_command() {
    rest_.remove_prefix(1);
    if (rest_.empty()) return;
    std::size_t length = 1;
    if (is_letter(rest_.front())) {
      const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_letter);
      length = static_cast<std::size_t>(end - rest_.begin());
    }
    const std::string_view command = rest_.substr(0, length);
    rest_.remove_prefix(length);
    const bool is_word = is_letter(command.front());
    const std::string_view accent = find(kAccents, command);
    if (!accent.empty()) return read_accented(accent, is_word);
    const std::string_view symbol = find(kSymbols, command);
    if (is_word) skip_blanks_of_command();
    if (!symbol.empty()) {
      out_ += symbol;
    } else if (!is_word) {
      constexpr std::string_view kKept = "&%$#_{}";
      if (kKept.find(command) != std::string_view::npos) out_ += command;
      if (command == " " || command == "\\" || command == ",") out_ += ' ';
    }
  }

  /// A command's name ends with the blanks after it; \o{} ends it without any.
  void skip_blanks_of_command() {
    if (rest_.starts_with("{}")) {
      rest_.remove_prefix(2);
      return;
    }
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  /// The letter after an accent: e, {e}, \i or {\i}.
  void read_accented(std::string_view accent, bool is_word) {
    if (is_word) skip_blanks_of_command();
    while (rest_.starts_with('{') || (!is_word && rest_.starts_with(' '))) rest_.remove_prefix(1);
    for (const std::string_view dotless : {"\\i", "\\j"}) {
      const bool whole = rest_.starts_with(dotless) && (rest_.size() == 2 || !is_letter(rest_[2]));
      if (!whole) continue;
      out_ += dotless.substr(1);
      out_ += accent;
      rest_.remove_prefix(2);
      return;
    }
    if (rest_.empty() || rest_.front() == '}' || rest_.front() == '\\') return;
    std::size_t length = 1;
    while (length < rest_.size() && (static_cast<unsigned char>(rest_[length]) & 0xC0U) == 0x80)
      ++length;
    out_ += rest_.substr(0, length);
    out_ += accent;
    rest_.remove_prefix(length);
  }

  std::string_view rest_;
  std::string out_;
};

}  // namespace

std::string plain_text(std::string_view latex) { return PlainText(latex).read(); }

}  // namespace commonplace

#include "commonplace/formats/html_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include <libxml/HTMLparser.h>

#include "commonplace/base/unicode.h"
#include "commonplace/formats/reading.h"

namespace commonplace {
namespace {

constexpr std::string_view kHtmlBlanks = " \t\r\n\f";

void append_character(std::string& out, std::uint32_t character) {
  const bool impossible =
      character == 0 || character > 0x10FFFF || (character >= 0xD800 && character <= 0xDFFF);
  if (impossible) character = 0xFFFD;
  const auto tail = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((character >> shift) & 0x3FU));
  };
  if (character >= 0x80 && character <= 0x9F) {
    out += assume_utf8(std::string(1, static_cast<char>(character)));  // as all browsers do
  } else if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character < 0x800) {
    out += static_cast<char>(0xC0U | (character >> 6U));
    tail(0);
  } else if (character < 0x10000) {
    out += static_cast<char>(0xE0U | (character >> 12U));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0U | (character >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// The character that "#39", "#x27" or "eacute" stands for.
std::optional<std::uint32_t> referenced(std::string_view name) {
  if (!name.starts_with('#')) {
    if (name == "apos") return '\'';
    const auto* entity =
        htmlEntityLookup(reinterpret_cast<const xmlChar*>(std::string(name).c_str()));
    if (entity == nullptr) return std::nullopt;
    return entity->value;
  }
  name.remove_prefix(1);
  const bool hexadecimal = name.starts_with('x') || name.starts_with('X');
  if (hexadecimal) name.remove_prefix(1);
  std::uint32_t value = 0;
  const auto [end, problem] =
      std::from_chars(name.data(), name.data() + name.size(), value, hexadecimal ? 16 : 10);
  if (problem != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string decode_html(std::string_view written) {
  constexpr std::size_t kLongestName = 10;
  const std::string text = assume_utf8(written);
  std::string out;
  out.reserve(text.size());
  std::string_view rest = text;
  for (;;) {
    const std::size_t ampersand = std::min(rest.find('&'), rest.size());
    out += rest.substr(0, ampersand);
    rest.remove_prefix(ampersand);
    if (rest.empty()) return out;
    const std::size_t end = rest.substr(0, kLongestName + 2).find(';');
    const auto character =
        end == std::string_view::npos ? std::nullopt : referenced(rest.substr(1, end - 1));
    if (character) {
      append_character(out, *character);
      rest.remove_prefix(end + 1);
    } else {
      out += '&';
      rest.remove_prefix(1);
    }
  }
}

std::string encode_html(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool droppable_blank = c == ' ' && (i == 0 || i + 1 == text.size() || text[i - 1] == ' ');
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (droppable_blank || (static_cast<unsigned char>(c) < 0x20)) {
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    } else {
      out += c;
    }
  }
  return out;
}

std::optional<std::string_view> HtmlToken::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes)
    if (key == wanted) return value;
  return std::nullopt;
}

std::string_view HtmlTokens::take(std::size_t count) {
  const std::string_view taken = rest_.substr(0, count);
  line_ += static_cast<std::size_t>(std::count(taken.begin(), taken.end(), '\n'));
  rest_.remove_prefix(taken.size());
  return taken;
}

std::string_view HtmlTokens::take_until(std::string_view stops) {
  return take(std::min(rest_.find_first_of(stops), rest_.size()));
}

bool HtmlTokens::next(HtmlToken& token) {
  while (!rest_.empty()) {
    token = {};
    token.line = line_;
    const bool tag = rest_.size() > 1 && rest_[0] == '<' &&
                     (rest_[1] == '/' || rest_[1] == '!' || rest_[1] == '?' ||
                      (rest_[1] >= 'A' && rest_[1] <= 'Z') || (rest_[1] >= 'a' && rest_[1] <= 'z'));
    if (!tag) {
      token.text = take(std::min(rest_.find('<', 1), rest_.size()));
      return true;
    }
    if (rest_.starts_with("<!--")) {
      const std::size_t end = rest_.find("-->", 4);
      take(end == std::string_view::npos ? rest_.size() : end + 3);
    } else if (rest_[1] == '!' || rest_[1] == '?') {
      take_until(">");
      take(1);
    } else {
      read_tag(token);
      return true;
    }
  }
  return false;
}

void HtmlTokens::read_tag(HtmlToken& token) {
  take(1);
  token.kind = rest_.starts_with('/') ? HtmlToken::Kind::close : HtmlToken::Kind::open;
  if (token.kind == HtmlToken::Kind::close) take(1);
  token.name = lower_case(take_until(" \t\r\n\f/>"));
  for (;;) {
    take(std::min(rest_.find_first_not_of(" \t\r\n\f/"), rest_.size()));
    if (rest_.empty()) return;
    if (rest_.starts_with('>')) {
      take(1);
      return;
    }
    read_attribute(token);
  }
}

void HtmlTokens::read_attribute(HtmlToken& token) {
  std::string name = lower_case(take_until(" \t\r\n\f=>"));
  if (name.empty()) take(1);  // a stray '='
  std::string_view value;
  take(std::min(rest_.find_first_not_of(kHtmlBlanks), rest_.size()));
  if (rest_.starts_with('=')) {
    take(1);
    take(std::min(rest_.find_first_not_of(kHtmlBlanks), rest_.size()));
    const bool has_quotes = rest_.starts_with('"') || rest_.starts_with('\'');
    if (has_quotes) {
      const std::string_view quote = take(1);
      value = take_until(quote);
      take(1);
    } else {
      value = take_until(" \t\r\n\f>");
    }
  }
  constexpr std::size_t kMostAttributes = 100;
  if (!name.empty() && token.attributes.size() < kMostAttributes)
    token.attributes.emplace_back(std::move(name), value);
}

}  // namespace commonplace

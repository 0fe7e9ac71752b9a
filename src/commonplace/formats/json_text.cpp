#include "commonplace/formats/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/formats/reading.h"

namespace commonplace {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostMembers = 10'000;

/// The offset after the string whose opening quote stands at `at`, or npos.
std::size_t string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

/// Looks at brackets only, so it is cheap and may pass what is not JSON.
void check_nesting(std::string_view text) {
  std::array<std::size_t, kDeepest + 1> members{};
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        at = string_end(text, at);
        if (at == std::string_view::npos) return;
        --at;
        break;
      case '{':
      case '[':
        require(++depth <= kDeepest, "nests more than ", kDeepest, " levels deep");
        members[depth] = 0;
        break;
      case '}':
      case ']':
        if (depth > 0) --depth;
        break;
      case ':':
        require(++members[depth] <= kMostMembers, "has an object of more than ", kMostMembers,
                " members; use an array for lists");
        break;
      default:
        break;
    }
  }
}

template <class Number>
std::string shortest_text(Number value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace

Json parse_json(std::string_view text) {
  require_utf8(text);
  check_nesting(text);
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& problem) {
    const std::size_t at = std::min(problem.byte, text.size());
    if (at == text.size()) fail("not JSON: it ends too early, in ", in_quotes(text));
    std::size_t begin = at > 20 ? at - 20 : 0;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80) --begin;
    fail("not JSON at column ", at, ", near ", in_quotes(text.substr(begin)));
  } catch (const Json::exception&) {
    fail("not JSON: a number is too large for a double, in ", in_quotes(text));
  }
}

std::size_t json_value_end(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        at = string_end(text, at);
        if (at == std::string_view::npos || depth == 0) return at;
        --at;
        break;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (depth == 0) return at;
        if (--depth == 0) return at + 1;
        break;
      case ',':
        if (depth == 0) return at;
        break;
      default:
        break;
    }
  }
  return std::string_view::npos;
}

std::string kind_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHexadecimal = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += kHexadecimal[static_cast<unsigned char>(c) >> 4U];
      out += kHexadecimal[static_cast<unsigned char>(c) & 15U];
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string number_text(double value) { return shortest_text(value); }
std::string number_text(float value) { return shortest_text(value); }

}  // namespace commonplace

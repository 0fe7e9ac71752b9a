#include "app/server/http/http.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "commonplace/base/unicode.h"

namespace commonplace::server {
namespace {

struct Status {
  int code;
  std::string_view reason;
};

constexpr std::array kStatuses = {Status{100, "Continue"},
                                  Status{200, "OK"},
                                  Status{201, "Created"},
                                  Status{202, "Accepted"},
                                  Status{204, "No content"},
                                  Status{206, "Partial content"},
                                  Status{301, "Moved permanently"},
                                  Status{302, "Found"},
                                  Status{303, "See other"},
                                  Status{304, "Not modified"},
                                  Status{307, "Temporary redirect"},
                                  Status{308, "Permanent redirect"},
                                  Status{400, "Bad request"},
                                  Status{401, "Unauthorized"},
                                  Status{403, "Forbidden"},
                                  Status{404, "Not found"},
                                  Status{405, "Method not allowed"},
                                  Status{406, "Not acceptable"},
                                  Status{408, "Request timeout"},
                                  Status{409, "Conflict"},
                                  Status{410, "Gone"},
                                  Status{411, "Length required"},
                                  Status{412, "Precondition failed"},
                                  Status{413, "Content too large"},
                                  Status{414, "Address too long"},
                                  Status{415, "Unsupported media type"},
                                  Status{416, "Range not satisfiable"},
                                  Status{417, "Expectation failed"},
                                  Status{422, "Unprocessable content"},
                                  Status{429, "Too many requests"},
                                  Status{431, "Header fields too large"},
                                  Status{500, "Internal server error"},
                                  Status{501, "Not implemented"},
                                  Status{503, "Service unavailable"},
                                  Status{507, "Insufficient storage"}};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

template <class Pairs>
std::optional<std::string> first_of(const Pairs& pairs, std::string_view name) {
  for (const auto& [key, value] : pairs)
    if (key == name) return value;
  return std::nullopt;
}

/// "not-found" for 404 and so on.
std::string code_of(int status) {
  std::string code = lower_case(reason(status));
  std::replace(code.begin(), code.end(), ' ', '-');
  return code;
}

/// False if a part is not well-formed.
bool parse_parts(std::string_view path, std::vector<std::string>& parts) {
  parts.clear();
  if (path == "/") return true;
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    std::optional<std::string> part = percent_decoded(path.substr(begin, end - begin));
    if (!part || *part == "." || *part == "..") return false;
    parts.push_back(*std::move(part));
    begin = end + 1;
  }
  return true;
}

}  // namespace

std::optional<std::string> Request::header(std::string_view name) const {
  return first_of(headers, lower_case(name));
}

std::optional<std::string> Request::value(std::string_view name) const {
  return first_of(query, name);
}

std::vector<std::string> Request::values(std::string_view name) const {
  std::vector<std::string> result;
  for (const auto& [key, value] : query)
    if (key == name) result.push_back(value);
  return result;
}

std::string_view reason(int status) {
  for (const Status& known : kStatuses)
    if (known.code == status) return known.reason;
  return status >= 500 ? "Server error" : status >= 400 ? "Client error" : "Other";
}

Response problem(const Problem& said) {
  nlohmann::ordered_json json;
  json["type"] = "about:blank";
  json["title"] = reason(said.status);
  json["status"] = said.status;
  json["detail"] = said.detail;
  json["code"] = said.code.empty() ? code_of(said.status) : said.code;
  json["values"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : said.values) json["values"][name] = value;
  Response response;
  response.status = said.status;
  response.type = "application/problem+json";
  response.body = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  response.headers = said.headers;
  return response;
}

Response problem(int status, std::string_view detail, Headers headers) {
  return problem({status, std::string(detail), std::move(headers)});
}

Response json_response(std::string body, int status) {
  Response response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

void add_standard_headers(Response& response, std::string_view path) {
  const auto add = [&](std::string_view name, std::string_view value) {
    const std::string small = lower_case(name);
    const bool there = std::any_of(response.headers.begin(), response.headers.end(),
                                   [&](const auto& h) { return lower_case(h.first) == small; });
    if (!there) response.headers.emplace_back(name, value);
  };
  add("X-Content-Type-Options", "nosniff");
  add("X-Frame-Options", "DENY");
  add("Referrer-Policy", "no-referrer");
  add("Cross-Origin-Resource-Policy", "same-origin");
  if (path == "/v1" || path.starts_with("/v1/")) add("Cache-Control", "no-store");
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (plus && c == '+') {
      c = ' ';
    }
    if (c == '\0') return std::nullopt;
    result.push_back(c);
  }
  if (invalid_utf8(result) != std::string::npos) return std::nullopt;
  return result;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (is_unreserved(c)) {
      result.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result.push_back('%');
      result.push_back(kDigits[byte >> 4U]);
      result.push_back(kDigits[byte & 15U]);
    }
  }
  return result;
}

std::optional<std::vector<std::pair<std::string, std::string>>> parse_form(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view pair = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = percent_decoded(pair.substr(0, equals), true);
    std::optional<std::string> value =
        percent_decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return std::nullopt;
    result.emplace_back(*std::move(name), *std::move(value));
  }
  return result;
}

bool parse_target(std::string_view target, Request& request) {
  const auto forbidden = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7F || c == '#';
  };
  if (!target.starts_with('/') || std::any_of(target.begin(), target.end(), forbidden))
    return false;
  const std::size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  if (!parse_parts(request.path, request.parts)) return false;
  auto query = parse_form(target.substr(std::min(question + 1, target.size())));
  if (!query) return false;
  request.query = *std::move(query);
  return true;
}

}  // namespace commonplace::server

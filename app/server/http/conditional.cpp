#include "app/server/http/conditional.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <span>

#include "commonplace/base/error.h"
#include "commonplace/io/xxhash64.h"

namespace commonplace::server {
namespace {

namespace fs = std::filesystem;

/// Whether one of the tags in the list is this one, strong or weak.
bool names(std::string_view list, std::string_view quoted) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view each = trimmed(list.substr(0, end));
    if (each == "*") return true;
    if (each.starts_with("W/")) each.remove_prefix(2);
    if (each == quoted) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (text.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

/// "bytes=2-5", "bytes=2-" or "bytes=-4" of so many bytes. Nothing if it is none of these; an empty
/// part if it lies outside.
std::optional<Part> part_of(std::string_view range, std::uint64_t size) {
  const std::size_t equals = range.find('=');
  if (equals == std::string_view::npos || lower_case(trimmed(range.substr(0, equals))) != "bytes")
    return std::nullopt;
  const std::string_view asked = trimmed(range.substr(equals + 1));
  const std::size_t dash = asked.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> first = whole_number(asked.substr(0, dash));
  const std::optional<std::uint64_t> last = whole_number(asked.substr(dash + 1));
  if (dash == 0) {
    if (!last) return std::nullopt;
    const std::uint64_t length = std::min(*last, size);
    return Part{size - length, length};
  }
  if (!first || (dash + 1 < asked.size() && !last) || (last && *last < *first)) return std::nullopt;
  if (*first >= size) return Part{};
  return Part{*first, std::min(last.value_or(size - 1), size - 1) - *first + 1};
}

void cut(const Part& part, std::uint64_t size, Response& response) {
  if (part.length == 0) {
    response = problem(416, concat("there is no such part; it has ", size, " bytes"),
                       {{"Content-Range", concat("bytes */", size)}});
    return;
  }
  response.status = 206;
  response.headers.emplace_back(
      "Content-Range", concat("bytes ", part.first, '-', part.first + part.length - 1, '/', size));
  if (response.file.empty())
    response.body = response.body.substr(static_cast<std::size_t>(part.first),
                                         static_cast<std::size_t>(part.length));
  else
    response.part = part;
}

}  // namespace

std::string file_tag(const fs::path& file) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) return {};
  const auto time = fs::last_write_time(file, error).time_since_epoch().count();
  if (error) return {};
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%jx-%llx", size, static_cast<unsigned long long>(time));
  return text.data();
}

std::string bytes_tag(std::string_view bytes) {
  Xxh64 hash;
  hash.update(std::as_bytes(std::span(bytes)));
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%016llx",
                static_cast<unsigned long long>(hash.digest()));
  return text.data();
}

void apply_conditions(const Request& request, Response& response) {
  if (response.tag.empty() || response.status != 200) return;
  const std::string quoted = '"' + response.tag + '"';
  response.headers.emplace_back("ETag", quoted);
  response.headers.emplace_back("Accept-Ranges", "bytes");
  if (names(request.header("if-none-match").value_or(""), quoted)) {
    response.status = 304;
    response.body.clear();
    response.file.clear();
    return;
  }
  const std::optional<std::string> range = request.header("range");
  if (!range || request.method != "GET" || request.header("if-range").value_or(quoted) != quoted)
    return;
  std::error_code error;
  const std::uint64_t size =
      response.file.empty() ? response.body.size() : fs::file_size(response.file, error);
  if (error) return;  // what sends it says that it is not there
  if (const std::optional<Part> part = part_of(*range, size)) cut(*part, size, response);
}

}  // namespace commonplace::server

#include "app/server/answer_head.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

namespace commonplace::server {
namespace {

bool is_framing(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"connection", "content-length",
                                                      "transfer-encoding", "date", "keep-alive"};
  return std::find(kNames.begin(), kNames.end(), lower_case(name)) != kNames.end();
}

void add_line(std::string& head, std::string_view name, std::string_view value) {
  const auto add_clean = [&head](std::string_view text) {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      head.push_back(byte < 0x20 || byte == 0x7F ? ' ' : c);
    }
  };
  add_clean(name);
  head += ": ";
  add_clean(value);
  head += "\r\n";
}

}  // namespace

std::string http_date(std::time_t time) {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02d %s %d %02d:%02d:%02d GMT",
                kDays.at(static_cast<std::size_t>(parts.tm_wday)), parts.tm_mday,
                kMonths.at(static_cast<std::size_t>(parts.tm_mon)), parts.tm_year + 1900,
                parts.tm_hour, parts.tm_min, parts.tm_sec);
  return text.data();
}

std::string answer_head(const Response& response, const Framing& framing) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + ' ';
  head += reason(response.status);
  head += "\r\n";
  add_line(head, "Date", http_date(std::time(nullptr)));
  const bool has_content = response.status != 204 && response.status != 304;
  if (has_content && !response.type.empty()) add_line(head, "Content-Type", response.type);
  if (has_content && framing.chunked)
    add_line(head, "Transfer-Encoding", "chunked");
  else if (has_content && framing.length)
    add_line(head, "Content-Length", std::to_string(*framing.length));
  if (!framing.keeps)
    add_line(head, "Connection", "close");
  else if (framing.says_keeps)
    add_line(head, "Connection", "keep-alive");
  for (const auto& [name, value] : response.headers)
    if (!is_framing(name)) add_line(head, name, value);
  head += "\r\n";
  return head;
}

}  // namespace commonplace::server

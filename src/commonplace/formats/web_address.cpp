#include "commonplace/formats/web_address.h"

#include <algorithm>
#include <array>
#include <vector>

#include "commonplace/io/json.h"

namespace commonplace {
namespace {

bool ends_in(const std::string& text, std::string_view ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string small_letters(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), small);
  return result;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char letter = small(c);
  return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

/// Letters, digits, '-', '.', '_' and '~' as they are; what must stay a %XX in capital letters.
std::string plain_escapes(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? digit(text[i + 1]) : -1;
    const int low = high >= 0 ? digit(text[i + 2]) : -1;
    if (low < 0) {
      result += text[i];
      continue;
    }
    const char c = static_cast<char>(16 * high + low);
    const bool plain = (c >= '0' && c <= '9') || (small(c) >= 'a' && small(c) <= 'z') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    if (plain)
      result += c;
    else
      result +=
          {'%', kDigits[static_cast<std::size_t>(high)], kDigits[static_cast<std::size_t>(low)]};
    i += 2;
  }
  return result;
}

bool follows_readers(std::string_view parameter) {
  static constexpr std::array<std::string_view, 17> kNames = {
      "fbclid", "gclid",  "dclid",  "msclkid", "yclid",      "igshid",
      "mc_cid", "mc_eid", "_hsenc", "_hsmi",   "mkt_tok",    "wickedid",
      "gclsrc", "twclid", "s_cid",  "vero_id", "oly_anon_id"};
  const std::string name = small_letters(parameter.substr(0, parameter.find('=')));
  return name.starts_with("utm_") || name.starts_with("pk_") ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string plain_query(std::string_view query) {
  std::vector<std::string> parameters;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view parameter = query.substr(0, end);
    if (!parameter.empty() && !follows_readers(parameter)) parameters.emplace_back(parameter);
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  std::sort(parameters.begin(), parameters.end());
  std::string result;
  for (const std::string& each : parameters) result += (result.empty() ? "?" : "&") + each;
  return result;
}

/// Without user, "www." and the port that goes without saying.
std::string plain_host(std::string_view authority) {
  if (const std::size_t user = authority.rfind('@'); user != std::string_view::npos)
    authority.remove_prefix(user + 1);
  std::string host = small_letters(authority);
  for (const std::string_view port : {":80", ":443"})
    if (ends_in(host, port)) host.resize(host.size() - port.size());
  while (!host.empty() && host.back() == '.') host.pop_back();
  if (host.starts_with("www.")) host.erase(0, 4);
  return host;
}

}  // namespace

std::string web_address(const Item& item) {
  const auto opens = [](const std::string& text) {
    return text.starts_with("http://") || text.starts_with("https://") ||
           text.starts_with("mailto:");
  };
  if (item.metadata.find("\"url\"") != std::string::npos) {
    const auto metadata = json_from(item.metadata, false);
    if (metadata.is_object() && metadata.contains("url") && metadata["url"].is_string())
      if (std::string url = metadata["url"].get<std::string>(); opens(url)) return url;
  }
  return opens(item.id) ? item.id : "";
}

std::string plain_address(std::string_view address) {
  const std::size_t colon = address.find("://");
  if (colon == std::string_view::npos) return {};
  const std::string scheme = small_letters(address.substr(0, colon));
  if (scheme != "http" && scheme != "https") return {};
  std::string_view rest = address.substr(colon + 3);
  std::string_view fragment;
  if (const std::size_t hash = rest.find('#'); hash != std::string_view::npos) {
    fragment = rest.substr(hash);
    rest = rest.substr(0, hash);
  }
  std::string_view query;
  if (const std::size_t mark = rest.find('?'); mark != std::string_view::npos) {
    query = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
  }
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string host = plain_host(rest.substr(0, slash));
  if (host.empty()) return {};
  std::string path = plain_escapes(rest.substr(slash));
  for (const std::string_view page : {"/index.html", "/index.htm", "/index.php", "/default.aspx"})
    if (ends_in(path, page)) path.resize(path.size() - page.size());
  while (!path.empty() && path.back() == '/') path.pop_back();
  std::string result = host + path + plain_query(plain_escapes(query));
  if (fragment.starts_with("#!") || fragment.starts_with("#/")) result += plain_escapes(fragment);
  return result;
}

}  // namespace commonplace

#include "app/server/router.h"

#include <algorithm>

#include "commonplace/base/error.h"

namespace commonplace::server {
namespace {

std::vector<std::string_view> pattern_parts(std::string_view pattern) {
  std::vector<std::string_view> parts;
  if (pattern == "/") return parts;
  for (std::size_t begin = 1; begin <= pattern.size();) {
    const std::size_t end = std::min(pattern.find('/', begin), pattern.size());
    parts.push_back(pattern.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool is_name(std::string_view part) { return part.starts_with('{') && part.ends_with('}'); }

/// How well a pattern fits: for each part 0 where it is spelt out and 1 where it has a name, so
/// that the smaller of two is the more exact one. Nothing if it does not fit.
std::optional<std::string> fit(std::string_view pattern, const std::vector<std::string>& parts) {
  const std::vector<std::string_view> expected = pattern_parts(pattern);
  if (expected.size() != parts.size()) return std::nullopt;
  std::string result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool name = is_name(expected[i]);
    if (name ? parts[i].empty() : parts[i] != expected[i]) return std::nullopt;
    result.push_back(name ? '1' : '0');
  }
  return result;
}

PathValues values_of(std::string_view pattern, const std::vector<std::string>& parts) {
  PathValues values;
  const std::vector<std::string_view> expected = pattern_parts(pattern);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (is_name(expected[i]))
      values.emplace(expected[i].substr(1, expected[i].size() - 2), parts[i]);
  return values;
}

bool more_exact(const std::string& a, const std::string& b) {
  const auto names_a = std::count(a.begin(), a.end(), '1');
  const auto names_b = std::count(b.begin(), b.end(), '1');
  return names_a != names_b ? names_a < names_b : a < b;
}

std::vector<std::string> all_headers(const Request& request, std::string_view name) {
  std::vector<std::string> result;
  for (const auto& [key, value] : request.headers)
    if (key == name) result.push_back(value);
  return result;
}

struct HostAndPort {
  std::string name;  ///< in small letters, without brackets
  std::optional<std::string> port;
};

std::optional<HostAndPort> parse_host(std::string_view text) {
  HostAndPort result;
  std::size_t end = 0;
  if (text.starts_with('[')) {
    end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    result.name = lower_case(text.substr(1, end - 1));
    ++end;
  } else {
    end = std::min(text.find(':'), text.size());
    result.name = lower_case(text.substr(0, end));
  }
  if (result.name.empty()) return std::nullopt;
  const std::string_view rest = text.substr(end);
  if (rest.empty()) return result;
  if (rest.front() != ':' || rest.size() < 2 || rest.size() > 6 ||
      rest.find_first_not_of("0123456789", 1) != std::string_view::npos)
    return std::nullopt;
  result.port = rest.substr(1);
  return result;
}

bool is_ours(const std::string& name, const GuardOptions& options) {
  return std::any_of(options.hosts.begin(), options.hosts.end(), [&](const std::string& host) {
    std::string ours = lower_case(host);
    if (ours.starts_with('[') && ours.ends_with(']')) ours = ours.substr(1, ours.size() - 2);
    return ours == name;
  });
}

std::optional<Response> host_refusal(const Request& request, const GuardOptions& options) {
  const std::vector<std::string> hosts = all_headers(request, "host");
  if (hosts.size() != 1)
    return problem(400, concat("there are ", hosts.size(), " Host headers; expected one"));
  const std::optional<HostAndPort> host = parse_host(hosts.front());
  if (!host) return problem(400, "the Host header is neither a name nor a name and a port");
  if (!is_ours(host->name, options) || (host->port && *host->port != std::to_string(options.port)))
    return problem(403, concat("this server is not '", hosts.front(),
                               "'; ask it by the name and port that it was started with"));
  return std::nullopt;
}

bool is_own_origin(std::string_view origin, const GuardOptions& options) {
  constexpr std::string_view kScheme = "http://";
  if (!lower_case(origin).starts_with(kScheme)) return false;
  const std::optional<HostAndPort> host = parse_host(origin.substr(kScheme.size()));
  return host && is_ours(host->name, options) &&
         host->port.value_or("80") == std::to_string(options.port);
}

/// What a page of another site had the browser send.
std::optional<Response> origin_refusal(const Request& request, const Route& route,
                                       const GuardOptions& options) {
  for (const std::string& origin : all_headers(request, "origin"))
    if (!is_own_origin(origin, options))
      return problem(403, "pages of another origin may not ask this server");
  const bool navigates = (request.method == "GET" || request.method == "HEAD") && route.open &&
                         request.header("sec-fetch-mode") == "navigate";
  for (const std::string& site : all_headers(request, "sec-fetch-site"))
    if ((site == "cross-site" || site == "same-site") && !navigates)
      return problem(403, "pages of another site may not ask this server");
  return std::nullopt;
}

/// Takes as long for any guess of one length.
bool is_token(std::string_view guess, std::string_view token) {
  unsigned difference = guess.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < guess.size(); ++i)
    difference |= static_cast<unsigned char>(guess[i] ^ token[i % token.size()]);
  return difference == 0;
}

std::optional<Response> token_refusal(const Request& request, const Route& route,
                                      const GuardOptions& options) {
  if (options.token.empty() || route.open) return std::nullopt;
  constexpr std::string_view kScheme = "bearer ";
  const std::string header = request.header("authorization").value_or("");
  std::optional<std::string> guess;
  if (lower_case(header).starts_with(kScheme)) guess = header.substr(kScheme.size());
  if (!guess && request.method == "GET") guess = request.value("token");
  if (guess && is_token(*guess, options.token)) return std::nullopt;
  return problem(
      {401,
       guess ? "the token is wrong" : "a token is needed; send it as 'Authorization: Bearer TOKEN'",
       {{"WWW-Authenticate", "Bearer"}},
       guess ? "token-wrong" : "token-needed"});
}

bool has_body(const Request& request) {
  return request.header("transfer-encoding") ||
         request.header("content-length").value_or("0") != "0";
}

std::optional<Response> type_refusal(const Request& request, const Route& route) {
  const std::string& method = request.method;
  const bool sends = method == "POST" || method == "PUT" || method == "DELETE" || method == "PATCH";
  if (!sends || route.to_file || route.any_type || !has_body(request)) return std::nullopt;
  const std::string type = request.header("content-type").value_or("");
  std::string essence = lower_case(std::string_view(type).substr(0, type.find(';')));
  while (essence.ends_with(' ') || essence.ends_with('\t')) essence.pop_back();
  if (essence == "application/json" || essence == "application/x-www-form-urlencoded")
    return std::nullopt;
  return problem(415, concat("the body's type is '", type,
                             "'; expected application/json or application/x-www-form-urlencoded"));
}

}  // namespace

void Router::add(Route route) {
  require(route.pattern.starts_with('/'), "the pattern is '", route.pattern,
          "'; expected one that begins with a slash");
  for (const Route& other : routes_)
    require(other.method != route.method || other.pattern != route.pattern, "there is already ",
            route.method, " ", route.pattern);
  routes_.push_back(std::move(route));
}

Router::Found Router::find(const Request& request) const {
  Found found;
  std::string best;
  const std::string& method = request.method;
  const std::string wanted = method == "HEAD" ? "GET" : method;
  const auto allow = [&](const std::string& name) {
    if (std::find(found.allowed.begin(), found.allowed.end(), name) == found.allowed.end())
      found.allowed.push_back(name);
  };
  for (const Route& route : routes_) {
    const std::optional<std::string> fits = fit(route.pattern, request.parts);
    if (!fits) continue;
    allow(route.method);
    if (route.method == "GET") allow("HEAD");
    if (route.method != wanted || (found.route != nullptr && !more_exact(*fits, best))) continue;
    found.route = &route;
    best = *fits;
  }
  if (found.route != nullptr) found.values = values_of(found.route->pattern, request.parts);
  return found;
}

std::optional<Response> refusal(const Request& request, const Route& route,
                                const GuardOptions& options) {
  if (auto refused = host_refusal(request, options)) return refused;
  if (auto refused = origin_refusal(request, route, options)) return refused;
  if (auto refused = token_refusal(request, route, options)) return refused;
  if (options.read_only && route.writes)
    return problem({403,
                    "the server is read-only; start it without --read-only to change things",
                    {},
                    "read-only"});
  return type_refusal(request, route);
}

}  // namespace commonplace::server

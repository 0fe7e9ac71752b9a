#pragma once

#include <string>
#include <vector>

#include "app/server/http/http.h"

namespace commonplace::server {

/// What a request's path says where the pattern has names: {"c": "photos"}.
using PathValues = std::map<std::string, std::string>;
using Handler = std::function<Response(const Request&, const PathValues&)>;

struct Route {
  std::string method;
  std::string pattern;  ///< "/v1/collections/{c}/items/{id}": a name stands for one part
  Handler handler;
  bool writes = false;                   ///< not for a server that is read-only
  bool to_file = false;                  ///< its body goes to a file
  bool any_type = false;                 ///< its body is neither JSON nor a form
  bool open = false;                     ///< needs no token
  std::uint64_t most_bytes = 1U << 20U;  ///< of its body
};

/// Finds the route of a request. Patterns are compared part by part; one without names is
/// preferred.
class Router {
 public:
  void add(Route route);
  const std::vector<Route>& routes() const { return routes_; }

  struct Found {
    const Route* route = nullptr;  ///< none: no such path, or not with this method
    PathValues values;
    std::vector<std::string> allowed;  ///< methods that the path has
  };
  /// HEAD finds what GET does.
  Found find(const Request& request) const;

 private:
  std::vector<Route> routes_;
};

/// Who may ask.
struct GuardOptions {
  std::string token;  ///< empty: nobody needs one
  bool read_only = false;
  std::vector<std::string> hosts;  ///< names in the Host header, without port, that are this server
  int port = 0;
};

/// Nothing if the request may go on, else what it is answered. Host must name this server (so that
/// a name elsewhere that was made to point here is refused), Origin, if there is one, must be this
/// server, a token is compared in constant time, and what writes is refused when read-only.
std::optional<Response> refusal(const Request& request, const Route& route,
                                const GuardOptions& options);

}  // namespace commonplace::server

#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

#include "app/server/http/http.h"

namespace commonplace::server {

/// How an answer is framed.
struct Framing {
  std::optional<std::uint64_t> length;  ///< of the body, if it is known
  bool chunked = false;
  bool keeps = true;        ///< the connection stays
  bool says_keeps = false;  ///< and the client wants to be told so, as those of HTTP/1.0 do
};

/// "Sun, 06 Nov 1994 08:49:37 GMT", whatever the locale.
std::string http_date(std::time_t time);

/// Status line and headers up to the empty line. Line ends inside a header become blanks, and a
/// header that the framing decides, such as Content-Length, is left out of the response's own.
std::string answer_head(const Response& response, const Framing& framing);

}  // namespace commonplace::server

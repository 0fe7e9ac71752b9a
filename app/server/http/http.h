#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace commonplace::server {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// What a client asks for. Nothing in it is to be trusted.
struct Request {
  std::string method;  ///< in capitals
  std::string path;    ///< as it was sent, percent-encoded, without the query
  /// The path's parts between slashes, decoded. A part may contain '/' where %2F was sent.
  std::vector<std::string> parts;
  std::vector<std::pair<std::string, std::string>> query;  ///< decoded, in their order
  Headers headers;                                         ///< names in small letters
  std::string body;
  std::filesystem::path body_file;  ///< where the body is, if it went to a file; removed afterwards
  std::string client;               ///< address
  std::chrono::steady_clock::time_point deadline;  ///< nobody waits for the answer after this

  /// The first header, or the first value in the query, of that name; nothing if there is none.
  std::optional<std::string> header(std::string_view name) const;
  std::optional<std::string> value(std::string_view name) const;
  std::vector<std::string> values(std::string_view name) const;
};

/// Gives the next bytes of a stream, empty if there are none for now; nothing at its end. It must
/// not wait: it is asked several times a second.
using Stream = std::function<std::optional<std::string>()>;

/// So many bytes of a body, from `first` on.
struct Part {
  std::uint64_t first = 0;
  std::uint64_t length = 0;
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  Headers headers;
  std::filesystem::path file;  ///< if not empty: the body is this file
  std::string tag;             ///< if not empty: names this version of the body, in [0-9a-z-]
  std::optional<Part> part;    ///< if there is one: only this of the file
  Stream stream;               ///< if there is one: the body is what it gives
};

/// What a sentence about a problem needs to know: {"collection", "fotos"}.
using ProblemValues = std::vector<std::pair<std::string, std::string>>;

/// An answer that is an error: thrown by what handles a request, sent as application/problem+json.
struct Problem {
  int status = 400;
  std::string detail;
  Headers headers{};
  std::string
      code{};  ///< for programs that say it in words of their own; empty: that of the status
  ProblemValues values{};
};

/// "Not found" for 404 and so on.
std::string_view reason(int status);
Response problem(const Problem& said);
Response problem(int status, std::string_view detail, Headers headers = {});
Response json_response(std::string body, int status = 200);

/// Adds what keeps browsers from guessing types, framing and storing an answer to a request for
/// `path`. A header that is there already stays as it is.
void add_standard_headers(Response& response, std::string_view path);
/// Without blanks and tabs at both ends.
std::string_view trimmed(std::string_view text);
/// A to z for A to Z, the rest as it is.
std::string lower_case(std::string_view text);

/// "a%20b" -> "a b"; with `plus`, '+' is a blank too. Nothing if it is not well-formed, has a zero
/// byte or is not UTF-8.
std::optional<std::string> percent_decoded(std::string_view text, bool plus = false);
std::string percent_encoded(std::string_view text);
/// "a=1&b=2", decoded, as queries and forms are written. Nothing if it is not well-formed.
std::optional<std::vector<std::pair<std::string, std::string>>> parse_form(std::string_view text);
/// Fills path, parts and query from what stands in a request's first line. False if it is not
/// well-formed: no leading slash, bad escapes, a part that is "." or "..".
bool parse_target(std::string_view target, Request& request);

}  // namespace commonplace::server

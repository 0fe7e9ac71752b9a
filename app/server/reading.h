#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/server/answers.h"
#include "app/server/http/http.h"

namespace commonplace::server {

using app::Json;

/// So much is listed in one answer at most.
constexpr std::int64_t kMostListed = 1000;

/// Values out of requests; each throws a Problem that says what was expected.

/// From the query.
std::string text(const Request& request, std::string_view name);  ///< empty if it is not there
std::int64_t number(const Request& request, std::string_view name, std::int64_t fallback,
                    std::int64_t least, std::int64_t most);
std::optional<double> share(const Request& request, std::string_view name);  ///< 0 .. 1
bool flag(const Request& request, std::string_view name);

/// From a body of JSON.
Json json_body(const Request& request);                              ///< an object, or an array
std::string text(const Json& json, std::string_view name);           ///< empty if it is not there
std::string demanded_text(const Json& json, std::string_view name);  ///< not empty
std::vector<std::string> texts(const Json& json, std::string_view name);
std::int64_t number(const Json& json, std::string_view name, std::int64_t fallback,
                    std::int64_t least, std::int64_t most);
bool flag(const Json& json, std::string_view name);

Response json_answer(const Json& answer, int status = 200);
template <class Answer>
Response json_answer(const Answer& answer, int status = 200) {
  JsonMaker json;
  write_json(json.value(), answer);
  return json_response(json.text(), status);
}

}  // namespace commonplace::server

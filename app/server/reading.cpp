#include "app/server/reading.h"

#include <charconv>
#include <cmath>

#include "commonplace/base/error.h"

namespace commonplace::server {
namespace {

template <class Number>
std::optional<Number> parsed(const std::string& written) {
  Number value{};
  const char* end = written.data() + written.size();
  const auto result = std::from_chars(written.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(std::string detail) { throw Problem{400, std::move(detail)}; }

std::int64_t within(std::string_view name, std::int64_t value, std::int64_t least,
                    std::int64_t most) {
  if (value < least || value > most)
    refuse(concat("'", name, "' is ", value, "; expected ", least, " to ", most));
  return value;
}

bool truth(std::string_view name, const std::string& written) {
  if (written.empty() || written == "1" || written == "true") return true;
  if (written == "0" || written == "false") return false;
  refuse(concat("'", name, "' is '", written, "'; expected 0 or 1"));
}

}  // namespace

std::string text(const Request& request, std::string_view name) {
  return request.value(name).value_or("");
}

std::int64_t number(const Request& request, std::string_view name, std::int64_t fallback,
                    std::int64_t least, std::int64_t most) {
  const std::optional<std::string> written = request.value(name);
  if (!written || written->empty()) return fallback;
  const std::optional<std::int64_t> value = parsed<std::int64_t>(*written);
  if (!value) refuse(concat("'", name, "' is '", *written, "'; expected a whole number"));
  return within(name, *value, least, most);
}

std::optional<double> share(const Request& request, std::string_view name) {
  const std::optional<std::string> written = request.value(name);
  if (!written || written->empty()) return std::nullopt;
  const std::optional<double> value = parsed<double>(*written);
  if (!value || !(*value >= 0 && *value <= 1))
    refuse(concat("'", name, "' is '", *written, "'; expected a number from 0 to 1"));
  return value;
}

bool flag(const Request& request, std::string_view name) {
  const std::optional<std::string> written = request.value(name);
  return written && truth(name, *written);
}

Json json_body(const Request& request) {
  // Depth is limited, as deep nesting is nobody's data and takes the stack of what reads it.
  constexpr int kDeepest = 32;
  bool deep = false;
  Json json = Json::parse(
      request.body,
      [&](int depth, Json::parse_event_t, Json&) {
        deep = deep || depth > kDeepest;
        return depth <= kDeepest;
      },
      false);
  if (json.is_discarded() || deep) refuse("the body is not JSON, or it is nested too deeply");
  if (!json.is_object() && !json.is_array())
    refuse("the body is neither an object nor an array of JSON");
  return json;
}

std::string text(const Json& json, std::string_view name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (found == json.end() || found->is_null()) return {};
  if (!found->is_string()) refuse(concat("'", name, "' is not a string"));
  return found->get<std::string>();
}

std::string demanded_text(const Json& json, std::string_view name) {
  std::string value = text(json, name);
  if (value.empty()) refuse(concat("'", name, "' is missing"));
  return value;
}

std::vector<std::string> texts(const Json& json, std::string_view name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (found == json.end() || found->is_null()) return {};
  if (!found->is_array()) refuse(concat("'", name, "' is not a list"));
  std::vector<std::string> values;
  for (const Json& each : *found) {
    if (!each.is_string()) refuse(concat("'", name, "' has something that is not a string"));
    values.push_back(each.get<std::string>());
  }
  return values;
}

std::int64_t number(const Json& json, std::string_view name, std::int64_t fallback,
                    std::int64_t least, std::int64_t most) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (found == json.end() || found->is_null()) return fallback;
  if (!found->is_number_integer()) refuse(concat("'", name, "' is not a whole number"));
  return within(name, found->get<std::int64_t>(), least, most);
}

bool flag(const Json& json, std::string_view name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (found == json.end() || found->is_null()) return false;
  if (!found->is_boolean()) refuse(concat("'", name, "' is neither true nor false"));
  return found->get<bool>();
}

Response json_answer(const Json& answer, int status) {
  return json_response(answer.dump(-1, ' ', false, Json::error_handler_t::replace), status);
}

}  // namespace commonplace::server

#include "commonplace/io/json.h"

namespace commonplace {
namespace {

constexpr std::size_t kExcerpt = 100;

template <class Json>
std::string excerpt(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, kExcerpt);
}

}  // namespace

nlohmann::json json_from(std::string_view text, bool strict) {
  return nlohmann::json::parse(text, nullptr, strict);
}

nlohmann::ordered_json ordered_json_from(std::string_view text, bool strict) {
  return nlohmann::ordered_json::parse(text, nullptr, strict);
}

std::string json_text(const nlohmann::json& json, int indent) { return json.dump(indent); }

std::string json_text(const nlohmann::ordered_json& json, int indent) { return json.dump(indent); }

std::string lenient_json_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string json_excerpt(const nlohmann::json& json) { return excerpt(json); }

std::string json_excerpt(const nlohmann::ordered_json& json) { return excerpt(json); }

}  // namespace commonplace

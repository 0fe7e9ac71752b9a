#include "commonplace/io/fields_json.h"

#include "commonplace/io/json.h"

namespace commonplace {

using Json = nlohmann::ordered_json;

void put_json(Json& to, bool value) { to = value; }
void put_json(Json& to, std::int64_t value) { to = value; }
void put_json(Json& to, std::uint64_t value) { to = value; }
void put_json(Json& to, double value) { to = value; }
void put_json(Json& to, std::string_view value) { to = value; }
void put_json_text(Json& to, std::string_view text) { to = ordered_json_from(text); }
void put_array(Json& to) { to = Json::array(); }
void put_object(Json& to) { to = Json::object(); }
Json& add_element(Json& array) { return array.emplace_back(); }
Json& add_member(Json& object, std::string_view name) { return object[name]; }

JsonMaker::JsonMaker() : value_(std::make_unique<Json>()) {}
JsonMaker::~JsonMaker() = default;

std::string JsonMaker::text() const {
  return value_->dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace commonplace

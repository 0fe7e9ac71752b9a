#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "commonplace/base/fields.h"

namespace commonplace {

/// Sets a JSON value.
void put_json(nlohmann::ordered_json& to, bool value);
void put_json(nlohmann::ordered_json& to, std::int64_t value);
void put_json(nlohmann::ordered_json& to, std::uint64_t value);
void put_json(nlohmann::ordered_json& to, double value);
void put_json(nlohmann::ordered_json& to, std::string_view value);
void put_json_text(nlohmann::ordered_json& to, std::string_view text);
void put_array(nlohmann::ordered_json& to);
void put_object(nlohmann::ordered_json& to);
nlohmann::ordered_json& add_element(nlohmann::ordered_json& array);
nlohmann::ordered_json& add_member(nlohmann::ordered_json& object, std::string_view name);

/// Writes anything that a field may be: a number, a text, a word of an enumeration, a struct that
/// lists its fields, or a list of any of these.
template <class Value>
void write_json(nlohmann::ordered_json& to, const Value& value);

/// Writes what visit_fields lists as members of an object.
class JsonFields {
 public:
  explicit JsonFields(nlohmann::ordered_json& object) : object_(object) {}

  template <class Value>
  void operator()(const char* name, const Value& value, const char*) {
    if constexpr (is_optional<Value>)
      where(value.has_value(), name, value, "");
    else
      where(true, name, value, "");
  }
  template <class Value>
  void where(bool is, const char* name, const Value& value, const char*) {
    if (is) write_json(add_member(object_, name), value);
  }
  template <class Value>
  void or_null(const char* name, const std::optional<Value>& value, const char*) {
    where(true, name, value, "");
  }

 private:
  nlohmann::ordered_json& object_;
};

template <class Value>
void write_json(nlohmann::ordered_json& to, const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    put_json(to, value);
  } else if constexpr (HasWords<Value>) {
    put_json(to, std::string_view(word_of(value)));
  } else if constexpr (std::is_floating_point_v<Value>) {
    put_json(to, static_cast<double>(value));
  } else if constexpr (std::is_integral_v<Value>) {
    put_json(to,
             static_cast<std::conditional_t<std::is_signed_v<Value>, std::int64_t, std::uint64_t>>(
                 value));
  } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
    put_json(to, std::string_view(value));
  } else if constexpr (is_json<Value>) {
    put_json_text(to, value.text);
  } else if constexpr (is_optional<Value>) {
    if (value) write_json(to, *value);
  } else if constexpr (HasFields<Value>) {
    put_object(to);
    JsonFields fields(to);
    visit_fields(value, fields);
  } else if constexpr (is_named<typename Value::value_type>) {
    put_object(to);
    for (const auto& [name, each] : value) write_json(add_member(to, name), each);
  } else {
    put_array(to);
    for (const auto& each : value) write_json(add_element(to), each);
  }
}

template <HasFields Struct, class Json = nlohmann::ordered_json>
Json as_json(const Struct& value) {
  Json json;
  write_json(json, value);
  return json;
}

/// A value that is made where nlohmann/json.hpp is not included.
class JsonMaker {
 public:
  JsonMaker();
  ~JsonMaker();
  JsonMaker(const JsonMaker&) = delete;
  JsonMaker& operator=(const JsonMaker&) = delete;
  nlohmann::ordered_json& value() { return *value_; }
  /// On one line; bytes that are no UTF-8 are replaced.
  std::string text() const;

 private:
  std::unique_ptr<nlohmann::ordered_json> value_;
};

template <HasFields Struct>
std::string to_json(const Struct& value) {
  JsonMaker json;
  write_json(json.value(), value);
  return json.text();
}

}  // namespace commonplace

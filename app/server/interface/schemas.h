#pragma once

#include <map>
#include <string>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>

#include <nlohmann/json.hpp>

#include "commonplace/base/fields.h"

namespace commonplace::server {

/// Makes JSON schemas of structs from their visit_fields.
class Schemas {
 public:
  using Json = nlohmann::ordered_json;

  /// Names a struct or an enumeration, so that whatever has it refers to it by that name. What it
  /// has itself must be named before it.
  template <class Type>
  void add(const std::string& name) {
    components_[name] = schema<Type>();
    names_.emplace(typeid(Type), name);
  }
  const Json& components() const { return components_; }

 private:
  /// Collects what visit_fields lists.
  struct Fields {
    const Schemas& schemas;
    Json required = Json::array();
    Json properties = Json::object();

    template <class Value>
    void operator()(const char* name, const Value&, const char* help) {
      if constexpr (is_optional<Value>) {
        add<typename Value::value_type>(name, help);
      } else {
        add<Value>(name, help);
        required.push_back(name);
      }
    }
    template <class Value>
    void where(bool, const char* name, const Value&, const char* help) {
      add<Value>(name, help);
    }
    template <class Value>
    void or_null(const char* name, const Value&, const char* help) {
      add<Value>(name, help);
      required.push_back(name);
    }

   private:
    template <class Value>
    void add(const char* name, const char* help) {
      Json schema = schemas.schema<Value>();
      schema["description"] = help;
      properties[name] = std::move(schema);
    }
  };

  template <class Type>
  Json schema() const {
    if (const auto named = names_.find(typeid(Type)); named != names_.end())
      return {{"$ref", "#/components/schemas/" + named->second}};
    if constexpr (is_optional<Type>) {
      return {{"anyOf", {schema<typename Type::value_type>(), {{"type", "null"}}}}};
    } else if constexpr (std::is_same_v<Type, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (std::is_integral_v<Type>) {
      return {{"type", "integer"}};
    } else if constexpr (std::is_floating_point_v<Type>) {
      return {{"type", "number"}};
    } else if constexpr (HasWords<Type>) {
      Json words = Json::array();
      for (const auto& [value, word] : words_of(Type{})) words.push_back(word);
      return {{"type", "string"}, {"enum", words}};
    } else if constexpr (std::is_convertible_v<const Type&, std::string_view>) {
      return {{"type", "string"}};
    } else if constexpr (std::is_same_v<Type, JsonText>) {
      return Json::object();
    } else if constexpr (std::is_same_v<Type, JsonObjectText>) {
      return {{"type", "object"}};
    } else if constexpr (is_json<Type>) {
      return schema(Type());
    } else if constexpr (HasFields<Type>) {
      Fields fields{*this};
      visit_fields(Type{}, fields);
      return {{"type", "object"}, {"required", fields.required}, {"properties", fields.properties}};
    } else if constexpr (is_named<typename Type::value_type>) {
      return {{"type", "object"},
              {"additionalProperties", schema<typename Type::value_type::second_type>()}};
    } else {
      return {{"type", "array"}, {"items", schema<typename Type::value_type>()}};
    }
  }

  template <class Struct>
  Json schema(JsonOf<Struct>) const {
    return schema<Struct>();
  }

  std::map<std::type_index, std::string> names_;
  Json components_ = Json::object();
};

/// The schemas of all answers, by the names that openapi.json refers to them.
Schemas::Json answer_schemas();

}  // namespace commonplace::server

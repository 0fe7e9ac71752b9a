#include "app/server/interface/types.h"

#include <algorithm>
#include <cctype>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"

namespace commonplace::server {
namespace {

using Json = nlohmann::ordered_json;

std::string type_of(const Json& schema, const std::string& indent);

std::string name_of(const Json& reference) {
  const auto text = reference.get<std::string>();
  return text.substr(text.rfind('/') + 1);
}

std::string union_of(const Json& schemas, const char* between, const std::string& indent) {
  std::string types;
  for (const Json& each : schemas) types += (types.empty() ? "" : between) + type_of(each, indent);
  return types;
}

/// As it is if it is an identifier.
std::string quoted(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(),
                                 [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return plain ? name : concat("'", name, "'");
}

std::string object_of(const Json& schema, const std::string& indent) {
  if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object())
    return concat("Record<string, ", type_of(schema["additionalProperties"], indent), ">");
  if (!schema.contains("properties")) return "Record<string, unknown>";
  const Json required = schema.value("required", Json::array());
  std::string lines = "{\n";
  for (const auto& [name, property] : schema["properties"].items()) {
    const bool always = std::find(required.begin(), required.end(), Json(name)) != required.end();
    lines += concat(indent, "  ", quoted(name),
                    always ? ": " : "?: ", type_of(property, indent + "  "), ";");
    if (property.contains("description"))
      lines += concat(" // ", property["description"].get<std::string>());
    lines += "\n";
  }
  return lines + indent + "}";
}

std::string type_of(const Json& schema, const std::string& indent) {
  if (schema.contains("$ref")) return name_of(schema["$ref"]);
  if (schema.contains("anyOf")) return union_of(schema["anyOf"], " | ", indent);
  if (schema.contains("allOf")) return union_of(schema["allOf"], " & ", indent);
  if (schema.contains("enum")) {
    std::string words;
    for (const Json& each : schema["enum"])
      words += concat(words.empty() ? "'" : " | '", each.get<std::string>(), "'");
    return words;
  }
  if (schema.contains("type") && schema["type"].is_array()) {
    Json one = schema;
    std::string types;
    for (const Json& each : schema["type"]) {
      one["type"] = each;
      types += (types.empty() ? "" : " | ") + type_of(one, indent);
    }
    return types;
  }
  const std::string type = schema.value("type", "unknown");
  if (type == "integer") return "number";
  if (type == "object") return object_of(schema, indent);
  if (type != "array") return type;
  const std::string element = type_of(schema["items"], indent);
  return element.find(" | ") == std::string::npos || element.front() == '{'
             ? element + "[]"
             : concat("(", element, ")[]");
}

}  // namespace

std::string typescript(const Json& document) {
  std::string text =
      "/** What the server answers. Written by write_types from the structs of the answers: change"
      " those. */\n";
  for (const auto& [name, schema] : document["components"]["schemas"].items()) {
    const std::string type = type_of(schema, "");
    text += type.front() == '{' && !schema.contains("allOf")
                ? concat("\nexport interface ", name, " ", type, "\n")
                : concat("\nexport type ", name, " = ", type, ";\n");
  }
  return text;
}

}  // namespace commonplace::server

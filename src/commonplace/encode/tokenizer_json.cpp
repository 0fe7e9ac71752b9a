#include "commonplace/encode/tokenizer_json.h"

#include <limits>

#include "commonplace/base/error.h"
#include "commonplace/io/json.h"

namespace commonplace {
namespace {

[[noreturn]] void refuse_member(const char* name, const nlohmann::json& found,
                                const char* expected) {
  fail(name, " is ", json_excerpt(found), "; expected ", expected);
}

}  // namespace

const nlohmann::json* member_or_null(const nlohmann::json& object, const char* name) {
  require(object.is_object(), name, " should be in an object, but there is none");
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const nlohmann::json& member(const nlohmann::json& object, const char* name) {
  const nlohmann::json* found = member_or_null(object, name);
  require(found != nullptr, name, " is missing");
  return *found;
}

std::optional<std::string> optional_text(const nlohmann::json& object, const char* name) {
  const nlohmann::json* found = member_or_null(object, name);
  if (found == nullptr) return std::nullopt;
  if (!found->is_string()) refuse_member(name, *found, "a text");
  return found->get<std::string>();
}

std::string text_member(const nlohmann::json& object, const char* name) {
  const nlohmann::json& found = member(object, name);
  if (!found.is_string()) refuse_member(name, found, "a text");
  return found.get<std::string>();
}

bool flag_member(const nlohmann::json& object, const char* name, bool otherwise) {
  const nlohmann::json* found = member_or_null(object, name);
  if (found == nullptr) return otherwise;
  if (!found->is_boolean()) refuse_member(name, *found, "true or false");
  return found->get<bool>();
}

std::int32_t number_within(const nlohmann::json& value, const char* what, std::int32_t least,
                           std::int32_t most) {
  // Some files write whole numbers with a point.
  if (value.is_number()) {
    const auto number = value.get<double>();
    if (number >= least && number <= most && number == static_cast<std::int32_t>(number))
      return static_cast<std::int32_t>(number);
  }
  refuse_member(what, value, concat("a whole number from ", least, " to ", most).c_str());
}

const std::string& text_element(const nlohmann::json& array, std::size_t at, const char* what) {
  if (!array.is_array() || at >= array.size() || !array[at].is_string())
    refuse_member(what, array, "a list of texts");
  return array[at].get_ref<const std::string&>();
}

std::string type_of(const nlohmann::json& component) {
  return optional_text(component, "type").value_or("");
}

std::vector<std::pair<std::string, std::int32_t>> read_vocabulary(const nlohmann::json& model) {
  const nlohmann::json& vocabulary = member(model, "vocab");
  if (!vocabulary.is_object()) refuse_member("vocab", vocabulary, "an object");
  std::vector<std::pair<std::string, std::int32_t>> entries;
  entries.reserve(vocabulary.size());
  for (const auto& [token, id] : vocabulary.items())
    entries.emplace_back(
        token, number_within(id, "a token's number", 0, std::numeric_limits<std::int32_t>::max()));
  return entries;
}

}  // namespace commonplace

#include "commonplace/io/options_json.h"

#include <limits>

#include "commonplace/base/error.h"
#include "commonplace/base/spelling.h"
#include "commonplace/io/json.h"

namespace commonplace {

struct OptionsWriter::Object {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
};
struct OptionsReader::Object {
  nlohmann::json json;

  const nlohmann::json& at(const char* name) const {
    for (const std::string& spelling : spellings(name))
      if (const auto found = json.find(spelling); found != json.end()) return *found;
    fail("option ", current_spelling(name), " is missing");
  }
};

namespace {

[[noreturn]] void refuse(const char* name, const nlohmann::json& found, const char* expected) {
  fail("option ", current_spelling(name), " is ", json_excerpt(found), "; expected ", expected);
}

template <class Integer>
Integer integer(const char* name, const nlohmann::json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number <= static_cast<std::uint64_t>(std::numeric_limits<Integer>::max()))
      return static_cast<Integer>(number);
  } else if (value.is_number_integer() && std::numeric_limits<Integer>::is_signed) {
    const auto number = value.get<std::int64_t>();
    if (number >= static_cast<std::int64_t>(std::numeric_limits<Integer>::min()))
      return static_cast<Integer>(number);
  }
  refuse(name, value, "a whole number within its range");
}

}  // namespace

OptionsWriter::OptionsWriter() : object_(std::make_unique<Object>()) {}
OptionsWriter::~OptionsWriter() = default;
void OptionsWriter::operator()(const char* name, const std::string& value, const char*) {
  object_->json[current_spelling(name)] = value;
}
void OptionsWriter::operator()(const char* name, bool value, const char*) {
  object_->json[current_spelling(name)] = value;
}
void OptionsWriter::operator()(const char* name, int value, const char*) {
  object_->json[current_spelling(name)] = value;
}
void OptionsWriter::operator()(const char* name, std::int64_t value, const char*) {
  object_->json[current_spelling(name)] = value;
}
void OptionsWriter::operator()(const char* name, std::uint64_t value, const char*) {
  object_->json[current_spelling(name)] = value;
}
void OptionsWriter::operator()(const char* name, double value, const char*) {
  object_->json[current_spelling(name)] = value;
}
std::string OptionsWriter::text() const { return json_text(object_->json); }

OptionsReader::OptionsReader(const std::string& text) : object_(std::make_unique<Object>()) {
  object_->json = json_from(text, false);
  require(object_->json.is_object(), "the options \"", text.substr(0, 100),
          "\" are not a JSON object");
}
OptionsReader::~OptionsReader() = default;
void OptionsReader::operator()(const char* name, std::string& value, const char*) const {
  const nlohmann::json& found = object_->at(name);
  if (!found.is_string()) refuse(name, found, "a text");
  value = current_value(name, found.get<std::string>());
}
void OptionsReader::operator()(const char* name, bool& value, const char*) const {
  const nlohmann::json& found = object_->at(name);
  if (!found.is_boolean()) refuse(name, found, "true or false");
  value = found.get<bool>();
}
void OptionsReader::operator()(const char* name, int& value, const char*) const {
  value = integer<int>(name, object_->at(name));
}
void OptionsReader::operator()(const char* name, std::int64_t& value, const char*) const {
  value = integer<std::int64_t>(name, object_->at(name));
}
void OptionsReader::operator()(const char* name, std::uint64_t& value, const char*) const {
  value = integer<std::uint64_t>(name, object_->at(name));
}
void OptionsReader::operator()(const char* name, double& value, const char*) const {
  const nlohmann::json& found = object_->at(name);
  if (!found.is_number()) refuse(name, found, "a number");
  value = found.get<double>();
}

}  // namespace commonplace

#include "commonplace/formats/item_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/formats/reading.h"
#include "commonplace/io/json.h"

namespace commonplace {
namespace {

GivenBy given_by(const std::string& text) {
  if (text == "source") return GivenBy::source;
  if (text == "user") return GivenBy::user;
  require(text == "machine", "a tag is given by ", in_quotes(text),
          "; expected source, user or machine");
  return GivenBy::machine;
}

double tag_count(const Json& value) {
  return required_number(value, "count", std::numeric_limits<double>::denorm_min(),
                         std::numeric_limits<double>::max(), "a number above 0");
}

/// What other programs call a tag's name, the first that is there counts; an address comes last.
constexpr std::array<std::string_view, 9> kNamesOfName{
    "name", "label", "prefLabel", "title", "tag", "value", "term", "uri", "@id"};

std::string name_in(const Json& object) {
  for (const std::string_view member : kNamesOfName)
    if (const auto found = object.find(member); found != object.end() && !is_absent(*found))
      return required_text(*found, std::string(member), "a tag's name");
  return {};
}

ItemTag tag_of_object(const Json& object) {
  ItemTag tag;
  tag.name = name_in(object);
  require(!tag.name.empty() || object.empty(), "a tag is ", in_quotes(json_text(object)),
          "; expected a name in one of ", join(kNamesOfName));
  for (const auto& [name, value] : object.get_ref<const Json::object_t&>()) {
    if (value.is_null()) continue;
    if (name == "count") tag.count = tag_count(value);
    if (name == "by") tag.by = given_by(required_text(value, name, "source, user or machine"));
    if (name == "model") tag.model = required_text(value, name, "a model's name");
    if (name == "score") tag.score = required_number(value, name, 0, 1, "a number from 0 to 1");
  }
  return tag;
}

void add_label(std::vector<Label>& labels, const std::string& field, const Json& value) {
  if (is_absent(value)) return;
  labels.push_back({field, required_text(value, field, "a label: a string or a number")});
}

/// {"field": ..., "value": ...}, as an export writes labels whose field is repeated.
bool is_written_label(const Json& value) {
  return value.is_object() && value.size() == 2 && value.contains("field") &&
         value.contains("value") && value["field"].is_string();
}

std::string_view name_of(GivenBy by) {
  return by == GivenBy::source ? "source" : by == GivenBy::user ? "user" : "machine";
}

void append_number(std::string& out, std::string_view name, double value) {
  require(std::isfinite(value), "a tag's ", name, " is ", value, "; expected a finite number");
  out.append(",\"").append(name).append("\":").append(number_text(value));
}

}  // namespace

bool is_absent(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty());
}

/// The text of a string, a number or a truth value.
std::optional<std::string> scalar_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return number_text(value.get<double>());
  if (value.is_number() || value.is_boolean()) return json_text(value);
  return std::nullopt;
}

std::string required_text(const Json& value, const std::string& name, const char* expected) {
  auto text = scalar_text(value);
  if (!text) fail("field '", name, "' is ", kind_of(value), "; expected ", expected);
  return *std::move(text);
}

double required_number(const Json& value, const std::string& name, double least, double most,
                       const char* expected) {
  double number = 0;
  bool understood = value.is_number();
  if (understood) {
    number = value.get<double>();
  } else if (value.is_string()) {
    const std::string_view text = trim(value.get_ref<const std::string&>());
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    understood = problem == std::errc{} && end == text.data() + text.size();
  }
  if (!understood || !(number >= least && number <= most))
    fail("field '", name, "' is ",
         in_quotes(value.is_string() ? value.get<std::string>() : json_text(value)), "; expected ",
         expected);
  return number;
}

std::string joined_text(const Json& value, const std::string& name) {
  constexpr const char* kExpected = "a string or an array of strings";
  if (!value.is_array()) return required_text(value, name, kExpected);
  std::string text;
  for (const Json& each : value) {
    if (each.is_null()) continue;
    if (!text.empty()) text += '\n';
    text += required_text(each, name, kExpected);
  }
  return text;
}

ItemTag plain_tag(std::string name) {
  ItemTag tag;
  tag.name = std::move(name);
  return tag;
}

std::vector<ItemTag> tags_of(const Json& value, const std::string& name) {
  if (value.is_string()) return tags_of_cell(value.get_ref<const std::string&>());
  std::vector<ItemTag> tags;
  const auto add = [&](ItemTag tag) {
    if (!tag.name.empty()) tags.push_back(std::move(tag));
  };
  if (value.is_object()) {
    for (const auto& [tag, count] : value.get_ref<const Json::object_t&>()) {
      add(plain_tag(tag));
      if (!tag.empty()) tags.back().count = tag_count(count);
    }
    return tags;
  }
  constexpr const char* kExpected = "an array of names, an object {name: count} or a string";
  require(value.is_array(), "field '", name, "' is ", kind_of(value), "; expected ", kExpected);
  tags.reserve(value.size());
  for (const Json& each : value) {
    if (each.is_null()) continue;
    if (each.is_object()) {
      add(tag_of_object(each));
    } else {
      add(plain_tag(required_text(each, name, kExpected)));
    }
  }
  return tags;
}

bool says_more_than_tags(const Json& value) {
  static constexpr std::array<std::string_view, 5> kKept{"name", "count", "by", "model", "score"};
  const auto is_kept = [](const auto& member) {
    return std::find(kKept.begin(), kKept.end(), member.first) != kKept.end();
  };
  return value.is_array() && std::any_of(value.begin(), value.end(), [&](const Json& each) {
           return each.is_object() &&
                  !std::all_of(each.get_ref<const Json::object_t&>().begin(),
                               each.get_ref<const Json::object_t&>().end(), is_kept);
         });
}

void add_labels(std::vector<Label>& labels, const std::string& name, const Json& value) {
  const std::string small = lower_case(name);
  const std::string own_field = small == "labels" || small == "label" ? "label" : name;
  if (value.is_object()) {
    for (const auto& [field, each] : value.get_ref<const Json::object_t&>()) {
      if (!each.is_array()) add_label(labels, field, each);
      if (each.is_array())
        for (const Json& one : each) add_label(labels, field, one);
    }
  } else if (value.is_array()) {
    for (const Json& each : value) {
      if (is_written_label(each)) {
        add_label(labels, each["field"].get<std::string>(), each["value"]);
      } else {
        add_label(labels, own_field, each);
      }
    }
  } else {
    add_label(labels, own_field, value);
  }
}

std::vector<ItemTag> tags_of_cell(const std::string& cell) {
  if (trim(cell).find_first_of("[{") == 0) return tags_of(parse_json(trim(cell)), "tags");
  const char* separator = ",";
  if (cell.find(';') != std::string::npos) {
    separator = ";";
  } else if (cell.find('|') != std::string::npos) {
    separator = "|";
  }
  std::vector<ItemTag> tags;
  for (const std::string_view name : split(cell, separator)) {
    tags.push_back(plain_tag(std::string(name)));
  }
  return tags;
}

std::string tags_json(const std::vector<ItemTag>& tags) {
  std::string out = "[";
  for (const ItemTag& tag : tags) {
    if (out.size() > 1) out += ',';
    if (tag == plain_tag(tag.name)) {
      append_json_string(out, tag.name);
      continue;
    }
    out += "{\"name\":";
    append_json_string(out, tag.name);
    if (tag.count != 1) append_number(out, "count", tag.count);
    if (tag.by != GivenBy::source) out.append(",\"by\":\"").append(name_of(tag.by)).append("\"");
    if (!tag.model.empty()) {
      out += ",\"model\":";
      append_json_string(out, tag.model);
    }
    if (tag.score != 1) append_number(out, "score", tag.score);
    out += '}';
  }
  return out + "]";
}

std::string labels_json(const std::vector<Label>& labels) {
  std::vector<std::string_view> fields;
  fields.reserve(labels.size());
  for (const Label& label : labels) fields.push_back(label.field);
  std::sort(fields.begin(), fields.end());
  const bool repeated = std::adjacent_find(fields.begin(), fields.end()) != fields.end();
  std::string out(1, repeated ? '[' : '{');
  for (const Label& label : labels) {
    if (out.size() > 1) out += ',';
    if (repeated) out += "{\"field\":";
    append_json_string(out, label.field);
    out += repeated ? ",\"value\":" : ":";
    append_json_string(out, label.value);
    if (repeated) out += '}';
  }
  return out + (repeated ? "]" : "}");
}

}  // namespace commonplace

#include "commonplace/formats/pictures/photo_facts.h"

#include <charconv>
#include <cmath>
#include <iterator>
#include <set>

#include "commonplace/base/unicode.h"
#include "commonplace/formats/reading.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/json.h"

namespace commonplace {
namespace {

void fill(std::string& value, std::string&& other) {
  if (value.empty()) value = std::move(other);
}

template <class T>
void fill(std::optional<T>& value, const std::optional<T>& other) {
  if (!value) value = other;
}

template <class T>
void append(std::vector<T>& list, std::vector<T>&& others) {
  list.insert(list.end(), std::make_move_iterator(others.begin()),
              std::make_move_iterator(others.end()));
}

std::vector<ItemTag> tags_of(const PhotoFacts& facts) {
  std::vector<std::string> names;
  for (const auto* list : {&facts.paths, &facts.keywords})
    for (const std::string& written : *list)
      if (std::string name = tag_name(written); !name.empty()) names.push_back(std::move(name));

  std::set<std::string> seen;
  std::set<std::string> levels;
  std::vector<ItemTag> tags;
  auto add = [&](const std::string& name, const std::string& key) {
    if (seen.insert(key).second) tags.push_back({.name = name, .model = {}});
  };
  for (const std::string& name : names) {
    if (tag_leaf(name) == name) continue;
    for (const std::string& path : tag_path(name)) levels.insert(tag_key(tag_leaf(path)));
    add(name, tag_key(name));
  }
  for (const std::string& name : names) {
    if (tag_leaf(name) != name) continue;
    if (const std::string key = tag_key(name); levels.count(key) == 0) add(name, key);
  }
  seen.clear();
  for (const ItemTag& tag : facts.machine)
    if (seen.insert(tag_key(tag.name)).second) tags.push_back(tag);
  return tags;
}

std::string time_of(const PhotoFacts& facts) {
  for (const auto* written : {&facts.taken, &facts.created, &facts.digitised})
    if (!written->empty())
      if (std::optional<std::string> time = parse_time(*written)) return *time;
  return {};
}

std::string metadata_of(const PhotoFacts& facts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  auto text = [&](const char* key, const std::string& value) {
    if (std::string tidied = tidy(value); !tidied.empty()) json[key] = std::move(tidied);
  };
  auto number = [&](const char* key, const std::optional<int>& value) {
    if (value) json[key] = *value;
  };
  text("creator", facts.creator);
  text("rights", facts.rights);
  text("license", facts.license);
  text("make", facts.make);
  text("model", facts.model);
  number("rating", facts.rating);
  number("orientation", facts.orientation);
  number("width", facts.width);
  number("height", facts.height);
  return json.empty() ? std::string() : json_text(json);
}

/// Degrees from "degrees", "degrees,minutes" or "degrees,minutes,seconds" with an optional letter
/// at the end, which wins over `reference`.
std::optional<double> parse_degrees(std::string_view text, std::string_view reference,
                                    std::string_view positive, std::string_view negative) {
  text = trim(text);
  if (text.empty()) return {};
  if (std::string_view("NnSsEeWw").find(text.back()) != std::string_view::npos) {
    reference = text.substr(text.size() - 1);
    text = trim(text.substr(0, text.size() - 1));
  }
  reference = trim(reference).substr(0, 1);
  if (!reference.empty() && positive.find(reference) == std::string_view::npos &&
      negative.find(reference) == std::string_view::npos)
    return {};

  double degrees = 0;
  double unit = 1;
  bool minus = !reference.empty() && negative.find(reference) != std::string_view::npos;
  if (!text.empty() && text.front() == '-') {
    minus = !minus;
    text.remove_prefix(1);
  }
  for (int part = 0; part < 3; ++part, unit /= 60) {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc() || !(value >= 0)) return {};
    degrees += value * unit;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return minus ? -degrees : degrees;
    if (text.front() != ',') return {};
    text.remove_prefix(1);
  }
  return {};
}

}  // namespace

void merge(PhotoFacts& facts, PhotoFacts&& other) {
  append(facts.paths, std::move(other.paths));
  append(facts.keywords, std::move(other.keywords));
  append(facts.machine, std::move(other.machine));
  fill(facts.title, std::move(other.title));
  fill(facts.headline, std::move(other.headline));
  fill(facts.description, std::move(other.description));
  fill(facts.comment, std::move(other.comment));
  fill(facts.taken, std::move(other.taken));
  fill(facts.created, std::move(other.created));
  fill(facts.digitised, std::move(other.digitised));
  fill(facts.creator, std::move(other.creator));
  fill(facts.rights, std::move(other.rights));
  fill(facts.license, std::move(other.license));
  fill(facts.make, std::move(other.make));
  fill(facts.model, std::move(other.model));
  fill(facts.place, other.place);
  fill(facts.rating, other.rating);
  fill(facts.orientation, other.orientation);
  fill(facts.width, other.width);
  fill(facts.height, other.height);
}

void add_keywords(PhotoFacts& facts, std::string_view text, std::string_view separators) {
  constexpr std::size_t most_keywords = 10'000;
  for (std::size_t begin = 0; begin < text.size() && facts.keywords.size() < most_keywords;) {
    const std::size_t end = std::min(text.size(), text.find_first_of(separators, begin));
    if (end > begin) facts.keywords.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

Item item_of(const PhotoFacts& facts) {
  Item item;
  item.tags = tags_of(facts);
  item.title = tidy(facts.title);
  if (item.title.empty()) item.title = tidy(facts.headline);
  item.text = std::string(trim(nfc(facts.description)));
  if (item.text.empty()) item.text = std::string(trim(nfc(facts.comment)));
  item.place = facts.place;
  item.time = time_of(facts);
  item.metadata = metadata_of(facts);
  return item;
}

std::optional<Place> parse_place(std::string_view latitude, std::string_view latitude_reference,
                                 std::string_view longitude, std::string_view longitude_reference) {
  const auto north = parse_degrees(latitude, latitude_reference, "Nn", "Ss");
  const auto east = parse_degrees(longitude, longitude_reference, "Ee", "Ww");
  if (!north || !east || !(std::abs(*north) <= 90) || !(std::abs(*east) <= 180)) return {};
  return Place{*north, *east};
}

}  // namespace commonplace

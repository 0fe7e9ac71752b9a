#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "commonplace/formats/export.h"
#include "commonplace/formats/import.h"

namespace commonplace::test {

/// What a reader told its sink.
struct Collected {
  std::vector<Record> records;
  std::vector<std::pair<Where, std::string>> bad;
  std::vector<std::string> notes;
  std::vector<std::string> feature_names;

  Sink sink() {
    Sink made;
    made.record = [this](Record&& record) { records.push_back(std::move(record)); };
    made.bad = [this](const Where& where, const std::string& message) {
      bad.emplace_back(where, message);
    };
    made.note = [this](const Where&, const std::string& message) { notes.push_back(message); };
    made.feature_names = [this](std::vector<std::string>&& names) {
      feature_names = std::move(names);
    };
    return made;
  }
  const Item& item(std::size_t position = 0) const { return records.at(position).item; }
};

inline std::vector<std::string> tag_names(const Item& item) {
  std::vector<std::string> names;
  for (const ItemTag& tag : item.tags) names.push_back(tag.name);
  return names;
}

inline Collected jsonl(const std::string& text, const std::string& map = "") {
  Collected collected;
  LineReader lines(bytes_of(text), "test.jsonl");
  ReadOptions options;
  options.map = parse_field_map(map);
  read_jsonl(lines, options, collected.sink());
  return collected;
}

inline Collected csv(const std::string& text, const std::string& map = "", char separator = '\0') {
  Collected collected;
  ReadOptions options;
  options.map = parse_field_map(map);
  read_csv(*bytes_of(text), "test.csv", separator, options, collected.sink());
  return collected;
}

/// The items of a vector, one after the other.
inline ItemSource each_of(const std::vector<Item>& items) {
  return [&items, next = std::size_t{0}](Item& item) mutable {
    if (next == items.size()) return false;
    item = items[next++];
    return true;
  };
}

/// What `write` puts out.
inline std::string written(const std::function<void(const Output&)>& write) {
  std::string text;
  write([&](std::string_view part) { text += part; });
  return text;
}

}  // namespace commonplace::test

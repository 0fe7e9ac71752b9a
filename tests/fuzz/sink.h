#pragma once

#include <string>

#include "commonplace/base/unicode.h"
#include "commonplace/formats/import.h"
#include "tests/fuzz/fuzz.h"

namespace commonplace::fuzz {

inline void check_text(const std::string& text) {
  check(invalid_utf8(text) == std::string::npos, "a text is not UTF-8");
}

/// A sink that holds every record to what all readers promise.
inline Sink checking_sink() {
  Sink sink;
  sink.record = [](Record&& record) {
    const Item& item = record.item;
    check(!item.id.empty(), "an item has no id");
    for (const std::string* text : {&item.id, &item.title, &item.text, &item.image, &item.metadata})
      check_text(*text);
    for (const ItemTag& tag : item.tags) {
      check(!tag.name.empty() && tag.count > 0, "a tag has no name or no count");
      check_text(tag.name);
    }
    for (const Label& label : item.labels) check_text(label.value);
    check(item.time.empty() || parse_time(item.time) == item.time, "a time is not in its own form");
    for (std::size_t i = 1; i < record.features.size(); ++i)
      check(record.features[i - 1].first < record.features[i].first, "columns do not ascend");
  };
  sink.bad = [](const Where& where, const std::string& message) {
    check(where.line > 0 && !message.empty(), "a bad record has no place or no message");
  };
  return sink;
}

}  // namespace commonplace::fuzz

#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "commonplace/base/rng.h"
#include "commonplace/formats/item.h"

namespace commonplace::test {

inline std::string random_text(Rng& rng, std::size_t longest) {
  static const std::vector<std::string> pieces = {
      "a", "b",  "Z",    " ",          "  ", "\n",  "\r\n", "\t",    ",",   ";",
      "|", "\"", "'",    "\\",         "/",  "<b>", "&",    "&amp;", "#",   "[",
      "{", "é",  "日本", "\U0001F989", "0",  "=",   "\x01", "--",    "]]>", "e\u0301"};
  std::string text;
  for (std::size_t i = rng.below(longest + 1); i > 0; --i) text += pieces[rng.below(pieces.size())];
  return text;
}

inline std::string non_empty(Rng& rng, std::size_t longest) {
  return "x" + random_text(rng, longest) + (rng.below(2) == 0 ? "" : "y");
}

inline ItemTag random_tag(Rng& rng) {
  ItemTag tag;
  tag.name = non_empty(rng, 4);
  if (rng.below(4) == 0) tag.count = 1.0 + 10 * rng.uniform();
  if (rng.below(4) == 0) tag.by = GivenBy::user;
  if (rng.below(4) == 0) {
    tag.by = GivenBy::machine;
    tag.model = non_empty(rng, 3);
    tag.score = rng.uniform();
  }
  return tag;
}

/// Items with everything in them that could go wrong on the way out and back.
inline std::vector<Item> random_items(std::uint64_t seed, std::size_t count) {
  Rng rng(seed);
  std::vector<Item> items(count);
  for (Item& item : items) {
    item.id = non_empty(rng, 6);
    item.title = random_text(rng, 6);
    item.text = random_text(rng, 30);
    for (std::size_t i = rng.below(5); i > 0; --i) item.tags.push_back(random_tag(rng));
    item.image = random_text(rng, 3);
    if (rng.below(2) == 0) item.place = Place{180 * rng.uniform() - 90, 360 * rng.uniform() - 180};
    const std::vector<std::string> times = {"", "1904", "1904-05", "1904-05-03",
                                            "1904-05-03T10:11:12Z"};
    item.time = times[rng.below(times.size())];
    for (std::size_t i = rng.below(4); i > 0; --i)
      item.labels.push_back({rng.below(2) == 0 ? "label" : non_empty(rng, 1), non_empty(rng, 3)});
    if (rng.below(2) == 0) {
      nlohmann::ordered_json metadata;
      metadata[random_text(rng, 3)] = rng.uniform();
      metadata["id"] = random_text(rng, 3);
      metadata["metadata"] = {{"nested", nullptr}, {"list", {1, 2.5, true, "x"}}};
      item.metadata = metadata.dump();
    }
  }
  return items;
}

}  // namespace commonplace::test

#include "tests/support/planted_collections.h"

#include <algorithm>
#include <numeric>

#include "commonplace/base/rng.h"
#include "commonplace/library/items/items.h"
#include "tests/support/sample_library.h"

namespace commonplace::test {
namespace {

/// `count` distinct numbers below `range`, by (seed, row).
std::vector<std::size_t> draw(std::size_t range, int count, std::uint64_t seed, std::uint64_t row) {
  std::vector<std::size_t> numbers(range);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::sort(numbers.begin(), numbers.end(), [&](std::size_t a, std::size_t b) {
    return random_bits(seed, row, a) < random_bits(seed, row, b);
  });
  numbers.resize(std::min(range, static_cast<std::size_t>(count)));
  return numbers;
}

}  // namespace

const std::vector<std::vector<std::string>>& planted_topics() {
  static const std::vector<std::vector<std::string>> topics = {
      {"harbour", "ship", "sail", "gull", "wave", "lighthouse", "tide", "pier"},
      {"forest", "oak", "fern", "moss", "owl", "fox", "acorn", "bark"},
      {"railway", "engine", "station", "steam", "bridge", "tunnel", "signal", "carriage"},
      {"kitchen", "bread", "oven", "flour", "butter", "cake", "spoon", "apron"},
      {"orchestra", "violin", "cello", "flute", "drum", "concert", "stage", "conductor"},
      {"mountain", "glacier", "summit", "rope", "snow", "ridge", "valley", "tent"}};
  return topics;
}

int planted_topic(std::string_view word) {
  const auto& topics = planted_topics();
  for (std::size_t topic = 0; topic < topics.size(); ++topic)
    if (std::find(topics[topic].begin(), topics[topic].end(), word) != topics[topic].end())
      return static_cast<int>(topic);
  return -1;
}

std::string planted_lines(const PlantedItems& items) {
  const auto& topics = planted_topics();
  std::vector<std::string> all;
  for (const auto& words : topics) all.insert(all.end(), words.begin(), words.end());
  std::string lines;
  for (std::int64_t row = 0; row < items.items; ++row) {
    const auto& words = items.mixed ? all : topics[static_cast<std::size_t>(row) % topics.size()];
    std::string tags;
    for (const std::size_t word :
         draw(words.size(), items.tags, items.seed, static_cast<std::uint64_t>(row)))
      tags += (tags.empty() ? "\"" : ",\"") + words[word] + "\"";
    const std::string number = std::to_string(row);
    lines += R"({"id":")" + items.first + "-" + number + R"(","title":"Number )" + number +
             R"(","tags":[)" + tags + "]}\n";
  }
  return lines;
}

void add_planted_collections(Library& library) {
  import_jsonl(library, "photos", planted_lines({.items = 240, .tags = 2, .first = "photo"}));
  import_jsonl(library, "gallery",
               planted_lines({.items = 300, .tags = 5, .first = "picture", .seed = 2}));
  import_jsonl(
      library, "noise",
      planted_lines({.items = 300, .tags = 5, .mixed = true, .first = "noise", .seed = 3}));
}

std::vector<std::string> items_lacking(const Library& library, std::string_view word) {
  const auto topics = static_cast<std::int64_t>(planted_topics().size());
  const int topic = planted_topic(word);
  std::vector<std::string> ids;
  ItemReader reader(library, collection(library, "photos"));
  for (Item item; reader.next(item);)
    if (reader.row() % topics == topic &&
        std::none_of(item.tags.begin(), item.tags.end(),
                     [&](const ItemTag& tag) { return tag.name == word; }))
      ids.push_back(item.id);
  return ids;
}

}  // namespace commonplace::test

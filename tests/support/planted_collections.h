#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/library/library.h"

/// Collections whose tags follow topics that a test knows: item i of a collection is of topic
/// i % planted_topics().size(), and its tags are words of that topic.
namespace commonplace::test {

/// The words of each topic, eight a topic, no word in two.
const std::vector<std::vector<std::string>>& planted_topics();

/// The topic that has the word; -1 for none.
int planted_topic(std::string_view word);

struct PlantedItems {
  std::int64_t items = 300;
  int tags = 2;                ///< per item, of its topic
  bool mixed = false;          ///< tags of any topic instead: the words mean nothing together
  std::string first = "item";  ///< ids are this, a "-" and the number
  std::uint64_t seed = 1;
};

/// As JSON lines, each with a title "Number N" and its tags.
std::string planted_lines(const PlantedItems& items);

/// Adds "photos", poorly tagged, "gallery", well tagged with the same topics, and "noise", well
/// tagged with the same words but without any topic.
void add_planted_collections(Library& library);

/// The ids of the items of "photos" that are of the word's topic but do not have it, ascending by
/// row.
std::vector<std::string> items_lacking(const Library& library, std::string_view word);

}  // namespace commonplace::test

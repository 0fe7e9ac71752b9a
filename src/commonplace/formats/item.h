#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace commonplace {

/// Who gave a tag. Machines write to a table of their own, so they cannot change a human's tag.
enum class GivenBy {
  source,   ///< a human, in the file that was imported
  user,     ///< a human, in Commonplace: given, or accepted from a suggestion
  machine,  ///< a model, with a score
};
constexpr std::array<std::pair<GivenBy, const char*>, 3> words_of(GivenBy) {
  return {{{GivenBy::source, "source"}, {GivenBy::user, "user"}, {GivenBy::machine, "machine"}}};
}

struct ItemTag {
  std::string name;  ///< as written, levels separated by '/': "animals/birds/owl"
  double count = 1;  ///< how often it was given (people who used it, occurrences)
  GivenBy by = GivenBy::source;
  std::string model;  ///< for machine tags
  double score = 1;   ///< for machine tags: confidence in [0, 1]

  bool operator==(const ItemTag&) const = default;
};
template <class Visit>
void visit_fields(const ItemTag& tag, Visit&& visit) {
  visit("name", tag.name, "levels separated by /");
  visit("count", tag.count, "how often it was given");
  visit("by", tag.by, "who gave it");
  visit.where(tag.by == GivenBy::machine, "model", tag.model, "that gave it");
  visit.where(tag.by == GivenBy::machine, "score", tag.score, "how sure the model was");
}

struct Place {
  double latitude = 0;   ///< degrees north, -90 .. 90
  double longitude = 0;  ///< degrees east, -180 .. 180

  bool operator==(const Place&) const = default;
};
template <class Visit>
void visit_fields(const Place& place, Visit&& visit) {
  visit("latitude", place.latitude, "degrees north");
  visit("longitude", place.longitude, "degrees east");
}

/// A class that an item belongs to, under a field name: ("group", "sci.space"), ("label", "1").
struct Label {
  std::string field;
  std::string value;

  bool operator==(const Label&) const = default;
};
template <class Visit>
void visit_fields(const Label& label, Visit&& visit) {
  visit("field", label.field, "such as group");
  visit("value", label.value, "the class");
}

/// One tagged thing. Empty strings and vectors stand for "none".
struct Item {
  std::string id;  ///< unique within its collection
  std::string title;
  std::string text;
  std::vector<ItemTag> tags;
  std::string image;  ///< path, relative to the root of the collection, or absolute, or a URL
  std::optional<Place> place;
  std::string time;  ///< UTC, as precise as known: 1904, 1904-05, 1904-05-03, 1904-05-03T10:11:12Z
  std::vector<Label> labels;
  std::string metadata;  ///< a JSON object with whatever else the source said, or empty

  bool operator==(const Item&) const = default;
};

/// `text` in the form of Item::time. Understands ISO 8601 (also with blanks, offsets, fractions,
/// EXIF's colons), seconds since 1970, and returns nothing for what it does not understand.
std::optional<std::string> parse_time(const std::string& text);

/// Seconds since 1970 of the beginning of an Item::time, and the time of such seconds.
std::int64_t epoch_seconds(const std::string& time);
std::string time_of_epoch(std::int64_t seconds);

}  // namespace commonplace

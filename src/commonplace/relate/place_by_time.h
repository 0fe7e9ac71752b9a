#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/formats/item.h"
#include "commonplace/library/library.h"

namespace commonplace::relate {

/// Where an item without a place may be, by items of nearly the same time.
struct TimedPlace {
  struct From {
    std::string id;
    double minutes = 0;  ///< later than the item, or, below 0, earlier
    Place place;
  };
  Place place;
  double radius = 0;       ///< metres: half of such guesses were nearer
  std::vector<From> from;  ///< the nearest before, the nearest after
};
template <class Visit>
void visit_fields(const TimedPlace::From& from, Visit&& visit) {
  visit("id", from.id, "of an item of nearly the same time");
  visit("minutes", from.minutes, "later, or, below 0, earlier");
  visit_fields(from.place, visit);
}

/// The places and times of a collection, by which it is guessed where other items are from. How far
/// such guesses were off is measured on the items that have places, each guessed by the others.
class PlacesByTime {
 public:
  /// Items farther apart than so many minutes say nothing of each other.
  static constexpr double kMostMinutes = 60;

  PlacesByTime(const Library& library, const Collection& collection);

  /// Nothing where no item with a place is near in time, or where the item has no time of day.
  std::optional<TimedPlace> guess(const Item& item) const;
  /// The ids of the items that have a time and no place.
  const std::vector<std::string>& unplaced() const { return unplaced_; }

 private:
  struct Placed {
    std::int64_t second = 0;
    std::string id;
    Place place;
  };
  std::optional<TimedPlace> between(std::int64_t second, const std::string& but) const;
  double radius_of(double minutes) const;

  std::vector<Placed> placed_;  ///< by time
  std::vector<std::string> unplaced_;
  std::vector<std::vector<double>> errors_;  ///< metres, sorted; by the power of two of the seconds
};

/// Two guesses as one: where they agree, between them and surer; where they do not, the surer.
struct PlaceWithin {
  Place place;
  double radius = 0;
};
template <class Visit>
void visit_fields(const PlaceWithin& guess, Visit&& visit) {
  visit_fields(guess.place, visit);
  visit("radius", guess.radius, "metres: half of such guesses were nearer");
}
PlaceWithin combined(const PlaceWithin& first, const PlaceWithin& second);

/// Where an item is from: as it says, or as can be guessed.
struct ItemPlace {
  std::string id;
  bool known = false;                ///< it has a place of its own, and nothing is guessed
  std::optional<PlaceWithin> guess;  ///< none: it cannot be told
  std::vector<TimedPlace::From> from;
  std::string why;  ///< in words
};
template <class Visit>
void visit_fields(const ItemPlace& place, Visit&& visit) {
  visit("id", place.id, "of the item");
  visit("known", place.known, "it has a place of its own");
  visit.or_null("guess", place.guess, "where it may be from; null: it cannot be told");
  visit("from", place.from, "items of nearly the same time, whose places are known");
  visit("why", place.why, "in words");
}
/// By the time, and by what was told from its contents, if anything was.
ItemPlace place_of(const PlacesByTime& by_time, const Item& item,
                   const std::optional<PlaceWithin>& by_contents);

}  // namespace commonplace::relate

#include "commonplace/relate/place_by_time.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "commonplace/base/earth.h"
#include "commonplace/base/error.h"
#include "commonplace/library/items/items.h"

namespace commonplace::relate {
namespace {

/// A time such as 2019-05-04T10:00:00Z; a day alone says nothing of minutes.
constexpr std::size_t kToTheSecond = 20;
/// With fewer guesses of about that time nothing is measured: a walk is assumed.
constexpr std::size_t kLeastMeasured = 10;
constexpr double kWalk = 1.4;  // metres a second
constexpr double kLeastRadius = 30;
constexpr std::size_t kPowers = 14;

std::size_t power_of(double seconds) {
  std::size_t power = 0;
  while (power + 1 < kPowers && seconds >= std::ldexp(1.0, static_cast<int>(power) + 1)) ++power;
  return power;
}

/// The place so far on the way from one to the other; the shorter way round.
Place on_the_way(const Place& from, const Place& to, double share) {
  double east = to.longitude - from.longitude;
  if (east > 180) east -= 360;
  if (east < -180) east += 360;
  double longitude = from.longitude + share * east;
  if (longitude > 180) longitude -= 360;
  if (longitude < -180) longitude += 360;
  return {from.latitude + share * (to.latitude - from.latitude), longitude};
}

double metres(const Place& a, const Place& b) {
  return metres_between(a.latitude, a.longitude, b.latitude, b.longitude);
}

/// "3 minutes after ": of the item, when the other is so many minutes later.
std::string minutes_words(double minutes) {
  const auto whole = static_cast<std::int64_t>(std::lround(std::abs(minutes)));
  const std::string much = whole == 0   ? std::string("less than a minute")
                           : whole == 1 ? std::string("1 minute")
                                        : concat(whole, " minutes");
  return much + (minutes > 0 ? " before " : " after ");
}

/// Seconds to the nearer of those that a guess is made from.
double nearest_seconds(const TimedPlace& guess) {
  double least = PlacesByTime::kMostMinutes;
  for (const TimedPlace::From& each : guess.from) least = std::min(least, std::abs(each.minutes));
  return 60 * least;
}

}  // namespace

PlacesByTime::PlacesByTime(const Library& library, const Collection& collection)
    : errors_(kPowers) {
  ItemReader reader(library, collection);
  for (Item item; reader.next(item);) {
    if (item.time.size() < kToTheSecond) continue;
    if (item.place)
      placed_.push_back({epoch_seconds(item.time), item.id, *item.place});
    else
      unplaced_.push_back(item.id);
  }
  std::stable_sort(placed_.begin(), placed_.end(),
                   [](const Placed& a, const Placed& b) { return a.second < b.second; });
  for (const Placed& each : placed_)
    if (const auto guess = between(each.second, each.id))
      errors_[power_of(nearest_seconds(*guess))].push_back(metres(guess->place, each.place));
  for (std::vector<double>& each : errors_) std::sort(each.begin(), each.end());
}

std::optional<TimedPlace> PlacesByTime::between(std::int64_t second, const std::string& but) const {
  const auto far = static_cast<std::int64_t>(60 * kMostMinutes);
  const auto later =
      std::lower_bound(placed_.begin(), placed_.end(), second,
                       [](const Placed& each, std::int64_t time) { return each.second < time; });
  const Placed* before = nullptr;
  const Placed* after = nullptr;
  for (auto at = later; at != placed_.end() && at->second - second <= far && after == nullptr; ++at)
    if (at->id != but) after = &*at;
  for (auto at = later; at != placed_.begin() && before == nullptr;) {
    --at;
    if (second - at->second > far) break;
    if (at->id != but) before = &*at;
  }
  if (before == nullptr && after == nullptr) return std::nullopt;
  TimedPlace guess;
  for (const Placed* each : {before, after})
    if (each != nullptr)
      guess.from.push_back(
          {each->id, static_cast<double>(each->second - second) / 60, each->place});
  if (before == nullptr || after == nullptr) {
    guess.place = guess.from.front().place;
  } else {
    const auto whole = static_cast<double>(after->second - before->second);
    const double share = whole > 0 ? static_cast<double>(second - before->second) / whole : 0.5;
    guess.place = on_the_way(before->place, after->place, share);
  }
  return guess;
}

double PlacesByTime::radius_of(double minutes) const {
  const double seconds = 60 * minutes;
  const std::vector<double>& measured = errors_[power_of(seconds)];
  if (measured.size() < kLeastMeasured) return std::max(kLeastRadius, kWalk * seconds);
  return std::max(kLeastRadius, measured[measured.size() / 2]);
}

std::optional<TimedPlace> PlacesByTime::guess(const Item& item) const {
  if (item.time.size() < kToTheSecond) return std::nullopt;
  std::optional<TimedPlace> guess = between(epoch_seconds(item.time), item.id);
  if (guess) guess->radius = radius_of(nearest_seconds(*guess) / 60);
  return guess;
}

PlaceWithin combined(const PlaceWithin& first, const PlaceWithin& second) {
  const PlaceWithin& surer = first.radius <= second.radius ? first : second;
  const PlaceWithin& other = first.radius <= second.radius ? second : first;
  const double apart = metres(first.place, second.place);
  if (apart > first.radius + second.radius || other.radius <= 0) return surer;
  const double of_surer = 1 / (surer.radius * surer.radius);
  const double of_other = 1 / (other.radius * other.radius);
  return {on_the_way(surer.place, other.place, of_other / (of_surer + of_other)),
          1 / std::sqrt(of_surer + of_other)};
}

ItemPlace place_of(const PlacesByTime& by_time, const Item& item,
                   const std::optional<PlaceWithin>& by_contents) {
  ItemPlace result;
  result.id = item.id;
  if (item.place) {
    result.known = true;
    result.why = "it says so itself";
    return result;
  }
  std::optional<TimedPlace> timed = by_time.guess(item);
  if (!timed && !by_contents) {
    result.why =
        item.time.size() < kToTheSecond
            ? "it has no time of day, and its contents do not tell"
            : "nothing with a place was taken within an hour, and its contents do not tell";
    return result;
  }
  if (timed) {
    for (const TimedPlace::From& each : timed->from)
      result.why += concat(result.why.empty() ? "" : ", ", minutes_words(each.minutes), each.id);
    result.from = std::move(timed->from);
    result.guess = PlaceWithin{timed->place, timed->radius};
  }
  if (by_contents) {
    result.why += result.why.empty() ? "by its contents" : "; and by its contents";
    result.guess = result.guess ? combined(*result.guess, *by_contents) : *by_contents;
  }
  return result;
}

}  // namespace commonplace::relate

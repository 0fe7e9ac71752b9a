#include "commonplace/relate/place_by_time.h"

#include <cmath>

#include <gtest/gtest.h>

#include "commonplace/base/earth.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace place_by_time_test {

using namespace relate;

class PlaceByTime : public test::LibraryTest {
 protected:
  static std::string line(const std::string& id, const std::string& time,
                          const std::string& place = "") {
    return R"({"id":")" + id + R"(","time":")" + time + "\"" + place + "}\n";
  }
  static std::string at(double latitude, double longitude) {
    return R"(,"lat":)" + std::to_string(latitude) + R"(,"lon":)" + std::to_string(longitude);
  }
  ItemPlace ask(const std::string& id, const std::optional<PlaceWithin>& by_contents = {}) {
    const Collection photos = collection_named("photos");
    return place_of(PlacesByTime(library(), photos), item(library(), photos, id), by_contents);
  }
};

TEST_F(PlaceByTime, ItemsAreWhereTheirNeighboursInTimeWere) {
  test::import_jsonl(
      library(), "photos",
      line("a", "2019-05-04T10:00:00Z", at(51, 13)) + line("b", "2019-05-04T10:03:00Z") +
          line("c", "2019-05-04T10:12:00Z", at(51.04, 13)) + line("after", "2019-05-04T10:50:00Z") +
          line("late", "2019-05-04T12:50:00Z") + line("day", "2019-05-04") + line("none", ""));
  const ItemPlace between = ask("b");
  ASSERT_TRUE(between.guess.has_value());
  EXPECT_NEAR(between.guess->place.latitude, 51.01, 1e-6) << "a quarter of the way";
  EXPECT_EQ(between.why, "3 minutes after a, 9 minutes before c");
  EXPECT_EQ(between.from.size(), 2u);
  const ItemPlace after = ask("after");
  ASSERT_TRUE(after.guess.has_value());
  EXPECT_EQ(after.guess->place.latitude, 51.04);
  EXPECT_GT(after.guess->radius, between.guess->radius) << "after longer it may be farther";
  for (const std::string id : {"late", "day", "none"})
    EXPECT_FALSE(ask(id).guess.has_value()) << id;
  EXPECT_NE(ask("day").why.find("no time of day"), std::string::npos);
  EXPECT_TRUE(ask("a").known);
  EXPECT_FALSE(ask("a").guess.has_value());
  EXPECT_EQ(PlacesByTime(library(), collection_named("photos")).unplaced().size(), 3u);
}

TEST_F(PlaceByTime, TheRadiusIsWhatIsMeasured) {
  std::string lines;
  for (int i = 0; i < 40; ++i) {
    const int seconds = 60 * i;
    lines +=
        line("p" + std::to_string(i),
             "2019-05-04T1" + std::to_string(seconds / 3600) + ":" +
                 (seconds / 60 % 60 < 10 ? "0" : "") + std::to_string(seconds / 60 % 60) + ":00Z",
             at(51 + (i % 2 == 0 ? 0.009 : 0), 13));
  }
  lines += line("x", "2019-05-04T10:10:30Z");
  test::import_jsonl(library(), "photos", lines);
  const ItemPlace guess = ask("x");
  ASSERT_TRUE(guess.guess.has_value());
  // From minute to minute people were 1,000 m away: of a guess between two that are alike, the
  // others' error is a kilometre.
  EXPECT_GT(guess.guess->radius, 20);
  EXPECT_LT(guess.guess->radius, 1100);
}

TEST_F(PlaceByTime, WhatIsShownCountsBesideTheTime) {
  test::import_jsonl(library(), "photos",
                     line("a", "2019-05-04T10:00:00Z", at(51, 13)) +
                         line("b", "2019-05-04T10:03:00Z") + line("alone", "2019-06-04T10:03:00Z"));
  const ItemPlace timed = ask("b");
  const ItemPlace both = ask("b", PlaceWithin{{51.001, 13}, timed.guess->radius});
  EXPECT_NEAR(both.guess->place.latitude, 51.0005, 1e-6);
  EXPECT_LT(both.guess->radius, timed.guess->radius);
  EXPECT_NE(both.why.find("contents"), std::string::npos);
  const ItemPlace elsewhere = ask("b", PlaceWithin{{-33, 151}, 50'000});
  EXPECT_EQ(elsewhere.guess->place.latitude, 51) << "where they do not agree the surer counts";
  EXPECT_EQ(ask("alone", PlaceWithin{{1, 2}, 300}).guess->radius, 300);
  EXPECT_FALSE(ask("alone").guess.has_value());
}

TEST(PlaceWithin, TheWayRoundIsTheShorterOne) {
  const PlaceWithin both = combined({{0, 179.999}, 500}, {{0, -179.999}, 500});
  EXPECT_NEAR(std::abs(both.place.longitude), 180, 1e-9);
}

}  // namespace place_by_time_test
}  // namespace commonplace

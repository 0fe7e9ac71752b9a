#include "commonplace/transfer/core/collection_distance.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/sparse_ops.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace collection_distance_test {

using namespace transfer;

using test::message_of;

/// Items of ten of forty words each; a share `own` of them are words that only one side has: 0 .. 9
/// for side 0, 10 .. 19 for side 1. The others are the same for both.
Sparse items_of_side(int side, std::int64_t items, double own, std::uint64_t seed) {
  Sparse result;
  result.columns = 40;
  Rng rng(seed, static_cast<std::uint64_t>(side));
  for (std::int64_t item = 0; item < items; ++item) {
    std::vector<float> row(40);
    for (int word = 0; word < 10; ++word) {
      const bool is_own = rng.uniform() < own;
      const auto which =
          is_own ? static_cast<std::uint64_t>(10 * side) + rng.below(10) : 20 + rng.below(20);
      row[which] += 1;
    }
    for (std::int32_t word = 0; word < 40; ++word)
      if (row[static_cast<std::size_t>(word)] > 0)
        result.push(word, row[static_cast<std::size_t>(word)]);
    result.end_row();
  }
  normalise_rows(result);
  return result;
}

Sparse four_items() {
  // Uses: column 0 in all, 1 in two, 2 in one, 3 in none, 4 only as a stored zero.
  Sparse result;
  result.columns = 5;
  for (const std::vector<std::int32_t>& row :
       {std::vector<std::int32_t>{0, 1}, {0, 1, 2}, {0}, {0}}) {
    for (const std::int32_t column : row) result.push(column, 0.5F);
    if (result.rows() == 3) result.push(4, 0.0F);
    result.end_row();
  }
  return result;
}

TEST(Complexity, IsTheShareOfRareFeaturesAmongThoseThatOccur) {
  const Sparse items = four_items();
  EXPECT_DOUBLE_EQ(complexity(items.view(), 0.1), 0);
  EXPECT_DOUBLE_EQ(complexity(items.view(), 0.25), 0) << "one of four is not fewer than 1";
  EXPECT_DOUBLE_EQ(complexity(items.view(), 0.26), 1.0 / 3);
  EXPECT_DOUBLE_EQ(complexity(items.view(), 0.6), 2.0 / 3);
  EXPECT_DOUBLE_EQ(complexity(items.view(), 1), 2.0 / 3);
}

TEST(Complexity, DoesNotChangeWithFeaturesOfOtherCollections) {
  Sparse items = four_items();
  const double before = complexity(items.view(), 0.3);
  items.columns = 500;
  EXPECT_DOUBLE_EQ(complexity(items.view(), 0.3), before);
}

TEST(Complexity, OfNothingIsZero) {
  Sparse nothing;
  nothing.columns = 3;
  EXPECT_EQ(complexity(nothing.view()), 0);
  nothing.end_row();
  EXPECT_EQ(complexity(nothing.view()), 0);
}

TEST(Complexity, RefusesAShareOutOfRange) {
  const Sparse items = four_items();
  EXPECT_THROW(complexity(items.view(), 0), Error);
  EXPECT_THROW(complexity(items.view(), 1.1), Error);
}

TEST(ADistance, GrowsWithTheShareOfOwnWords) {
  double last = -1;
  for (const double own : {0.0, 0.05, 0.15, 0.6}) {
    const double found =
        a_distance(items_of_side(0, 300, own, 1).view(), items_of_side(1, 300, own, 2).view());
    EXPECT_GT(found, last) << own;
    last = found;
  }
  EXPECT_GT(last, 1.95);
}

TEST(ADistance, OfTheSameDistributionIsSmall) {
  const double found =
      a_distance(items_of_side(0, 1000, 0.3, 1).view(), items_of_side(0, 1000, 0.3, 2).view());
  EXPECT_GE(found, 0);
  EXPECT_LT(found, 0.2);
}

// With one own word in ten items on average an item either shows a side or is a coin's toss, so the
// best error is half the share of items without own words.
TEST(ADistance, ComesNearTheErrorOfTheBestRule) {
  const double own = 0.1;
  const double none = std::pow(1 - own, 10);
  const double found =
      a_distance(items_of_side(0, 2000, own, 3).view(), items_of_side(1, 2000, own, 4).view());
  EXPECT_NEAR(found, 2 * (1 - none), 0.08);
}

TEST(ADistance, IsTheSameInEitherOrderAndForAnyJobs) {
  const Sparse a = items_of_side(0, 200, 0.1, 1);
  const Sparse b = items_of_side(1, 320, 0.1, 2);
  ADistanceOptions options;
  options.items = 150;
  const double found = a_distance(a.view(), b.view(), options, 1);
  EXPECT_NEAR(a_distance(b.view(), a.view(), options), found, 0.01);
  for (const int jobs : {2, 5}) EXPECT_EQ(a_distance(a.view(), b.view(), options, jobs), found);
  int others = 0;
  for (const std::uint64_t seed : {2ULL, 3ULL, 4ULL, 5ULL}) {
    options.seed = seed;
    others += a_distance(a.view(), b.view(), options) != found ? 1 : 0;
  }
  EXPECT_GT(others, 0) << "another seed is another sample";
}

TEST(ADistance, TakesCollectionsOfDifferentSizeAsEqual) {
  // If the sizes counted, always saying "the large one" would look like telling them apart.
  const double found =
      a_distance(items_of_side(0, 1500, 0, 1).view(), items_of_side(1, 100, 0, 2).view());
  EXPECT_LT(found, 0.5);
}

TEST(ADistance, TakesFewItems) {
  const Sparse a = items_of_side(0, 2, 1, 1);
  const Sparse b = items_of_side(1, 3, 1, 1);
  const double found = a_distance(a.view(), b.view());
  EXPECT_GE(found, 0);
  EXPECT_LE(found, 2);
}

TEST(ADistance, SaysWhatIsWrong) {
  const Sparse a = items_of_side(0, 20, 0.1, 1);
  Sparse other = items_of_side(1, 20, 0.1, 1);
  EXPECT_THROW(a_distance(a.view(), items_of_side(1, 1, 0.1, 1).view()), Error);
  ADistanceOptions options;
  options.folds = 1;
  EXPECT_THROW(a_distance(a.view(), other.view(), options), Error);
  options = {};
  options.items = 1;
  EXPECT_THROW(a_distance(a.view(), other.view(), options), Error);
  options = {};
  options.cost = 0;
  EXPECT_THROW(a_distance(a.view(), other.view(), options), Error);
  other.columns = 41;
  EXPECT_NE(message_of([&] { a_distance(a.view(), other.view()); }).find("40 and 41"),
            std::string::npos);
}

}  // namespace collection_distance_test
}  // namespace commonplace

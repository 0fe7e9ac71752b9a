#include "commonplace/eval/cluster_metrics.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/naive_metrics.h"

namespace commonplace {
namespace {

using Groups = std::vector<std::int32_t>;

TEST(ClusterMetrics, AgreeWithTheLoops) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Rng rng(seed);
    Groups first(rng.below(25));
    Groups second(first.size());
    const std::uint64_t first_groups = 1 + rng.below(6);
    const std::uint64_t second_groups = 1 + rng.below(30);
    for (std::int32_t& group : first) group = static_cast<std::int32_t>(rng.below(first_groups));
    for (std::int32_t& group : second)
      group = static_cast<std::int32_t>(rng.below(second_groups)) - 3;
    EXPECT_NEAR(rand_index(first, second), naive::rand_index(first, second), 1e-12) << seed;
    EXPECT_NEAR(adjusted_rand_index(first, second), naive::adjusted_rand_index(first, second),
                1e-12)
        << seed;
    EXPECT_EQ(adjusted_rand_index(first, second), adjusted_rand_index(second, first)) << seed;
  }
}

// The examples in scikit-learn's documentation of rand_score and adjusted_rand_score.
TEST(ClusterMetrics, ScikitLearnsExamples) {
  EXPECT_DOUBLE_EQ(rand_index(Groups{0, 0, 1, 2}, Groups{0, 0, 1, 1}), 5.0 / 6);
  EXPECT_DOUBLE_EQ(adjusted_rand_index(Groups{0, 0, 1, 1}, Groups{1, 1, 0, 0}), 1);
  EXPECT_DOUBLE_EQ(adjusted_rand_index(Groups{0, 0, 1, 2}, Groups{0, 0, 1, 1}), 4.0 / 7);
  EXPECT_DOUBLE_EQ(adjusted_rand_index(Groups{0, 0, 0, 0}, Groups{0, 1, 2, 3}), 0);
  EXPECT_DOUBLE_EQ(adjusted_rand_index(Groups{0, 0, 1, 1}, Groups{0, 1, 0, 1}), -0.5);
}

TEST(ClusterMetrics, FewerThanTwoItemsAgree) {
  EXPECT_EQ(rand_index(Groups{}, Groups{}), 1);
  EXPECT_EQ(adjusted_rand_index(Groups{5}, Groups{7}), 1);
}

TEST(ClusterMetrics, IndependentGroupingsOfManyItemsAreNearChance) {
  Rng rng(3);
  Groups first(200000);
  Groups second(first.size());
  for (std::int32_t& group : first) group = static_cast<std::int32_t>(rng.below(10));
  for (std::int32_t& group : second) group = static_cast<std::int32_t>(rng.below(7));
  EXPECT_NEAR(adjusted_rand_index(first, second), 0, 0.001);
}

TEST(ClusterMetrics, RefuseGroupingsOfDifferentItems) {
  EXPECT_THROW(rand_index(Groups{1}, Groups{1, 2}), Error);
  EXPECT_THROW(adjusted_rand_index(Groups{1}, Groups{}), Error);
}

}  // namespace
}  // namespace commonplace

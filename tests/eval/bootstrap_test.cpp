#include "commonplace/eval/bootstrap.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/eval/ranking_metrics.h"

namespace commonplace {
namespace bootstrap_test {

std::vector<double> uniform_values(std::uint64_t seed, std::size_t count) {
  Rng rng(seed);
  std::vector<double> values(count);
  for (double& value : values) value = rng.uniform();
  return values;
}

TEST(Bootstrap, DependsOnTheSeedButNotOnTheThreads) {
  const std::vector<double> values = uniform_values(1, 50);
  const Interval one = bootstrap_mean(values, {.seed = 7, .jobs = 1});
  EXPECT_EQ(one, bootstrap_mean(values, {.seed = 7, .jobs = 1}));
  EXPECT_EQ(one, bootstrap_mean(values, {.seed = 7, .jobs = 4}));
  EXPECT_NE(one, bootstrap_mean(values, {.seed = 8, .jobs = 1}));
}

// For a mean the interval must be close to the normal one, 1.96 standard errors to each side.
TEST(Bootstrap, OfAMeanIsCloseToTheNormalInterval) {
  const std::vector<double> values = uniform_values(2, 2000);
  const double centre = mean(values);
  double variance = 0;
  for (const double value : values) variance += (value - centre) * (value - centre) / 2000;
  const double reach = 1.96 * std::sqrt(variance / 2000);
  const Interval interval = bootstrap_mean(values, {.resamples = 4000});
  EXPECT_NEAR(interval.low, centre - reach, 0.1 * reach);
  EXPECT_NEAR(interval.high, centre + reach, 0.1 * reach);
}

// The 90 % intervals of many samples must hold the true mean about nine times in ten.
TEST(Bootstrap, HoldsTheTruthAsOftenAsItSays) {
  int held = 0;
  for (std::uint64_t sample = 0; sample < 400; ++sample) {
    const Interval interval = bootstrap_mean(uniform_values(100 + sample, 60),
                                             {.resamples = 300, .confidence = 0.9, .seed = sample});
    if (interval.low <= 0.5 && 0.5 <= interval.high) ++held;
  }
  EXPECT_GT(held, 340);
  EXPECT_LT(held, 380);
}

TEST(Bootstrap, PairingFindsASmallDifferenceBetweenNoisyMeasures) {
  const std::vector<double> second = uniform_values(3, 200);
  std::vector<double> first = second;
  for (double& value : first) value += 0.01;
  const Interval paired = bootstrap_mean_difference(first, second);
  EXPECT_NEAR(paired.low, 0.01, 1e-9);
  EXPECT_NEAR(paired.high, 0.01, 1e-9);
  const Interval none = bootstrap_mean_difference(uniform_values(4, 200), uniform_values(5, 200));
  EXPECT_LT(none.low, 0);
  EXPECT_GT(none.high, 0);
}

TEST(Bootstrap, OfAnyMeasureAgreesWithThatOfTheMean) {
  const std::vector<double> values = uniform_values(6, 40);
  const auto mean_of_rows = [&](std::span<const std::size_t> rows) {
    double total = 0;
    for (const std::size_t row : rows) total += values[row];
    return total / static_cast<double>(rows.size());
  };
  EXPECT_EQ(bootstrap_measure(40, mean_of_rows), bootstrap_mean(values));
  const auto two = bootstrap(40, [&](std::span<const std::size_t> rows) {
    return std::vector<double>{mean_of_rows(rows), -mean_of_rows(rows)};
  });
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0], bootstrap_mean(values));
  EXPECT_NEAR(two[1].low, -two[0].high, 1e-12);
}

TEST(Bootstrap, EveryItemIsDrawnAboutAsOftenAsAnyOther) {
  std::vector<double> drawn(10);
  bootstrap_measure(10, [&](std::span<const std::size_t> rows) {
    EXPECT_EQ(rows.size(), 10U);
    for (const std::size_t row : rows) drawn.at(row) += 1;
    return 0.0;
  });
  for (const double times : drawn) EXPECT_NEAR(times, 1000, 150);
}

TEST(Bootstrap, OneItemLeavesNoDoubt) {
  EXPECT_EQ(bootstrap_mean(std::vector<double>{0.25}), (Interval{0.25, 0.25}));
}

TEST(Bootstrap, RefusesWhatCannotBe) {
  const std::vector<double> values{1, 2};
  EXPECT_THROW(bootstrap_mean({}), Error);
  EXPECT_THROW(bootstrap_mean(values, {.resamples = 0}), Error);
  EXPECT_THROW(bootstrap_mean(values, {.confidence = 1}), Error);
  EXPECT_THROW(bootstrap_mean(values, {.confidence = std::nan("")}), Error);
  EXPECT_THROW(bootstrap_mean_difference(values, std::vector<double>{1}), Error);
}

using Values = std::vector<double>;

TEST(ClearlyBetter, IsByMoreThanTheStandardError) {
  const std::vector<double> base = {0.1, 0.2, 0.3, 0.4};
  EXPECT_FALSE(clearly_better(base, base));
  EXPECT_FALSE(clearly_better(Values{}, Values{}));
  // Differences 0.1, 0.1, 0.1, -0.1: mean 0.05, standard error 0.05.
  EXPECT_FALSE(clearly_better(Values{0.2, 0.3, 0.4, 0.29}, base));
  EXPECT_TRUE(clearly_better(Values{0.2, 0.3, 0.4, 0.31}, base));
  EXPECT_FALSE(clearly_better(base, Values{0.2, 0.3, 0.4, 0.31}));
  // The same difference everywhere has no error at all, however it is rounded.
  for (const double by : {0.1, 0.3, 1e-3, 0.7})
    for (const std::size_t items : {2, 3, 7, 10, 100}) {
      const std::vector<double> zero(items, 0);
      EXPECT_TRUE(clearly_better(std::vector<double>(items, by), zero)) << by << ' ' << items;
      EXPECT_FALSE(clearly_better(zero, std::vector<double>(items, by))) << by << ' ' << items;
    }
}

TEST(Bootstrap, OfARatioByBlocks) {
  // Every ten items are alike: they say as much as one does.
  std::vector<double> parts;
  for (int i = 0; i < 400; ++i) parts.push_back((i / 10) % 2);
  const std::vector<double> ones(parts.size(), 1.0);
  const Interval alone = bootstrap_ratio(parts, ones);
  EXPECT_EQ(alone, bootstrap_mean(parts));
  const Interval blocks = bootstrap_ratio(parts, ones, 10);
  EXPECT_GT(blocks.high - blocks.low, 2.5 * (alone.high - alone.low));
  EXPECT_LT(blocks.low, 0.5);
  EXPECT_GT(blocks.high, 0.5);
  const Interval twice = bootstrap_ratio(parts, std::vector<double>(parts.size(), 2.0), 7);
  EXPECT_LT(twice.high, 0.5);
  EXPECT_THROW(bootstrap_ratio(parts, {}), Error);
  EXPECT_THROW(bootstrap_ratio(parts, ones, 0), Error);
}

}  // namespace bootstrap_test
}  // namespace commonplace

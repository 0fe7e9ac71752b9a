#include "commonplace/base/rng.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace commonplace {
namespace rng_test {

// The first outputs of the published splitmix64 generator seeded with 0, whose state advances by
// the golden-ratio constant.
TEST(Mix, IsSplitmix64) {
  EXPECT_EQ(mix(0), 0xE220A8397B1DCDAFULL);
  EXPECT_EQ(mix(0x9e3779b97f4a7c15ULL), 0x6E789E6AA1B965F4ULL);
  EXPECT_EQ(mix(2 * 0x9e3779b97f4a7c15ULL), 0x06C45D188009454FULL);
}

TEST(RandomBits, DifferForDifferentPlaces) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (std::uint64_t row = 0; row < 100; ++row)
      for (std::uint64_t column = 0; column < 100; ++column)
        seen.insert(random_bits(seed, row, column));
  EXPECT_EQ(seen.size(), 100000U);
}

TEST(RandomBits, AreAFunctionOfThePlaceAlone) {
  static_assert(random_bits(1, 2, 3) == random_bits(1, 2, 3));
  EXPECT_NE(random_bits(1, 2, 3), random_bits(1, 3, 2));
  EXPECT_NE(random_bits(1, 2, 3), random_bits(2, 1, 3));
}

/// Chi-squared of the counts against equal ones.
template <std::size_t size>
double chi_squared(const std::array<double, size>& counts) {
  const double expected = std::accumulate(counts.begin(), counts.end(), 0.0) / size;
  double total = 0;
  for (const double count : counts) total += (count - expected) * (count - expected) / expected;
  return total;
}

// With 63 degrees of freedom chi-squared exceeds 118 once in about 30,000 times; the draws are
// fixed, so this fails for a bad generator only.
TEST(RandomUniform, IsUniformAlongRowsColumnsAndSeeds) {
  std::array<double, 64> by_row{};
  std::array<double, 64> by_column{};
  std::array<double, 64> by_seed{};
  for (std::uint64_t i = 0; i < 64000; ++i) {
    by_row[static_cast<std::size_t>(random_uniform(1, i, 0) * 64)] += 1;
    by_column[static_cast<std::size_t>(random_uniform(1, 0, i) * 64)] += 1;
    by_seed[static_cast<std::size_t>(random_uniform(i, 0, 0) * 64)] += 1;
  }
  EXPECT_LT(chi_squared(by_row), 118);
  EXPECT_LT(chi_squared(by_column), 118);
  EXPECT_LT(chi_squared(by_seed), 118);
}

TEST(Rng, RepeatsForTheSameSeedAndStreamOnly) {
  Rng first(5, 1);
  Rng again(5, 1);
  Rng other_seed(6, 1);
  Rng other_stream(5, 2);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t draw = first();
    EXPECT_EQ(draw, again());
    EXPECT_NE(draw, other_seed());
    EXPECT_NE(draw, other_stream());
  }
}

TEST(Rng, UniformStaysBelowOne) {
  Rng rng(1);
  double lowest = 1;
  double highest = 0;
  for (int i = 0; i < 100000; ++i) {
    const double draw = rng.uniform();
    lowest = std::min(lowest, draw);
    highest = std::max(highest, draw);
  }
  EXPECT_GE(lowest, 0);
  EXPECT_LT(lowest, 0.001);
  EXPECT_LT(highest, 1);
  EXPECT_GT(highest, 0.999);
}

TEST(Rng, BelowReachesEveryNumberAboutEquallyOften) {
  Rng rng(2);
  std::array<double, 10> counts{};
  for (int i = 0; i < 100000; ++i) counts.at(rng.below(10)) += 1;
  // 9 degrees of freedom: above 40 once in about 100,000 times.
  EXPECT_LT(chi_squared(counts), 40);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, ShufflesStandardContainers) {
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  std::vector<int> shuffled = values;
  std::shuffle(shuffled.begin(), shuffled.end(), Rng(3));
  EXPECT_NE(shuffled, values);
  EXPECT_TRUE(std::is_permutation(shuffled.begin(), shuffled.end(), values.begin()));
}

}  // namespace rng_test
}  // namespace commonplace

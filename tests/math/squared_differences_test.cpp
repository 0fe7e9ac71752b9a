#include "commonplace/math/squared_differences.h"

#include <vector>

#include <gtest/gtest.h>

namespace commonplace {
namespace squared_differences_test {

TEST(SquaredDifferences, AreAddedToWhatIsThere) {
  for (std::int64_t count = 0; count < 40; ++count) {
    std::vector<double> z;
    std::vector<double> into;
    for (std::int64_t j = 0; j < count; ++j) {
      z.push_back(static_cast<double>(j) / 4);
      into.push_back(static_cast<double>(100 * j));
    }
    into.push_back(-7);
    add_squared_differences(1.5, z.data(), into.data(), count);
    for (std::int64_t j = 0; j < count; ++j) {
      const double difference = 1.5 - static_cast<double>(j) / 4;
      EXPECT_EQ(into[static_cast<std::size_t>(j)],
                static_cast<double>(100 * j) + difference * difference);
    }
    EXPECT_EQ(into.back(), -7);
  }
}

TEST(SquaredDifferences, NearNumbersFarFromZero) {
  const double z[] = {1e9 + 1e-3};
  double into[] = {0};
  add_squared_differences(1e9, z, into, 1);
  EXPECT_NEAR(into[0], 1e-6, 1e-9);
}

}  // namespace squared_differences_test
}  // namespace commonplace

#include "commonplace/math/assignment.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {
namespace assignment_test {

double gain_of(const MatrixD& gains, const std::vector<int>& columns) {
  double sum = 0;
  for (std::size_t row = 0; row < columns.size(); ++row)
    sum += gains(static_cast<Eigen::Index>(row), columns[row]);
  return sum;
}

TEST(Assignment, IsTheBestOfAllPermutations) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto count = static_cast<Eigen::Index>(1 + seed % 6);
    MatrixD gains(count, count);
    Rng rng(seed);
    for (double& gain : gains.reshaped()) gain = rng.uniform() * 10 - 5;
    std::vector<int> columns(static_cast<std::size_t>(count));
    std::iota(columns.begin(), columns.end(), 0);
    double best = -std::numeric_limits<double>::infinity();
    do best = std::max(best, gain_of(gains, columns));
    while (std::next_permutation(columns.begin(), columns.end()));
    const std::vector<int> found = best_assignment(gains);
    EXPECT_NEAR(gain_of(gains, found), best, 1e-12);
    EXPECT_TRUE(std::is_permutation(found.begin(), found.end(), columns.begin()));
  }
}

TEST(Assignment, OfNothingIsEmpty) { EXPECT_TRUE(best_assignment(MatrixD(0, 0)).empty()); }

TEST(Assignment, RefusesWhatIsNotSquareOrNotFinite) {
  EXPECT_THROW(best_assignment(MatrixD::Zero(2, 3)), Error);
  EXPECT_THROW(best_assignment(MatrixD::Constant(2, 2, std::numeric_limits<double>::infinity())),
               Error);
}

}  // namespace assignment_test
}  // namespace commonplace

#include "commonplace/eval/divergence.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/naive_metrics.h"

namespace commonplace {
namespace divergence_test {

using Numbers = std::vector<double>;

TEST(Divergence, ByHand) {
  EXPECT_DOUBLE_EQ(jensen_shannon(Numbers{1, 0}, Numbers{0, 1}), 1);
  EXPECT_DOUBLE_EQ(jensen_shannon(Numbers{1, 2, 3}, Numbers{2, 4, 6}), 0);
  // (1/2) log2(4/3) + (1/2) (1/2 log2(2/3) + 1/2 log2(2)).
  EXPECT_NEAR(jensen_shannon(Numbers{1, 0}, Numbers{1, 1}),
              0.5 * std::log2(4.0 / 3) + 0.25 * std::log2(2.0 / 3) + 0.25, 1e-12);
  EXPECT_NEAR(kullback_leibler(Numbers{1, 1}, Numbers{1, 3}), 0.5 + 0.5 * std::log2(2.0 / 3),
              1e-12);
  EXPECT_DOUBLE_EQ(kullback_leibler(Numbers{1, 0}, Numbers{1, 1}), 1);
  EXPECT_TRUE(std::isinf(kullback_leibler(Numbers{1, 1}, Numbers{1, 0})));
}

TEST(Divergence, AgreesWithTheLoopsAndIsSymmetric) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    Numbers p(1 + rng.below(12));
    Numbers q(p.size());
    for (double& weight : p) weight = rng.uniform() < 0.4 ? 0 : rng.uniform() * 100;
    for (double& weight : q) weight = rng.uniform() < 0.4 ? 0 : rng.uniform();
    p.front() += 1;
    q.back() += 1;
    const double bits = jensen_shannon(p, q);
    EXPECT_NEAR(bits, naive::jensen_shannon(p, q), 1e-12) << seed;
    EXPECT_NEAR(bits, jensen_shannon(q, p), 1e-12) << seed;
    EXPECT_GE(bits, 0);
    EXPECT_LE(bits, 1);
  }
}

TEST(Divergence, TheSmallestWeightsDoNotVanish) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_LT(jensen_shannon(Numbers{tiny, 1}, Numbers{0, 1}), 1e-9);
}

TEST(Divergence, RefusesWhatCannotBe) {
  EXPECT_THROW(jensen_shannon(Numbers{1}, Numbers{1, 1}), Error);
  EXPECT_THROW(jensen_shannon(Numbers{}, Numbers{}), Error);
  EXPECT_THROW(jensen_shannon(Numbers{0, 0}, Numbers{1, 1}), Error);
  EXPECT_THROW(kullback_leibler(Numbers{-1, 2}, Numbers{1, 1}), Error);
  EXPECT_THROW(kullback_leibler(Numbers{1, 2}, Numbers{1, std::nan("")}), Error);
}

}  // namespace divergence_test
}  // namespace commonplace

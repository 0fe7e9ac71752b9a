#include "commonplace/eval/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/naive_metrics.h"

namespace commonplace {
namespace calibration_test {

using Numbers = std::vector<double>;
using Flags = std::vector<std::uint8_t>;

struct Predictions {
  Numbers probabilities;
  Flags outcomes;
};

/// Probabilities on a grid, 0 and 1 and the borders of bins among them, that come true as often as
/// they say, to the power `exponent`.
Predictions random_predictions(std::uint64_t seed, std::size_t count, double exponent = 1) {
  Rng rng(seed);
  Predictions result;
  for (std::size_t i = 0; i < count; ++i) {
    const double probability = static_cast<double>(rng.below(21)) / 20;
    result.probabilities.push_back(probability);
    result.outcomes.push_back(rng.uniform() < std::pow(probability, exponent) ? 1 : 0);
  }
  return result;
}

TEST(Calibration, AgreesWithTheLoops) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto [probabilities, outcomes] = random_predictions(seed, 1 + seed % 40);
    for (const std::size_t bins : {1, 2, 7, 10, 15})
      EXPECT_NEAR(expected_calibration_error(probabilities, outcomes, bins),
                  naive::expected_calibration_error(probabilities, outcomes, bins), 1e-12)
          << "seed " << seed << " bins " << bins;
  }
}

TEST(Calibration, ByHand) {
  const Numbers probabilities{0.1, 0.1, 0.9, 0.8, 1.0};
  const Flags outcomes{0, 1, 1, 1, 0};
  // Halves: |0.1 - 0.5| of two, |0.9 - 2/3| of three.
  EXPECT_NEAR(expected_calibration_error(probabilities, outcomes, 2),
              (2 * 0.4 + 3 * (0.9 - 2.0 / 3)) / 5, 1e-12);
  EXPECT_NEAR(brier_score(probabilities, outcomes), (0.01 + 0.81 + 0.01 + 0.04 + 1) / 5, 1e-12);
}

// scikit-learn's documentation: brier_score_loss([0, 1, 1, 0], [0.1, 0.9, 0.8, 0.3]) = 0.037.
TEST(Calibration, ScikitLearnsExampleOfTheBrierScore) {
  EXPECT_NEAR(brier_score(Numbers{0.1, 0.9, 0.8, 0.3}, Flags{0, 1, 1, 0}), 0.0375, 1e-12);
}

TEST(Calibration, TellsGoodConfidenceFromBad) {
  const auto good = random_predictions(1, 20000);
  const auto bad = random_predictions(1, 20000, 3);
  for (const Binning binning : {Binning::equal_width, Binning::equal_mass}) {
    EXPECT_LT(expected_calibration_error(good.probabilities, good.outcomes, 10, binning), 0.02);
    EXPECT_GT(expected_calibration_error(bad.probabilities, bad.outcomes, 10, binning), 0.15);
  }
}

TEST(Calibration, EqualMassDividesEvenlyAndKeepsTiesTogether) {
  Numbers probabilities(100);
  std::iota(probabilities.begin(), probabilities.end(), 0.0);
  for (double& probability : probabilities) probability /= 100;
  const Flags outcomes(100, 1);
  const auto bins = calibration_bins(probabilities, outcomes, 8, Binning::equal_mass);
  ASSERT_EQ(bins.size(), 8U);
  for (const CalibrationBin& bin : bins) EXPECT_NEAR(static_cast<double>(bin.count), 12.5, 0.5);
  const auto tied = calibration_bins(Numbers(9, 0.5), Flags(9, 1), 3, Binning::equal_mass);
  ASSERT_EQ(tied.size(), 1U);
  EXPECT_EQ(tied[0].count, 9U);
}

TEST(Calibration, EqualMassDoesNotDependOnTheOrder) {
  const auto [probabilities, outcomes] = random_predictions(5, 60);
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), Rng(6));
  Predictions shuffled;
  for (const std::size_t i : order) {
    shuffled.probabilities.push_back(probabilities[i]);
    shuffled.outcomes.push_back(outcomes[i]);
  }
  EXPECT_NEAR(
      expected_calibration_error(probabilities, outcomes, 7, Binning::equal_mass),
      expected_calibration_error(shuffled.probabilities, shuffled.outcomes, 7, Binning::equal_mass),
      1e-12);
}

TEST(Calibration, RefusesWhatCannotBe) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(expected_calibration_error(Numbers{}, Flags{}), Error);
  EXPECT_THROW(expected_calibration_error(Numbers{0.5}, Flags{1}, 0), Error);
  EXPECT_THROW(expected_calibration_error(Numbers{1.5}, Flags{1}), Error);
  EXPECT_THROW(expected_calibration_error(Numbers{nan}, Flags{1}), Error);
  EXPECT_THROW(brier_score(Numbers{0.5}, Flags{}), Error);
  EXPECT_THROW(brier_score(Numbers{}, Flags{}), Error);
}

}  // namespace calibration_test
}  // namespace commonplace

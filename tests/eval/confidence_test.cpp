#include "commonplace/eval/confidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/eval/calibration.h"

namespace commonplace {
namespace confidence_test {

struct Outcomes {
  std::vector<float> scores;
  std::vector<std::uint8_t> right;
};

/// Scores in [-1, 1), right with the probability chance(score).
template <class Chance>
Outcomes drawn(std::size_t count, std::uint64_t seed, Chance&& chance) {
  Rng rng(seed);
  Outcomes result;
  for (std::size_t i = 0; i < count; ++i) {
    result.scores.push_back(static_cast<float>(2 * rng.uniform() - 1));
    result.right.push_back(rng.uniform() < chance(result.scores.back()) ? 1 : 0);
  }
  return result;
}

double steep(float score) { return 1 / (1 + std::exp(-5 * static_cast<double>(score))); }

ConfidenceMap fit(const Outcomes& data, std::size_t positives = 25) {
  return fit_confidence(data.scores, data.right, positives);
}

void expect_rising(const ConfidenceMap& map) {
  ASSERT_NO_THROW(check(map));
  for (std::size_t i = 1; i < map.score.size(); ++i) {
    EXPECT_GT(map.score[i], map.score[i - 1]);
    EXPECT_GE(map.probability[i], map.probability[i - 1]);
  }
}

TEST(Confidence, IsCalibratedOnPlantedProbabilities) {
  const Outcomes data = drawn(40'000, 1, steep);
  const ConfidenceMap map = fit(data);
  expect_rising(map);
  for (double score = -0.9; score < 0.95; score += 0.1)
    EXPECT_NEAR(confidence(map, score), steep(static_cast<float>(score)), 0.06) << score;
  const Outcomes other = drawn(40'000, 2, steep);
  std::vector<double> given;
  for (const float score : other.scores) given.push_back(confidence(map, score));
  EXPECT_LT(expected_calibration_error(given, other.right), 0.02);
}

TEST(Confidence, WhereScoresMisleadIsTheShareOfAll) {
  // The higher the score, the more often it is wrong.
  const Outcomes data = drawn(5'000, 3, [](float score) { return 0.5 - 0.4 * score; });
  const ConfidenceMap map = fit(data);
  const double share = std::accumulate(data.right.begin(), data.right.end(), 0.0) / 5'000;
  for (const double score : {-2.0, 0.0, 0.7}) EXPECT_NEAR(confidence(map, score), share, 0.02);
}

/// The best rising rates, by the formula of the greatest of the least means: at k, the greatest
/// over i <= k of the least over j >= k of the mean from i to j.
std::vector<double> naive_rates(const std::vector<double>& counts,
                                const std::vector<double>& rights) {
  std::vector<double> rates;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    double greatest = 0;
    for (std::size_t i = 0; i <= k; ++i) {
      double least = 1;
      for (std::size_t j = k; j < counts.size(); ++j) {
        double count = 0;
        double right = 0;
        for (std::size_t s = i; s <= j; ++s) {
          count += counts[s];
          right += rights[s];
        }
        least = std::min(least, right / count);
      }
      greatest = std::max(greatest, least);
    }
    rates.push_back(greatest);
  }
  return rates;
}

TEST(Confidence, IsTheIsotonicRegressionOfEachScore) {
  // Every score on its own: whole numbers 0 .. 39, some of them several times.
  Rng rng(4);
  Outcomes data;
  std::vector<double> counts(40);
  std::vector<double> rights(40);
  for (int i = 0; i < 300; ++i) {
    const auto score = i < 40 ? static_cast<std::size_t>(i) : rng.below(40);
    const bool right = rng.uniform() < static_cast<double>(score) / 40;
    data.scores.push_back(static_cast<float>(score));
    data.right.push_back(right ? 1 : 0);
    counts[score] += 1;
    rights[score] += right ? 1 : 0;
  }
  const ConfidenceMap map = fit(data, 0);
  expect_rising(map);
  const std::vector<double> rates = naive_rates(counts, rights);
  // A point of the map is a run of equal rates, at their mean score; the ends are points too.
  std::size_t at = 0;
  for (std::size_t first = 0; first < 40; ++at) {
    double count = 0;
    double sum = 0;
    std::size_t last = first;
    for (; last < 40 && std::abs(rates[last] - rates[first]) < 1e-12; ++last) {
      count += counts[last];
      sum += counts[last] * static_cast<double>(last);
    }
    if (first == 0 && last > 1) ++at;
    ASSERT_LT(at, map.score.size());
    EXPECT_NEAR(map.probability[at], rates[first], 0.5 / (count + 1) + 1e-12);
    if (rates[first] > 0 && rates[first] < 1) {
      EXPECT_NEAR(map.probability[at], rates[first], 1e-12);
    }
    EXPECT_NEAR(map.score[at], sum / count, 1e-9);
    if (last == 40 && first < 39) ++at;
    first = last;
  }
  EXPECT_EQ(at, map.score.size());
}

TEST(Confidence, RisesWithEveryScoreAndIsNeverCertain) {
  // The highest scores are always right, the lowest never.
  for (const std::size_t count : {60, 5'000}) {
    Outcomes data = drawn(count, 7, [](float score) { return 1.2 * score; });
    const ConfidenceMap map = fit(data);
    std::sort(data.scores.begin(), data.scores.end());
    double before = 0;
    for (const float score : data.scores) {
      const double sure = confidence(map, static_cast<double>(score));
      EXPECT_GT(sure, before) << "at " << score << " of " << count;
      before = sure;
    }
    EXPECT_LE(before, 0.99);
  }
}

TEST(Confidence, StretchesHoldEnoughRightOnes) {
  const Outcomes many = drawn(5'000, 5, steep);
  const auto right = std::accumulate(many.right.begin(), many.right.end(), std::size_t{0});
  for (const std::size_t positives : {10, 100, 1'000})
    EXPECT_LE(fit(many, positives).score.size(), right / positives + 3);
  EXPECT_EQ(fit(many, 100'000).score.size(), 3u) << "one, and its ends";

  Outcomes data;
  for (int score = 0; score < 100; ++score) {
    data.scores.push_back(static_cast<float>(score));
    data.right.push_back(score >= 50 ? 1 : 0);
  }
  const ConfidenceMap map = fit(data, 10);
  expect_rising(map);
  // 50 .. 99 are all right and pooled; the rest has none.
  EXPECT_EQ(map.score, (std::vector<double>{0, 24.5, 74.5, 99}));
  const double half = 0.5 / 51;
  const double less = 0.99 / (1 - half / 2);  // so that the surest is 0.99
  const std::vector<double> before = {half / 2, half, 1 - half, 1 - half / 2};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(map.probability[i], less * before[i], 1e-12);
}

TEST(Confidence, OfEqualScoresIsTheirShare) {
  Outcomes data;
  for (int i = 0; i < 50; ++i) {
    data.scores.push_back(i < 40 ? 0.25F : 0.75F);
    data.right.push_back(i % 4 == 0 || i >= 44 ? 1 : 0);
  }
  const ConfidenceMap map = fit(data, 1);
  EXPECT_EQ(map.score, (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(map.probability, (std::vector<double>{0.25, 0.7}));
  std::reverse(data.scores.begin(), data.scores.end());
  std::reverse(data.right.begin(), data.right.end());
  EXPECT_EQ(fit(data, 1).probability, map.probability) << "in any order";
}

TEST(Confidence, IsLinearBetweenItsPointsAndConstantBeyond) {
  const ConfidenceMap map{{-1, 0, 2}, {0.1, 0.2, 0.8}};
  EXPECT_EQ(confidence(map, -100), 0.1);
  EXPECT_EQ(confidence(map, -1), 0.1);
  EXPECT_NEAR(confidence(map, -0.5), 0.15, 1e-12);
  EXPECT_NEAR(confidence(map, 0), 0.2, 1e-12);
  EXPECT_NEAR(confidence(map, 1), 0.5, 1e-12);
  EXPECT_EQ(confidence(map, 2), 0.8);
  EXPECT_EQ(confidence(map, 1e9), 0.8);
  double before = 0;
  for (double score = -2; score < 3; score += 0.01) {
    EXPECT_GE(confidence(map, score), before);
    before = confidence(map, score);
  }
  EXPECT_EQ(confidence({{0.5}, {0.3}}, 0.1), 0.3);
  EXPECT_EQ(confidence({{0.5}, {0.3}}, 0.9), 0.3);
  EXPECT_EQ(confidence({{0, 1, 1, 2}, {0, 0.2, 0.6, 1}}, 1), 0.6) << "of two at one score";
}

TEST(Confidence, WithoutOutcomesIsTheScoreItself) {
  const ConfidenceMap map = fit_confidence({}, {});
  EXPECT_NO_THROW(check(map));
  EXPECT_EQ(confidence(map, -3), 1 - 0.99);
  EXPECT_NEAR(confidence(map, 0.35), 0.35, 1e-12);
  EXPECT_EQ(confidence(map, 3), 0.99);
}

TEST(Confidence, OfAllRightOrAllWrong) {
  const std::vector<float> scores = {0.1F, 0.5F, 0.9F};
  const ConfidenceMap right = fit_confidence(scores, std::vector<std::uint8_t>{1, 1, 1}, 1);
  const ConfidenceMap wrong = fit_confidence(scores, std::vector<std::uint8_t>{0, 0, 0}, 1);
  EXPECT_NEAR(confidence(right, 0.5), 1 - 0.5 / 4, 1e-6) << "three do not make it certain";
  EXPECT_NEAR(confidence(wrong, 0.5), 0.5 / 4, 1e-6);
  EXPECT_LT(confidence(right, 2), 1);
  EXPECT_GT(confidence(wrong, 0), 0);
}

TEST(Confidence, RefusesWhatDoesNotFit) {
  EXPECT_THROW(fit_confidence(std::vector<float>{1}, {}), Error);
  const std::vector<std::uint8_t> right = {0, 1};
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    EXPECT_THROW(fit_confidence(std::vector<float>{0, bad}, right), Error);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const ConfidenceMap& bad : std::vector<ConfidenceMap>{{{}, {}},
                                                             {{0, 1}, {0}},
                                                             {{0, 1}, {0.5, 0.4}},
                                                             {{1, 0}, {0.4, 0.5}},
                                                             {{0, 1}, {-0.1, 0.5}},
                                                             {{0, 1}, {0.5, 1.1}},
                                                             {{0, nan}, {0.4, 0.5}},
                                                             {{0, 1}, {0.4, nan}}})
    EXPECT_THROW(check(bad), Error);
}

}  // namespace confidence_test
}  // namespace commonplace

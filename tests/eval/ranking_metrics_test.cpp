#include "commonplace/eval/ranking_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/naive_metrics.h"

namespace commonplace {
namespace ranking_metrics_test {

using Flags = std::vector<std::uint8_t>;

/// A list of up to 30 results, from no hit to all hits, of which the list may miss some.
struct RandomList {
  explicit RandomList(std::uint64_t seed) {
    Rng rng(seed);
    hits.resize(rng.below(31));
    const double share = static_cast<double>(rng.below(5)) / 4;
    for (std::uint8_t& hit : hits) hit = rng.uniform() < share ? 1 : 0;
    relevant = static_cast<std::size_t>(std::count(hits.begin(), hits.end(), 1)) + rng.below(4);
  }
  Flags hits;
  std::size_t relevant = 0;
};

TEST(RankingMetrics, AgreeWithTheLoops) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto [hits, relevant] = RandomList(seed);
    for (const std::size_t k : {0, 1, 3, 10, 40}) {
      EXPECT_NEAR(precision_at(hits, k), naive::precision_at(hits, k), 1e-12);
      EXPECT_NEAR(recall_at(hits, relevant, k), naive::recall_at(hits, relevant, k), 1e-12);
      EXPECT_NEAR(f1_at(hits, relevant, k), naive::f1_at(hits, relevant, k), 1e-12);
      EXPECT_NEAR(ndcg_at(hits, relevant, k), naive::ndcg_at(hits, relevant, k), 1e-12);
    }
    EXPECT_NEAR(average_precision(hits, relevant), naive::average_precision(hits, relevant), 1e-12);
    for (const double recall : {0.1, 0.3, 0.5, 0.7, 1.0})
      EXPECT_NEAR(precision_at_recall(hits, relevant, recall),
                  naive::precision_at_recall(hits, relevant, recall), 1e-12)
          << "recall " << recall << " seed " << seed;
    const auto curve = interpolated_precision(hits, relevant);
    const auto expected = naive::interpolated_precision(hits, relevant);
    for (std::size_t level = 0; level < curve.size(); ++level)
      EXPECT_NEAR(curve[level], expected[level], 1e-12) << "level " << level << " seed " << seed;
  }
}

// The two systems of exercise 8.8 in Manning, Raghavan and Schuetze, Introduction to Information
// Retrieval: R N R N N N N N R R and N R N N R R R N N N, four relevant in all.
TEST(RankingMetrics, TwoSystemsByHand) {
  const Flags first{1, 0, 1, 0, 0, 0, 0, 0, 1, 1};
  EXPECT_NEAR(average_precision(first, 4), (1 + 2.0 / 3 + 3.0 / 9 + 4.0 / 10) / 4, 1e-12);
  EXPECT_DOUBLE_EQ(precision_at(first, 10), 0.4);
  EXPECT_DOUBLE_EQ(recall_at(first, 4, 3), 0.5);
  EXPECT_DOUBLE_EQ(f1_at(first, 4, 3), 2 * (2.0 / 3) * 0.5 / (2.0 / 3 + 0.5));
  const auto curve = interpolated_precision(first, 4);
  EXPECT_DOUBLE_EQ(curve[0], 1);
  EXPECT_DOUBLE_EQ(curve[2], 1);
  EXPECT_DOUBLE_EQ(curve[3], 2.0 / 3);
  EXPECT_DOUBLE_EQ(curve[5], 2.0 / 3);
  EXPECT_DOUBLE_EQ(curve[6], 0.4);
  EXPECT_DOUBLE_EQ(curve[10], 0.4);
  EXPECT_NEAR(interpolated_average_precision(first, 4), (3 * 1 + 3 * 2.0 / 3 + 5 * 0.4) / 11,
              1e-12);
  EXPECT_DOUBLE_EQ(precision_at_recall(first, 4, 0.75), 3.0 / 9);
  const Flags second{0, 1, 0, 0, 1, 1, 1, 0, 0, 0};
  EXPECT_NEAR(average_precision(second, 4), (1.0 / 2 + 2.0 / 5 + 3.0 / 6 + 4.0 / 7) / 4, 1e-12);
  // The highest precision is at the last hit, so it holds for every level.
  EXPECT_NEAR(interpolated_average_precision(second, 4), 4.0 / 7, 1e-12);
}

TEST(RankingMetrics, NothingRelevantAndNothingReturned) {
  const Flags none;
  EXPECT_EQ(average_precision(none, 0), 0);
  EXPECT_EQ(average_precision(none, 3), 0);
  EXPECT_EQ(ndcg_at(none, 0, 5), 1);
  EXPECT_EQ(ndcg_at(none, 3, 5), 0);
  EXPECT_EQ(precision_at(none, 5), 0);
  EXPECT_EQ(recall_at(none, 0, 5), 0);
  EXPECT_EQ(f1_at(none, 0, 0), 0);
  EXPECT_EQ(interpolated_average_precision(none, 3), 0);
  EXPECT_EQ(precision_at_recall(none, 0, 0.1), 0);
  EXPECT_THROW(mean({}), Error);
}

// The examples in scikit-learn's documentation of ndcg_score: 0.69.., 0.49.., 0.35.., 1, 0.75.
TEST(RankingMetrics, ScikitLearnsExamplesOfNdcg) {
  const std::vector<double> gains{10, 0, 0, 1, 5};
  const auto ndcg = [&](const std::vector<double>& scores, std::size_t k) {
    return graded_ndcg_at(rank_gains_by_score(scores, gains), gains, k);
  };
  EXPECT_NEAR(ndcg({.1, .2, .3, 4, 70}, 5), 0.6956940443813076, 1e-12);
  EXPECT_NEAR(ndcg({.05, 1.1, 1., .5, .0}, 5), 0.4936801913773761, 1e-12);
  EXPECT_NEAR(ndcg({.05, 1.1, 1., .5, .0}, 4), 0.3520241100634489, 1e-12);
  EXPECT_DOUBLE_EQ(ndcg(gains, 4), 1);
  EXPECT_DOUBLE_EQ(ndcg({1, 0, 0, 0, 1}, 1), 0.75);
}

TEST(RankingMetrics, TiedGainsGiveTheExpectationOverAllOrders) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    std::vector<double> scores(1 + rng.below(6));
    std::vector<double> gains(scores.size());
    for (double& score : scores) score = static_cast<double>(rng.below(3));
    for (double& gain : gains) gain = static_cast<double>(rng.below(4));
    for (const std::size_t k : {1, 2, 4, 10})
      EXPECT_NEAR(graded_ndcg_at(rank_gains_by_score(scores, gains), gains, k),
                  naive::expected_graded_ndcg_at(scores, gains, k), 1e-12)
          << "seed " << seed;
  }
}

TEST(RankingMetrics, BinaryAndGradedNdcgAgree) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto [hits, relevant] = RandomList(seed);
    const std::vector<double> gains(hits.begin(), hits.end());
    const std::vector<double> possible(relevant, 1.0);
    for (const std::size_t k : {1, 5, 40})
      EXPECT_NEAR(graded_ndcg_at(gains, possible, k), ndcg_at(hits, relevant, k), 1e-12);
  }
}

TEST(RankingMetrics, RanksByFallingScoreAndKeepsTiesInOrder) {
  const std::vector<double> scores{0.2, 0.9, 0.2, 0.5};
  EXPECT_EQ(rank_by_score(scores, Flags{1, 0, 0, 1}), (Flags{0, 1, 1, 0}));
}

TEST(RankingMetrics, RefuseWhatCannotBe) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(recall_at(Flags{1, 1}, 1, 2), Error);
  EXPECT_THROW(average_precision(Flags{1, 1}, 1), Error);
  EXPECT_THROW(precision_at_recall(Flags{1}, 1, 0), Error);
  EXPECT_THROW(precision_at_recall(Flags{1}, 1, 1.5), Error);
  EXPECT_THROW(precision_at_recall(Flags{1}, 1, nan), Error);
  EXPECT_THROW(rank_by_score(std::vector<double>{1.0}, Flags{1, 0}), Error);
  EXPECT_THROW(rank_by_score(std::vector<double>{nan}, Flags{1}), Error);
  EXPECT_THROW(rank_gains_by_score(std::vector<double>{1.0}, std::vector<double>{}), Error);
  EXPECT_THROW(graded_ndcg_at(std::vector<double>{-1.0}, std::vector<double>{1.0}, 1), Error);
}

}  // namespace ranking_metrics_test
}  // namespace commonplace

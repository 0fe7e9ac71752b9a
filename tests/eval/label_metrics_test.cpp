#include "commonplace/eval/label_metrics.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/naive_metrics.h"

namespace commonplace {
namespace label_metrics_test {

using Flags = std::vector<std::uint8_t>;
using Scores = std::vector<double>;
using Labels = std::vector<std::int32_t>;

Labels set_of(const Flags& flags) {
  Labels labels;
  for (std::size_t i = 0; i < flags.size(); ++i)
    if (flags[i] != 0) labels.push_back(static_cast<std::int32_t>(i));
  return labels;
}

Flags random_flags(Rng& rng, std::size_t count) {
  Flags flags(count);
  const double share = static_cast<double>(rng.below(5)) / 4;
  for (std::uint8_t& flag : flags) flag = rng.uniform() < share ? 1 : 0;
  return flags;
}

struct Case {
  Scores scores;
  Flags relevant;
};

/// Scores of few levels, so that ties abound; none, some or all labels relevant.
Case random_case(std::uint64_t seed) {
  Rng rng(seed);
  Case result;
  result.scores.resize(rng.below(20));
  const std::uint64_t levels = 1 + rng.below(12);
  for (double& score : result.scores) score = static_cast<double>(rng.below(levels));
  result.relevant = random_flags(rng, result.scores.size());
  return result;
}

TEST(LabelMetrics, OfScoresAgreeWithTheLoops) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto [scores, relevant] = random_case(seed);
    const std::vector<TieGroup> groups = tie_groups(scores, relevant);
    EXPECT_NEAR(rank_loss(groups), naive::rank_loss(scores, relevant), 1e-12) << seed;
    EXPECT_NEAR(one_error(groups), naive::one_error(scores, relevant), 1e-12) << seed;
    EXPECT_EQ(coverage(groups), naive::coverage(scores, relevant)) << seed;
    EXPECT_NEAR(label_ranking_average_precision(groups),
                naive::label_ranking_average_precision(scores, relevant), 1e-12)
        << seed;
  }
}

// A ranking of the labels with a positive score says the same as all scores, the others being 0.
TEST(LabelMetrics, ShortRankingsAgreeWithAllScores) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto [scores, relevant] = random_case(seed);
    std::vector<std::int32_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&s = scores](std::int32_t a, std::int32_t b) {
      return s[static_cast<std::size_t>(a)] > s[static_cast<std::size_t>(b)];
    });
    LabelRanking ranking;
    for (const std::int32_t label : order) {
      const double score = scores[static_cast<std::size_t>(label)];
      if (score == 0) break;
      ranking.labels.push_back(label);
      ranking.scores.push_back(score);
    }
    const auto groups = tie_groups(ranking, set_of(relevant), std::ssize(scores));
    const auto expected = tie_groups(scores, relevant);
    ASSERT_EQ(groups.size(), expected.size()) << seed;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      EXPECT_EQ(groups[i].relevant, expected[i].relevant) << seed;
      EXPECT_EQ(groups[i].size, expected[i].size) << seed;
    }
  }
}

// The examples in scikit-learn's documentation of coverage_error, label_ranking_loss and
// label_ranking_average_precision_score: 2.5, 0.75 and 0.416...
TEST(LabelMetrics, ScikitLearnsExamplesOfRankings) {
  const auto first = tie_groups(Scores{0.75, 0.5, 1}, Flags{1, 0, 0});
  const auto second = tie_groups(Scores{1, 0.2, 0.1}, Flags{0, 0, 1});
  EXPECT_DOUBLE_EQ((coverage(first) + coverage(second)) / 2, 2.5);
  EXPECT_DOUBLE_EQ((rank_loss(first) + rank_loss(second)) / 2, 0.75);
  EXPECT_NEAR(
      (label_ranking_average_precision(first) + label_ranking_average_precision(second)) / 2,
      5.0 / 12, 1e-12);
}

// From scikit-learn's tests of ties; only the ranking loss differs, as it counts ties as half.
TEST(LabelMetrics, TiesByHand) {
  const auto tied = tie_groups(Scores{0.25, 0.5, 0.5}, Flags{1, 0, 1});
  EXPECT_DOUBLE_EQ(label_ranking_average_precision(tied), (2.0 / 3 + 1.0 / 2) / 2);
  EXPECT_DOUBLE_EQ(coverage(tied), 3);
  EXPECT_DOUBLE_EQ(one_error(tied), 0.5);
  EXPECT_DOUBLE_EQ(rank_loss(tied), (1 + 0.5) / 2);
  const auto flat = tie_groups(Scores{0.5, 0.5, 0.5, 0.5}, Flags{1, 1, 1, 0});
  EXPECT_DOUBLE_EQ(label_ranking_average_precision(flat), 0.75);
  EXPECT_DOUBLE_EQ(rank_loss(flat), 0.5);
}

TEST(LabelMetrics, NoLabelsOrNoneRelevantOrAll) {
  EXPECT_EQ(one_error({}), 0);
  EXPECT_EQ(coverage({}), 0);
  EXPECT_EQ(rank_loss({}), 0);
  EXPECT_EQ(label_ranking_average_precision({}), 1);
  const auto none = tie_groups(Scores{1, 2}, Flags{0, 0});
  EXPECT_EQ(one_error(none), 1);
  EXPECT_EQ(coverage(none), 0);
  EXPECT_EQ(rank_loss(none), 0);
  EXPECT_EQ(label_ranking_average_precision(none), 1);
  const auto all = tie_groups(Scores{1, 2}, Flags{1, 1});
  EXPECT_EQ(one_error(all), 0);
  EXPECT_EQ(coverage(all), 2);
  EXPECT_EQ(rank_loss(all), 0);
  EXPECT_EQ(label_ranking_average_precision(all), 1);
}

void expect_near(const PrecisionRecall& actual, const naive::Averages& expected,
                 std::uint64_t seed) {
  EXPECT_NEAR(actual.precision, expected.precision, 1e-12) << seed;
  EXPECT_NEAR(actual.recall, expected.recall, 1e-12) << seed;
  EXPECT_NEAR(actual.f1, expected.f1, 1e-12) << seed;
}

TEST(LabelMetrics, AveragesAgreeWithTheLoops) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const std::size_t items = 1 + rng.below(8);
    const std::size_t labels = 1 + rng.below(8);
    naive::FlagTable truth;
    naive::FlagTable predicted;
    std::vector<LabelCounts> by_item;
    std::vector<LabelCounts> by_label(labels);
    double hamming = 0;
    for (std::size_t item = 0; item < items; ++item) {
      truth.push_back(random_flags(rng, labels));
      predicted.push_back(random_flags(rng, labels));
      by_item.push_back(count_labels(set_of(truth.back()), set_of(predicted.back())));
      hamming += hamming_loss(by_item.back(), static_cast<std::int64_t>(labels)) /
                 static_cast<double>(items);
      for (std::size_t label = 0; label < labels; ++label) {
        const bool relevant = truth.back()[label] != 0;
        const bool suggested = predicted.back()[label] != 0;
        by_label[label] += {relevant && suggested, !relevant && suggested, relevant && !suggested};
      }
    }
    expect_near(macro_average(by_item), naive::item_average(truth, predicted), seed);
    expect_near(macro_average(by_label), naive::label_average(truth, predicted, false), seed);
    expect_near(weighted_average(by_label), naive::label_average(truth, predicted, true), seed);
    expect_near(micro_average(by_label), naive::micro_average(truth, predicted), seed);
    expect_near(micro_average(by_item), naive::micro_average(truth, predicted), seed);
    EXPECT_NEAR(hamming, naive::hamming_loss(truth, predicted), 1e-12) << seed;
  }
}

// scikit-learn's documentation: hamming_loss([[0, 1], [1, 1]], [[0, 0], [0, 0]]) = 0.75.
TEST(LabelMetrics, ScikitLearnsExampleOfHammingLoss) {
  const double first = hamming_loss(count_labels(Labels{1}, Labels{}), 2);
  const double second = hamming_loss(count_labels(Labels{0, 1}, Labels{}), 2);
  EXPECT_DOUBLE_EQ((first + second) / 2, 0.75);
}

TEST(LabelMetrics, Accuracy) {
  EXPECT_DOUBLE_EQ(accuracy(Labels{0, 1, 2, 3}, Labels{0, 2, 1, 3}), 0.5);
  EXPECT_THROW(accuracy(Labels{0}, Labels{}), Error);
  EXPECT_THROW(accuracy(Labels{}, Labels{}), Error);
}

TEST(LabelMetrics, RefuseWhatCannotBe) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(count_labels(Labels{2, 1}, Labels{}), Error);
  EXPECT_THROW(count_labels(Labels{1}, Labels{1, 1}), Error);
  EXPECT_THROW(macro_average({}), Error);
  EXPECT_THROW(hamming_loss({0, 2, 1}, 2), Error);
  EXPECT_THROW(hamming_loss({}, 0), Error);
  EXPECT_THROW(tie_groups(Scores{1}, Flags{}), Error);
  EXPECT_THROW(tie_groups(Scores{nan}, Flags{1}), Error);
  EXPECT_THROW(tie_groups(LabelRanking{{3}, {1}}, Labels{}, 3), Error);
  EXPECT_THROW(tie_groups(LabelRanking{{-1}, {1}}, Labels{}, 3), Error);
  EXPECT_THROW(tie_groups(LabelRanking{{1, 1}, {2, 1}}, Labels{}, 3), Error);
  EXPECT_THROW(tie_groups(LabelRanking{{1, 2}, {1, 2}}, Labels{}, 3), Error);
  EXPECT_THROW(tie_groups(LabelRanking{{1}, {nan}}, Labels{}, 3), Error);
  EXPECT_THROW(tie_groups(LabelRanking{{1, 2}, {1}}, Labels{}, 3), Error);
  EXPECT_THROW(tie_groups(LabelRanking{{1}, {1}}, Labels{3}, 3), Error);
  EXPECT_THROW(tie_groups(LabelRanking{{1}, {1}}, Labels{1, 0}, 3), Error);
}

}  // namespace label_metrics_test
}  // namespace commonplace

#include "commonplace/suggest/core/suggester_quality.h"

#include <cmath>

#include <gtest/gtest.h>

#include "commonplace/base/rng.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/suggest/core/suggester.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_metrics.h"
#include "tests/support/naive_suggester.h"

namespace commonplace {
namespace suggester_quality_test {

using namespace suggest;

/// Three items of four tags; the second has a rejected one.
struct SmallCase {
  Matrix scores = (Matrix(3, 4) << 0.9F, 0.5F, 0.2F, 0.1F,  //
                   0.1F, 0.8F, 0.6F, 0.3F,                  //
                   0.4F, 0.4F, 0.7F, 0.2F)
                      .finished();
  Sparse tags = test::to_sparse((MatrixD(3, 4) << 1, 1, 0, 0, 0, -1, 1, 0, 0, 1, 0, 1).finished());
};

/// Drawn items, all of whose tags are rare.
SuggesterQuality judge(const Matrix& scores, const SparseView& tags, bool in_time = false) {
  return judge_suggestions(scores, tags, std::vector<std::uint8_t>(scores.cols()), in_time);
}

/// The score itself.
const ConfidenceMap kItself{{0, 1}, {0, 1}};

/// Whether the tags of an item, best first, are its own.
naive::Flags hits_of(const Matrix& scores, const MatrixD& tags, Eigen::Index item) {
  naive::Flags hits;
  for (const std::int32_t tag :
       best_tags({scores.row(item).data(), static_cast<std::size_t>(scores.cols())}, scores.cols()))
    hits.push_back(tags(item, tag) > 0 ? 1 : 0);
  return hits;
}

/// Whole numbers 0 .. 9, so that many scores tie.
Matrix random_scores(Eigen::Index items, Eigen::Index tags, std::uint64_t seed) {
  Rng rng(seed);
  Matrix scores(items, tags);
  for (Eigen::Index i = 0; i < scores.size(); ++i)
    scores.data()[i] = static_cast<float>(rng.below(10));
  return scores;
}

TEST(SuggesterQuality, GainOfASmallCase) {
  const SmallCase small;
  // First both; then the second place of one; then places 3 and 4 of two.
  const double second = 1 / std::log2(3.0);
  const double both = 1 + second;
  const std::vector<double> expected = {1, second,
                                        (1 / std::log2(4.0) + 1 / std::log2(5.0)) / both};
  const std::vector<double> found = ndcg_of_items(small.scores, small.tags.view());
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[0], expected[0], 1e-12);
  EXPECT_NEAR(found[1], expected[1], 1e-12);
  // Of the equal tags 0 and 1 the first comes before, so that tag 1 is third.
  EXPECT_NEAR(found[2], expected[2], 1e-12);
}

TEST(SuggesterQuality, GainAgreesWithTheDefinition) {
  const Matrix scores = random_scores(60, 15, 1);
  const Sparse tags = test::random_targets(60, 15, 0.2, 2);
  const MatrixD dense = test::to_dense(tags.view());
  const std::vector<double> found = ndcg_of_items(scores, tags.view(), 1);
  for (Eigen::Index item = 0; item < 60; ++item) {
    const auto relevant = static_cast<std::size_t>((dense.row(item).array() > 0).count());
    EXPECT_NEAR(found[static_cast<std::size_t>(item)],
                naive::ndcg_at(hits_of(scores, dense, item), relevant, 5), 1e-12);
  }
  for (const int jobs : {2, 3}) EXPECT_EQ(ndcg_of_items(scores, tags.view(), jobs), found);
}

TEST(SuggesterQuality, MeanF1OfASmallCase) {
  const SmallCase small;
  const auto f1 = [&](double threshold) {
    return mean_f1(small.scores, small.tags.view(), kItself, threshold);
  };
  // Above 0.45: tags 0 1 of 0 1; 1 2 of 2; 2 of 1 3.
  EXPECT_NEAR(f1(0.45), (1 + 2.0 / 3 + 0) / 3, 1e-12);
  // Above 0.75: tag 0; tag 1; none.
  EXPECT_NEAR(f1(0.75), (2.0 / 3 + 0 + 0) / 3, 1e-12);
  // All tags: two right of four; one of four; two of four.
  EXPECT_NEAR(f1(0), (4.0 / 6 + 2.0 / 5 + 4.0 / 6) / 3, 1e-12);
  EXPECT_NEAR(f1(2), 0, 1e-12);
  Sparse none;
  none.columns = 4;
  none.end_row();
  const Matrix one = small.scores.topRows(1);
  EXPECT_EQ(mean_f1(one, none.view(), kItself, 2), 1) << "none of none is right";
  EXPECT_EQ(mean_f1(one, none.view(), kItself, 0.5), 0);
  none.starts = {0};
  EXPECT_EQ(mean_f1(Matrix(0, 4), none.view(), kItself, 0.5), 0);
}

TEST(SuggesterQuality, ThresholdIsThePlantedOne) {
  // Own tags score 0.62 or more and others 0.58 or less, so that 0.6 tells them apart.
  Rng rng(3);
  Matrix scores(80, 10);
  Sparse tags;
  tags.columns = 10;
  for (Eigen::Index item = 0; item < 80; ++item) {
    for (std::int32_t tag = 0; tag < 10; ++tag) {
      const bool own = rng.uniform() < 0.3;
      scores(item, tag) =
          static_cast<float>(own ? 0.62 + 0.3 * rng.uniform() : 0.58 * rng.uniform());
      if (own) tags.push(tag, 1);
    }
    tags.end_row();
  }
  EXPECT_NEAR(choose_threshold(scores, tags.view(), kItself), 0.6, 1e-9);
  const double chosen =
      choose_threshold(scores, tags.view(), learn_confidence(scores, tags.view()));
  EXPECT_NEAR(mean_f1(scores, tags.view(), learn_confidence(scores, tags.view()), chosen), 1, 1e-9);
  // Of noise, the best threshold is no worse than any other.
  const Matrix noise = random_scores(80, 10, 4) / 10;
  const double best =
      mean_f1(noise, tags.view(), kItself, choose_threshold(noise, tags.view(), kItself));
  for (int step = 1; step < 20; ++step)
    EXPECT_GE(best, mean_f1(noise, tags.view(), kItself, 0.05 * step));
}

/// Scores that are the probabilities of the tags.
struct Probable {
  Matrix scores{400, 12};
  Sparse tags;

  explicit Probable(std::uint64_t seed) {
    Rng rng(seed);
    tags.columns = 12;
    for (Eigen::Index item = 0; item < 400; ++item) {
      for (std::int32_t tag = 0; tag < 12; ++tag) {
        const double chance = rng.uniform() * rng.uniform();
        scores(item, tag) = static_cast<float>(chance);
        if (rng.uniform() < chance) tags.push(tag, 1);
      }
      tags.end_row();
    }
  }
};

TEST(SuggesterQuality, ConfidenceIsLearned) {
  const Probable probable(5);
  const ConfidenceMap map = learn_confidence(probable.scores, probable.tags.view());
  EXPECT_NO_THROW(check(map));
  for (const double score : {0.05, 0.2, 0.4, 0.6, 0.8})
    EXPECT_NEAR(confidence(map, score), score, 0.12) << score;
  // A rejected tag is one that the item does not have.
  Sparse rejected = probable.tags;
  for (float& value : rejected.values) value = -1;
  EXPECT_LT(confidence(learn_confidence(probable.scores, rejected.view()), 0.9), 0.001);
}

TEST(SuggesterQuality, ConfidenceIsLearnedFromEachItemsFiftyHighest) {
  // Of 60 tags the ten lowest are right, and are not looked at.
  Matrix scores(1, 60);
  Sparse tags;
  tags.columns = 60;
  for (std::int32_t tag = 0; tag < 60; ++tag) {
    scores(0, tag) = static_cast<float>(60 - tag);
    if (tag >= 50) tags.push(tag, 1);
  }
  tags.end_row();
  EXPECT_LT(learn_confidence(scores, tags.view()).probability.back(), 0.05);
  EXPECT_EQ(mean_f1(scores, tags.view(), kItself, 0.5), 0);
}

TEST(SuggesterQuality, OfASmallCase) {
  const SmallCase small;
  const SuggesterQuality quality = judge(small.scores, small.tags.view());
  EXPECT_EQ(quality.items, 3);
  EXPECT_NEAR(quality.precision_at_1, 1.0 / 3, 1e-12);
  EXPECT_NEAR(quality.precision_at_3, (2.0 / 3 + 1.0 / 3 + 1.0 / 3) / 3, 1e-12);
  EXPECT_NEAR(quality.precision_at_5, (2.0 / 5 + 1.0 / 5 + 2.0 / 5) / 3, 1e-12)
      << "places that there are not count as wrong";
  EXPECT_NEAR(quality.ndcg_at_5, mean(ndcg_of_items(small.scores, small.tags.view())), 1e-12);
  EXPECT_LE(quality.precision_at_1_interval.low, 1.0 / 3);
  EXPECT_GE(quality.precision_at_1_interval.high, 1.0 / 3);
}

TEST(SuggesterQuality, AgreesWithTheDefinitions) {
  const Matrix scores = random_scores(60, 15, 1);
  const Sparse tags = test::random_targets(60, 15, 0.2, 2);
  const MatrixD dense = test::to_dense(tags.view());
  const SuggesterQuality quality = judge(scores, tags.view());
  double at_1 = 0;
  double at_3 = 0;
  double at_5 = 0;
  for (Eigen::Index item = 0; item < 60; ++item) {
    const naive::Flags hits = hits_of(scores, dense, item);
    at_1 += naive::precision_at(hits, 1) / 60;
    at_3 += naive::precision_at(hits, 3) / 60;
    at_5 += naive::precision_at(hits, 5) / 60;
  }
  EXPECT_NEAR(quality.precision_at_1, at_1, 1e-12);
  EXPECT_NEAR(quality.precision_at_3, at_3, 1e-12);
  EXPECT_NEAR(quality.precision_at_5, at_5, 1e-12);
}

TEST(SuggesterQuality, ReliabilityIsOfMapsThatHadNotSeenTheItems) {
  const Probable probable(6);
  const SuggesterQuality quality = judge(probable.scores, probable.tags.view());
  EXPECT_LT(quality.calibration_error, 0.06);
  std::size_t pairs = 0;
  for (const CalibrationBin& bin : quality.reliability) {
    pairs += bin.count;
    if (bin.count > 100) {
      EXPECT_NEAR(bin.mean_probability, bin.frequency, 0.2);
    }
  }
  EXPECT_GT(pairs, 3000u);
  EXPECT_LE(pairs, 4800u);
  // What is shown is as often right as it says, and all of it is of rare tags.
  EXPECT_GT(quality.shown.count, 500);
  EXPECT_NEAR(quality.shown.confidence, quality.shown.right, 0.05);
  EXPECT_LT(quality.shown.interval.low, quality.shown.right);
  EXPECT_GT(quality.shown.interval.high, quality.shown.right);
  EXPECT_EQ(quality.shown_rare.count, quality.shown.count);
  EXPECT_EQ(judge_suggestions(probable.scores, probable.tags.view(),
                              std::vector<std::uint8_t>(12, 1), false)
                .shown_rare.count,
            0);
  // Where the two halves contradict each other, neither is right about the other.
  Matrix scores(200, 2);
  Sparse tags;
  tags.columns = 2;
  for (Eigen::Index item = 0; item < 200; ++item) {
    scores.row(item) << 0.9F, 0.1F;
    if (item % 2 == 0) tags.push(0, 1);
    tags.end_row();
  }
  EXPECT_GT(judge(scores, tags.view()).calibration_error, 0.9);
}

TEST(SuggesterQuality, OfNoneOrOneItem) {
  Sparse none;
  none.columns = 4;
  const SuggesterQuality nothing = judge(Matrix(0, 4), none.view());
  EXPECT_EQ(nothing.items, 0);
  EXPECT_TRUE(nothing.reliability.empty());
  const SmallCase small;
  const Matrix one = small.scores.topRows(1);
  const SuggesterQuality quality = judge(one, test::rows_between(small.tags.view(), {0, 1}).view());
  EXPECT_EQ(quality.items, 1);
  EXPECT_EQ(quality.precision_at_1, 1);
  EXPECT_TRUE(std::isfinite(quality.calibration_error));
}

TEST(SuggesterQuality, ItemsOfUnknowableTagsCountAsFailures) {
  const SmallCase small;
  Matrix scores(6, 4);
  scores << small.scores, small.scores;
  Sparse tags = small.tags;
  for (int i = 0; i < 3; ++i) tags.end_row();
  const SuggesterQuality alone = judge(small.scores, small.tags.view());
  const SuggesterQuality both = judge(scores, tags.view());
  EXPECT_EQ(alone.strange, 0);
  EXPECT_EQ(both.strange, 3);
  EXPECT_NEAR(both.precision_at_1, alone.precision_at_1 / 2, 1e-12);
  EXPECT_NEAR(both.ndcg_at_5, alone.ndcg_at_5 / 2, 1e-12);
}

TEST(SuggesterQuality, InTimeTheEarlierHalfTellsOfTheLaterOne) {
  // The score is right in the first half of the items and wrong in the second.
  Matrix scores(200, 2);
  Sparse tags;
  tags.columns = 2;
  for (Eigen::Index item = 0; item < 200; ++item) {
    scores.row(item) << 0.9F, 0.1F;
    if (item < 100) tags.push(0, 1);
    tags.end_row();
  }
  EXPECT_LT(judge(scores, tags.view()).calibration_error, 0.1);
  const SuggesterQuality in_time = judge(scores, tags.view(), true);
  EXPECT_TRUE(in_time.newest);
  EXPECT_GT(in_time.calibration_error, 0.9);
  EXPECT_GT(in_time.precision_at_1_interval.high - in_time.precision_at_1_interval.low, 0.3)
      << "items next to each other are alike";
}

TEST(DriftToCome, IsWhatTheStepsSoFarCannotOweToChance) {
  const std::vector<ShareInTime> steady = {{0.50, 0.04}, {0.53, 0.04}, {0.49, 0.04}, {0.51, 0.04}};
  EXPECT_EQ(drift_to_come(steady), 0);
  const std::vector<ShareInTime> moving = {{0.50, 0.02}, {0.40, 0.02}, {0.30, 0.02}, {0.40, 0.02}};
  // Steps of 0.1, of which 2 * 0.02² is chance; t of 3 degrees of freedom.
  EXPECT_NEAR(drift_to_come(moving), 3.182 * std::sqrt(1.5 * (0.01 - 0.0008)), 1e-12);
  EXPECT_EQ(drift_to_come(std::span(moving).first(3)), 0) << "too few steps to tell";
  std::vector<ShareInTime> longer = moving;
  longer.insert(longer.end(), moving.begin(), moving.end());
  EXPECT_LT(drift_to_come(longer), drift_to_come(moving)) << "more steps are known better";
}

/// Shares that walk at random: the two that come next are as near as was said, as often as was said
/// or more (the last step known is a part of what comes next, so that both are great together).
TEST(DriftToCome, HoldsForARandomWalk) {
  constexpr int kWalks = 2000;
  int inside = 0;
  for (std::uint64_t walk = 0; walk < kWalks; ++walk) {
    Rng rng(11, walk);
    std::vector<ShareInTime> parts;
    double share = 0.5;
    for (int i = 0; i < 8; ++i) {
      // Uniform, of a deviation of 0.05.
      share += (rng.uniform() - 0.5) * 0.05 * std::sqrt(12.0);
      parts.push_back({share, 1e-6});
    }
    const double claimed = (parts[4].share + parts[5].share) / 2;
    const double real = (parts[6].share + parts[7].share) / 2;
    if (std::abs(real - claimed) <= drift_to_come(std::span(parts).first(6))) ++inside;
  }
  EXPECT_GE(static_cast<double>(inside) / kWalks, 0.95);
  EXPECT_LE(static_cast<double>(inside) / kWalks, 0.995);
}

}  // namespace suggester_quality_test
}  // namespace commonplace

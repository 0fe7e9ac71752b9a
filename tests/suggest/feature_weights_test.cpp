#include "commonplace/suggest/core/feature_weights.h"

#include <cmath>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_suggester.h"
#include "tests/support/planted_tags.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace feature_weights_test {

using namespace suggest;

using test::random_counts;
using test::random_targets;
using test::to_dense;

constexpr FeatureWeighting kWeightings[] = {{0, 0}, {1, 0}, {0, 0.5}, {0.5, 0.25}, {2, 1}};

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

std::vector<float> weights_of(const Sparse& items, const Sparse& tags,
                              const FeatureWeighting& weighting) {
  SelfComm comm;
  return feature_weights(items.view(), tags.view(), weighting, comm);
}

TEST(FeatureWeights, AreRarityAndDivergenceOfTheTags) {
  // Feature 2 is in no item, and item 3 has no features.
  const Sparse items = random_counts(60, 15, 0.3, 1);
  const Sparse tags = random_targets(60, 9, 0.3, 2);
  for (const FeatureWeighting& weighting : kWeightings) {
    const std::vector<float> found = weights_of(items, tags, weighting);
    const std::vector<double> expected =
        test::naive_feature_weights(to_dense(items.view()), to_dense(tags.view()), weighting);
    ASSERT_EQ(found.size(), 15u);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(found[i]), expected[i], 1e-5 * expected[i]) << i;
      EXPECT_GT(found[i], 0);
    }
  }
}

TEST(FeatureWeights, OfMoreThanASlabAreTheSame) {
  const Sparse items = random_counts(40, 1500, 0.05, 3);
  const Sparse tags = random_targets(40, 900, 0.01, 4);
  const std::vector<float> found = weights_of(items, tags, {0.5, 0.5});
  const std::vector<double> expected =
      test::naive_feature_weights(to_dense(items.view()), to_dense(tags.view()), {0.5, 0.5});
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(static_cast<double>(found[i]), expected[i], 1e-5 * expected[i]) << i;
}

TEST(FeatureWeights, WordsOfATopicCountMoreThanWordsOfAll) {
  const test::PlantedTags data = test::planted_tags(400, 4);
  const std::vector<float> weights = weights_of(data.words, data.tags, {0, 0.5});
  float least_of_topics = 1e9F;
  float greatest_of_common = 0;
  for (std::size_t word = 0; word < weights.size(); ++word) {
    if (word < 40) {
      least_of_topics = std::min(least_of_topics, weights[word]);
    } else {
      greatest_of_common = std::max(greatest_of_common, weights[word]);
    }
  }
  EXPECT_GT(least_of_topics, 2 * greatest_of_common);
}

TEST(FeatureWeights, AreTheSameOnAnyNumberOfRanks) {
  const Sparse items = random_counts(61, 15, 0.3, 1);
  const Sparse tags = random_targets(61, 9, 0.3, 2);
  for (const FeatureWeighting& weighting : kWeightings) {
    const std::vector<float> alone = weights_of(items, tags, weighting);
    for (const int ranks : {1, 2, 3, 4}) {
      const auto all =
          test::on_ranks<std::vector<float>>(ranks, 61, [&](Comm& comm, RowRange range) {
            const Sparse mine = test::rows_between(items.view(), range);
            const Sparse my_tags = test::rows_between(tags.view(), range);
            return feature_weights(mine.view(), my_tags.view(), weighting, comm);
          });
      // Counts are whole numbers, so that nothing is rounded.
      for (const std::vector<float>& each : all) EXPECT_EQ(each, alone) << ranks;
    }
  }
}

TEST(FeatureWeights, DoNotDependOnTheOrderOfTheItems) {
  const Sparse items = random_counts(60, 15, 0.3, 1);
  const Sparse tags = random_targets(60, 9, 0.3, 2);
  const auto order = test::random_order(60, 3);
  EXPECT_EQ(weights_of(test::rows_in_order(items.view(), order),
                       test::rows_in_order(tags.view(), order), {0.5, 0.5}),
            weights_of(items, tags, {0.5, 0.5}));
}

TEST(FeatureWeights, OfItemsWithoutTagsSayNothing) {
  const Sparse items = random_counts(20, 6, 0.5, 1);
  Sparse tags;
  tags.columns = 3;
  for (int item = 0; item < 20; ++item) tags.end_row();
  for (const float weight : weights_of(items, tags, {0, 0.5}))
    EXPECT_NEAR(weight, std::sqrt(1e-3), 1e-6);
}

TEST(FeatureWeights, NeedTagsOfTheItems) {
  EXPECT_EQ(test::message_of([] {
              weights_of(random_counts(20, 6, 0.5, 1), random_targets(19, 3, 0.5, 1), {});
            }),
            "tags of 19 items do not fit 20 rows of features");
}

std::vector<float> rising_weights(std::size_t count) {
  std::vector<float> weights;
  for (std::size_t i = 0; i < count; ++i) weights.push_back(0.1F + 0.2F * static_cast<float>(i));
  return weights;
}

TEST(WeighedRows, AreLogsTimesWeightsOfLengthOne) {
  const Sparse items = random_counts(30, 15, 0.3, 1);
  const std::vector<float> weights = rising_weights(15);
  const MatrixD found = to_dense(weigh_rows(items.view(), weights).view());
  EXPECT_LT(worst(found, test::naive_weigh_rows(to_dense(items.view()), weights)), 1e-6);
  EXPECT_EQ(found.row(3).cwiseAbs().maxCoeff(), 0) << "a row of zeros stays";
  EXPECT_EQ(to_dense(weigh_rows(items.view(), weights, {}, 3).view()), found);

  const Sparse small = test::to_sparse((MatrixD(1, 3) << 1, 0.5, -0.25).finished());
  const MatrixD kept = to_dense(weigh_rows(small.view(), {1, 1, 1}).view());
  EXPECT_LT(worst(kept, to_dense(small.view()) / to_dense(small.view()).norm()), 1e-6)
      << "what is at most 1 is not reduced";
}

TEST(WeighedRows, EachKindOfFeaturesHasTheSameLength) {
  const Sparse items = random_counts(30, 15, 0.2, 5);
  const std::vector<float> weights = rising_weights(15);
  const std::vector<std::int64_t> blocks = {0, 4, 9};
  const MatrixD found = to_dense(weigh_rows(items.view(), weights, blocks).view());
  EXPECT_LT(worst(found, test::naive_weigh_rows(to_dense(items.view()), weights, blocks)), 1e-6);
  int with_all = 0;
  for (Eigen::Index row = 0; row < found.rows(); ++row) {
    const double a = found.row(row).head(4).norm();
    const double b = found.row(row).segment(4, 5).norm();
    const double c = found.row(row).tail(6).norm();
    if (a == 0 || b == 0 || c == 0) continue;
    ++with_all;
    EXPECT_NEAR(a, std::sqrt(1.0 / 3), 1e-5);
    EXPECT_NEAR(b, std::sqrt(1.0 / 3), 1e-5);
    EXPECT_NEAR(c, std::sqrt(1.0 / 3), 1e-5);
  }
  EXPECT_GT(with_all, 3);
  const std::vector<std::int64_t> one = {0};
  EXPECT_EQ(weigh_rows(items.view(), weights, one).values,
            weigh_rows(items.view(), weights).values);
}

TEST(WeighedRows, OfASliceAreThoseOfTheWhole) {
  const Sparse items = random_counts(30, 15, 0.3, 1);
  const std::vector<float> weights = rising_weights(15);
  const std::vector<std::int64_t> blocks = {0, 7};
  const Sparse whole = weigh_rows(items.view(), weights, blocks);
  const Sparse part = weigh_rows(test::some_rows(items, 12, 9), weights, blocks);
  EXPECT_EQ(part.rows(), 9);
  EXPECT_EQ(to_dense(part.view()), to_dense(whole.view()).middleRows(12, 9));
  EXPECT_EQ(part.nonzeros(), part.starts.back()) << "only its own rows are held";
}

TEST(WeighedRows, NeedAWeightForEachFeature) {
  const Sparse items = random_counts(5, 15, 0.3, 1);
  EXPECT_EQ(test::message_of([&] { weigh_rows(items.view(), rising_weights(14)); }),
            "there are 14 weights for 15 features");
}

}  // namespace feature_weights_test
}  // namespace commonplace

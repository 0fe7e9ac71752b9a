#include "commonplace/suggest/core/tag_prototypes.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/math/sparse_ops.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_suggester.h"
#include "tests/support/planted_tags.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace tag_prototypes_test {

using namespace suggest;

using test::planted_tags;
using test::PlantedTags;
using test::to_dense;

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

PlantedTags unit_items(std::int64_t items, std::int64_t topics) {
  PlantedTags data = planted_tags(items, topics);
  normalise_rows(data.words);
  return data;
}

TagPrototypeOptions options_for(std::int64_t count) {
  TagPrototypeOptions options;
  options.count = count;
  return options;
}

MatrixD prototypes_of(const Sparse& items, const Sparse& tags, const TagPrototypeOptions& options,
                      int jobs = 1) {
  return to_dense(tag_prototypes(items, tags.view(), options, {.jobs = jobs}).sparse.view());
}

Sparse without_tags(std::int64_t items) {
  Sparse tags;
  tags.columns = 3;
  for (std::int64_t item = 0; item < items; ++item) tags.end_row();
  return tags;
}

TEST(TagPrototypes, BeginWithTheMeansOfTheCommonestTags) {
  const PlantedTags data = unit_items(90, 4);
  const MatrixD tags = to_dense(data.tags.view());
  std::vector<Eigen::Index> order(8);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return tags.col(a).sum() > tags.col(b).sum();
  });
  const MatrixD means =
      test::naive_directions(to_dense(data.words.view()), tags.transpose())(order, Eigen::all);
  for (const std::int64_t count : {1, 3, 8})
    EXPECT_LT(worst(prototypes_of(data.words, data.tags, options_for(count)), means.topRows(count)),
              1e-6);
  const MatrixD more = prototypes_of(data.words, data.tags, options_for(12));
  ASSERT_EQ(more.rows(), 12);
  EXPECT_LT(worst(more.topRows(8), means), 1e-6) << "what is beyond are centres";
}

TEST(TagPrototypes, RejectedTagsDoNotCount) {
  const PlantedTags data = unit_items(90, 4);
  Sparse tags = data.tags;
  for (float& value : tags.values) value = -value;
  EXPECT_EQ(prototypes_of(data.words, tags, options_for(6)),
            prototypes_of(data.words, without_tags(90), options_for(6)));
}

TEST(TagPrototypes, AreNoMoreThanTheItems) {
  const PlantedTags data = unit_items(12, 3);
  const MatrixD found = prototypes_of(data.words, data.tags, options_for(500));
  EXPECT_EQ(found.rows(), 12);
  for (Eigen::Index row = 0; row < found.rows(); ++row)
    EXPECT_NEAR(found.row(row).norm(), 1, 1e-5) << row;
}

/// The mean cosine of the items with their nearest centres.
double nearness(const Sparse& items, const MatrixD& centres) {
  return (to_dense(items.view()) * centres.transpose()).rowwise().maxCoeff().mean();
}

TEST(TagPrototypes, CentresComeNearerToTheItems) {
  const PlantedTags data = unit_items(200, 5);
  TagPrototypeOptions options = options_for(10);
  options.iterations = 0;
  double before = nearness(data.words, prototypes_of(data.words, without_tags(200), options));
  const double first = before;
  for (options.iterations = 1; options.iterations < 9; ++options.iterations) {
    const double after =
        nearness(data.words, prototypes_of(data.words, without_tags(200), options));
    EXPECT_GE(after, before - 1e-6) << "after round " << options.iterations;
    before = after;
  }
  EXPECT_GT(before, first + 0.05);
}

TEST(TagPrototypes, CentresFindPlantedTopics) {
  const PlantedTags data = unit_items(300, 5);
  const MatrixD centres = prototypes_of(data.words, without_tags(300), options_for(15));
  const MatrixD products = to_dense(data.words.view()) * centres.transpose();
  // The topic of a centre is the one that most of its words belong to.
  std::vector<Eigen::Index> topics(15);
  for (std::size_t centre = 0; centre < topics.size(); ++centre) {
    VectorD sums(5);
    for (Eigen::Index topic = 0; topic < 5; ++topic)
      sums[topic] =
          centres.row(static_cast<Eigen::Index>(centre)).segment(10 * topic, 10).squaredNorm();
    sums.maxCoeff(&topics[centre]);
  }
  int right = 0;
  for (Eigen::Index item = 0; item < 300; ++item) {
    Eigen::Index nearest = 0;
    products.row(item).maxCoeff(&nearest);
    right += topics[static_cast<std::size_t>(nearest)] == item % 5 ? 1 : 0;
  }
  EXPECT_GT(right, 285);
}

TEST(TagPrototypes, DenseAndSparseItemsGiveTheSame) {
  const PlantedTags data = unit_items(60, 3);
  const Matrix dense = to_dense(data.words.view()).cast<float>();
  const StoredRows found = tag_prototypes(dense, data.tags.view(), options_for(10), {.jobs = 1});
  ASSERT_FALSE(found.is_sparse);
  EXPECT_LT(
      worst(found.dense.cast<double>(), prototypes_of(data.words, data.tags, options_for(10))),
      1e-5);
}

TEST(TagPrototypes, AreTheSameOnAnyNumberOfRanks) {
  const PlantedTags data = unit_items(83, 4);
  const TagPrototypeOptions options = options_for(14);
  const MatrixD alone = prototypes_of(data.words, data.tags, options);
  for (const int ranks : {1, 2, 3, 4}) {
    const auto all = test::on_ranks<MatrixD>(ranks, 83, [&](Comm& comm, RowRange range) {
      const Sparse mine = test::rows_between(data.words.view(), range);
      const Sparse tags = test::rows_between(data.tags.view(), range);
      return to_dense(tag_prototypes(mine, tags.view(), options, {comm, 1}).sparse.view());
    });
    for (const MatrixD& each : all) EXPECT_EQ(each, all[0]);
    EXPECT_LT(worst(all[0], alone), 1e-5) << ranks;
  }
}

TEST(TagPrototypes, ARankMayHaveNoItems) {
  const PlantedTags data = unit_items(3, 3);
  const auto all = test::on_ranks<MatrixD>(4, 3, [&](Comm& comm, RowRange range) {
    const Sparse mine = test::rows_between(data.words.view(), range);
    const Sparse tags = test::rows_between(data.tags.view(), range);
    return to_dense(tag_prototypes(mine, tags.view(), options_for(3), {comm, 1}).sparse.view());
  });
  for (const MatrixD& each : all)
    EXPECT_LT(worst(each, prototypes_of(data.words, data.tags, options_for(3))), 1e-6);
}

TEST(TagPrototypes, MeansDoNotDependOnTheOrderOfTheItems) {
  const PlantedTags data = unit_items(90, 4);
  const auto order = test::random_order(90, 5);
  const Sparse words = test::rows_in_order(data.words.view(), order);
  const Sparse tags = test::rows_in_order(data.tags.view(), order);
  EXPECT_LT(worst(prototypes_of(words, tags, options_for(8)),
                  prototypes_of(data.words, data.tags, options_for(8))),
            1e-6);
}

TEST(TagPrototypes, DependOnTheSeedAndNotOnJobs) {
  const PlantedTags data = unit_items(80, 4);
  TagPrototypeOptions options = options_for(20);
  const MatrixD once = prototypes_of(data.words, data.tags, options);
  for (const int jobs : {2, 3})
    EXPECT_EQ(prototypes_of(data.words, data.tags, options, jobs), once);
  options.seed = 2;
  EXPECT_NE(prototypes_of(data.words, data.tags, options), once);
}

TEST(TagPrototypes, KeepSoManyFeatures) {
  const PlantedTags data = unit_items(90, 4);
  TagPrototypeOptions options = options_for(12);
  options.most_features = 4;
  const MatrixD found = prototypes_of(data.words, data.tags, options);
  for (Eigen::Index row = 0; row < found.rows(); ++row) {
    EXPECT_LE((found.row(row).array() != 0).count(), 4);
    EXPECT_NEAR(found.row(row).norm(), 1, 1e-6);
  }
}

TEST(TagPrototypes, RefuseWhatTheyCannotUse) {
  const PlantedTags data = unit_items(20, 2);
  const auto refusal = [&](const Sparse& items, const Sparse& tags,
                           const TagPrototypeOptions& options) {
    return test::message_of([&] { prototypes_of(items, tags, options); });
  };
  EXPECT_EQ(refusal(data.words, data.tags, options_for(0)),
            "there must be 1 prototype or more, not 0");
  TagPrototypeOptions options = options_for(5);
  options.most_features = 0;
  EXPECT_EQ(refusal(data.words, data.tags, options),
            "a prototype must keep 1 feature or more, not 0");
  EXPECT_EQ(refusal(data.words, planted_tags(19, 2).tags, options_for(5)),
            "tags of 19 items do not fit 20 rows of features");
  Sparse none;
  none.columns = 5;
  EXPECT_EQ(refusal(none, without_tags(0), options_for(5)),
            "there are no items to make prototypes of");
}

TEST(TagPrototypes, StopOnRequest) {
  const PlantedTags data = unit_items(20, 2);
  SelfComm comm;
  EXPECT_THROW(tag_prototypes(data.words, data.tags.view(), options_for(10),
                              {comm, 1, [](const ProgressStep&) { throw Cancelled(); }}),
               Cancelled);
}

}  // namespace tag_prototypes_test
}  // namespace commonplace

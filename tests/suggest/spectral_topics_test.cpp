#include "commonplace/suggest/rivals/spectral_topics.h"

#include <cmath>

#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/planted_tags.h"

namespace commonplace {
namespace spectral_topics_test {

using namespace suggest;

using test::planted_tags;
using test::random_counts;
using test::to_dense;

TEST(LeadingVectors, SpanThoseOfTheDecomposition) {
  const auto data = planted_tags(120, 5);
  const MatrixD dense = to_dense(data.words.view());
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(dense, Eigen::ComputeThinU);
  const MatrixD found = leading_vectors(data.words.view(), 5, 1, 1);
  ASSERT_EQ(found.cols(), 5);
  EXPECT_LT((found.transpose() * found - MatrixD::Identity(5, 5)).norm(), 1e-9);
  for (Eigen::Index k = 0; k < 5; ++k) {
    const double value = (dense.transpose() * found.col(k)).norm();
    EXPECT_NEAR(value, svd.singularValues()(k), 1e-3 * svd.singularValues()(k)) << k;
  }
  EXPECT_GT((svd.matrixU().leftCols(5).transpose() * found).norm(), std::sqrt(5.0) - 1e-3);
  EXPECT_EQ(found, leading_vectors(data.words.view(), 5, 1, 3));
}

TEST(LeadingVectors, AreNoMoreThanTheRank) {
  const Sparse one = test::sparse_of(4, {{{0, 1}, {1, 2}}, {{0, 2}, {1, 4}}, {}});
  EXPECT_EQ(leading_vectors(one.view(), 3, 1).cols(), 1);
  EXPECT_EQ(leading_vectors(random_counts(7, 20, 0.5, 1).view(), 50, 1).cols(), 6)
      << "one of the seven rows is empty";
  EXPECT_THROW(leading_vectors(one.view(), 0, 1), Error);
}

Matrix three_heaps() {
  Rng rng(3);
  Matrix rows(90, 2);
  for (Eigen::Index row = 0; row < 90; ++row) {
    rows(row, 0) = static_cast<float>(static_cast<double>(row % 3 * 10) + rng.uniform());
    rows(row, 1) = static_cast<float>(rng.uniform());
  }
  return rows;
}

TEST(ClusterRows, FindsHeaps) {
  const Matrix rows = three_heaps();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const std::vector<std::int32_t> cluster = cluster_rows(rows, 3, seed, 1);
    for (std::size_t row = 0; row < 90; ++row)
      ASSERT_EQ(cluster[row], static_cast<std::int32_t>(row % 3)) << seed;
    EXPECT_EQ(cluster, cluster_rows(rows, 3, seed, 4));
  }
}

TEST(ClusterRows, MakesNoMoreClustersThanThereAreDifferentRows) {
  Matrix rows(6, 1);
  rows << 1, 2, 1, 2, 1, 1;
  EXPECT_EQ(cluster_rows(rows, 5, 1), (std::vector<std::int32_t>{0, 1, 0, 1, 0, 0}));
  EXPECT_EQ(cluster_rows(rows, 1, 1), (std::vector<std::int32_t>(6, 0)));
  EXPECT_TRUE(cluster_rows(Matrix(0, 2), 5, 1).empty());
  EXPECT_THROW(cluster_rows(rows, 0, 1), Error);
}

TEST(SpectralTopics, ArePlantedOnes) {
  const auto data = planted_tags(240, 4);
  const SpectralTopics found = spectral_topics(data.words.view(), data.tags.view(), 4, 0.5, 1, 1);
  EXPECT_EQ(found.count, 4);
  int wrong = 0;
  for (std::size_t item = 0; item < 240; ++item)
    if (found.topic[item] != data.topic[item]) ++wrong;
  EXPECT_LE(wrong, 3) << "numbered by their first items, so the numbers agree";
}

TEST(SpectralTopics, ItemsWithNothingHaveATopicToo) {
  auto data = planted_tags(30, 2);
  data.words.end_row();
  data.tags.end_row();
  const SpectralTopics found = spectral_topics(data.words.view(), data.tags.view(), 3, 0.5, 1);
  ASSERT_EQ(found.topic.size(), 31u);
  EXPECT_LT(found.topic[30], found.count);
  EXPECT_THROW(spectral_topics(data.words.view(), planted_tags(30, 2).tags.view(), 3, 0.5, 1),
               Error);
}

}  // namespace spectral_topics_test
}  // namespace commonplace

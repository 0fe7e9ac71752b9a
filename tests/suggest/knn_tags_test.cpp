#include "commonplace/suggest/rivals/knn_tags.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/planted_tags.h"

namespace commonplace {
namespace knn_tags_test {

using namespace suggest;

using test::planted_tags;
using test::random_counts;
using test::some_rows;
using test::sparse_of;
using test::to_dense;

MatrixD of_length_one(MatrixD rows) {
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    if (const double length = rows.row(row).norm(); length > 0) rows.row(row) /= length;
  return rows;
}

/// The vote of the neighbours from all cosines.
MatrixD naive_score(const MatrixD& items, const MatrixD& tags, const MatrixD& rows,
                    std::int64_t neighbours) {
  const MatrixD cosines =
      test::naive_nearest_rows(of_length_one(rows), of_length_one(items), neighbours);
  MatrixD result = MatrixD::Zero(rows.rows(), tags.cols());
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    if (const double total = cosines.row(row).sum(); total > 0)
      result.row(row) = cosines.row(row) * (tags.array() > 0).cast<double>().matrix() / total;
  return result;
}

TEST(KnnTags, AreTheVoteOfTheGreatestCosines) {
  const Sparse items = random_counts(70, 18, 0.3, 1);
  const Sparse tags = random_counts(70, 11, 0.2, 2);
  const Sparse rows = random_counts(23, 18, 0.3, 3);
  for (const std::int64_t neighbours : {1, 5, 1000}) {
    const KnnTags model = fit_knn_tags(items.view(), tags.view(), {neighbours});
    const Matrix found = score(model, rows.view());
    const MatrixD expected = naive_score(to_dense(items.view()), to_dense(tags.view()),
                                         to_dense(rows.view()), neighbours);
    EXPECT_LT((found.cast<double>() - expected).cwiseAbs().maxCoeff(), 1e-5) << neighbours;
    EXPECT_EQ(score(model, rows.view(), 1), score(model, rows.view(), 3));
  }
}

TEST(KnnTags, FindPlantedTags) {
  const auto learned = planted_tags(200, 4, 1);
  const auto asked = planted_tags(80, 4, 2);
  const KnnTags model = fit_knn_tags(learned.words.view(), learned.tags.view());
  EXPECT_GT(test::share_right(score(model, asked.words.view()), asked), 0.95);
}

TEST(KnnTags, TakePartsOfMatrices) {
  const auto data = planted_tags(60, 3);
  const Matrix all = score(fit_knn_tags(data.words.view(), data.tags.view()), data.words.view());
  const KnnTags model = fit_knn_tags(some_rows(data.words, 20, 40), some_rows(data.tags, 20, 40));
  EXPECT_EQ(model.items.rows(), 40);
  const Matrix some = score(model, some_rows(data.words, 50, 10));
  EXPECT_EQ(score(model, data.words.view()).bottomRows(10), some);
  EXPECT_NE(all.bottomRows(10), some);
}

TEST(KnnTags, NobodyVotesForAnItemWithoutFeatures) {
  const Sparse items = sparse_of(2, {{{0, 1}}, {}});
  const KnnTags model = fit_knn_tags(items.view(), sparse_of(1, {{{0, 1}}, {{0, 1}}}).view());
  const Matrix found = score(model, sparse_of(2, {{}, {{1, 1}}, {{0, 3}}}).view());
  EXPECT_EQ(found(0, 0), 0);
  EXPECT_EQ(found(1, 0), 0);
  EXPECT_EQ(found(2, 0), 1);
}

TEST(KnnTags, BadInputIsRefused) {
  const Sparse items = sparse_of(2, {{{0, 1}}});
  const Sparse tags = sparse_of(1, {{{0, 1}}});
  EXPECT_THROW(fit_knn_tags(items.view(), tags.view(), {0}), Error);
  const KnnTags model = fit_knn_tags(items.view(), tags.view());
  EXPECT_THROW(score(model, sparse_of(3, {{}}).view()), Error);
}

}  // namespace knn_tags_test
}  // namespace commonplace

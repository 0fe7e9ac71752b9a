#include "commonplace/suggest/core/knn_votes.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"
#include "tests/support/naive_suggester.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace knn_votes_test {

using namespace suggest;

using test::to_dense;
using test::to_sparse;

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

/// Rows of length one, with numbers of either sign.
MatrixD unit_rows(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  MatrixD result = test::random_features(rows, columns, 0.4, seed);
  for (Eigen::Index row = 0; row < rows; ++row)
    if (result.row(row).norm() > 0) result.row(row).normalize();
  return result.cast<float>().cast<double>();
}

TEST(KnnVotes, OfDenseAndSparseRowsAgreeWithTheDefinition) {
  const MatrixD items = unit_rows(300, 12, 1);
  const MatrixD known = unit_rows(80, 12, 2);
  const Matrix dense_items = items.cast<float>();
  const Matrix dense_known = known.cast<float>();
  const Sparse sparse_items = to_sparse(items);
  const Sparse sparse_known = to_sparse(known);
  std::vector<std::int64_t> skip;
  for (std::int64_t item = 0; item < 300; ++item) skip.push_back(item % 3 == 0 ? -1 : item % 80);
  for (const std::int64_t count : {1, 7, 200})
    for (const std::vector<std::int64_t>& left_out : {std::vector<std::int64_t>(), skip}) {
      const MatrixD expected = test::naive_knn_votes(items, known, count, left_out);
      EXPECT_LT(
          worst(to_dense(knn_votes(dense_items, dense_known, count, left_out).view()), expected),
          1e-5);
      EXPECT_LT(
          worst(to_dense(knn_votes(sparse_items, sparse_known, count, left_out).view()), expected),
          1e-5);
    }
}

TEST(KnnVotes, SumToOneOrAreNone) {
  // The third item has nothing in common with any, the fourth only the opposite.
  const MatrixD known = (MatrixD(3, 3) << 1, 0, 0, 0.6, 0.8, 0, 0, 1, 0).finished();
  const MatrixD items = (MatrixD(4, 3) << 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0).finished();
  const Matrix dense_items = items.cast<float>();
  const Matrix dense_known = known.cast<float>();
  const Sparse sparse_items = to_sparse(items);
  const Sparse sparse_known = to_sparse(known);
  const MatrixD expected =
      (MatrixD(4, 3) << 1 / 1.36, 0.36 / 1.36, 0, 0, 0.64 / 1.64, 1 / 1.64, 0, 0, 0, 0, 0, 0)
          .finished();
  for (const Sparse& votes :
       {knn_votes(dense_items, dense_known, 5), knn_votes(sparse_items, sparse_known, 5)}) {
    EXPECT_EQ(votes.starts, (std::vector<std::int64_t>{0, 2, 4, 4, 4}));
    EXPECT_LT(worst(to_dense(votes.view()), expected), 1e-6);
  }
}

TEST(KnnVotes, OfEquallyNearTheFirst) {
  const Matrix known = Matrix::Ones(4, 1);
  const Matrix item = Matrix::Ones(1, 1);
  const MatrixD expected = (MatrixD(1, 4) << 0.5, 0.5, 0, 0).finished();
  EXPECT_EQ(to_dense(knn_votes(item, known, 2).view()), expected);
  const Sparse sparse_known = to_sparse(MatrixD::Ones(4, 1));
  const Sparse sparse_item = to_sparse(MatrixD::Ones(1, 1));
  EXPECT_EQ(to_dense(knn_votes(sparse_item, sparse_known, 2).view()), expected);
}

TEST(KnnVotes, BarelyAlikeIsStillAShare) {
  const Matrix known = (Matrix(2, 2) << 1e-25F, 1, 1e-25F, 1).finished();
  const Matrix item = (Matrix(1, 2) << 1, 0).finished();
  EXPECT_EQ(to_dense(knn_votes(item, known, 2).view()), MatrixD::Constant(1, 2, 0.5));
}

TEST(KnnVotes, DependNeitherOnJobsNorOnTheOrder) {
  const MatrixD items = unit_rows(50, 12, 1);
  const MatrixD known = unit_rows(80, 12, 2);
  for (const bool is_sparse : {false, true}) {
    const auto votes = [&](const MatrixD& a, const MatrixD& b, int jobs) {
      const Sparse sparse_a = to_sparse(a);
      const Sparse sparse_b = to_sparse(b);
      const Matrix dense_a = a.cast<float>();
      const Matrix dense_b = b.cast<float>();
      const Sparse found = is_sparse ? knn_votes(sparse_a, sparse_b, 6, {}, jobs)
                                     : knn_votes(dense_a, dense_b, 6, {}, jobs);
      return to_dense(found.view());
    };
    const MatrixD once = votes(items, known, 1);
    for (const int jobs : {2, 3}) EXPECT_EQ(votes(items, known, jobs), once);
    const auto of_items = test::random_order(50, 3);
    const auto of_known = test::random_order(80, 4);
    const MatrixD shuffled = votes(items(of_items, Eigen::all), known(of_known, Eigen::all), 1);
    EXPECT_LT(worst(shuffled, once(of_items, of_known)), 1e-6);
  }
}

TEST(KnnVotes, RefuseWhatDoesNotFit) {
  const Matrix dense = Matrix::Ones(3, 4);
  const Matrix wide = Matrix::Ones(3, 5);
  const Sparse sparse = to_sparse(MatrixD::Ones(3, 4));
  const std::vector<std::int64_t> skip = {0, 1};
  const auto refusal = [](const FeatureRows& items, const FeatureRows& known, std::int64_t count,
                          std::span<const std::int64_t> left_out = {}) {
    return test::message_of([&] { knn_votes(items, known, count, left_out); });
  };
  EXPECT_EQ(refusal(dense, wide, 2), "items of 4 features do not fit known ones of 5");
  EXPECT_EQ(refusal(dense, dense, 0), "there must be 1 neighbour or more, not 0");
  EXPECT_FALSE(refusal(sparse, dense, 2).empty());
  EXPECT_FALSE(refusal(dense, sparse, 2).empty());
  for (const FeatureRows& rows : {FeatureRows(dense), FeatureRows(sparse)})
    EXPECT_EQ(refusal(rows, rows, 2, skip), "there are 2 known items to skip for 3 items");
}

}  // namespace knn_votes_test
}  // namespace commonplace

#include "commonplace/learn/knn.h"

#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/naive_gp.h"
#include "tests/support/naive_graphs.h"
#include "tests/support/naive_suggester.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace knn_test {

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
          worst(to_dense(knn_votes(dense_items, dense_known, {count}, left_out).view()), expected),
          1e-5);
      EXPECT_LT(worst(to_dense(knn_votes(sparse_items, sparse_known, {count}, left_out).view()),
                      expected),
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
       {knn_votes(dense_items, dense_known, {5}), knn_votes(sparse_items, sparse_known, {5})}) {
    EXPECT_EQ(votes.starts, (std::vector<std::int64_t>{0, 2, 4, 4, 4}));
    EXPECT_LT(worst(to_dense(votes.view()), expected), 1e-6);
  }
}

TEST(KnnVotes, OfEquallyNearTheFirst) {
  const Matrix known = Matrix::Ones(4, 1);
  const Matrix item = Matrix::Ones(1, 1);
  const MatrixD expected = (MatrixD(1, 4) << 0.5, 0.5, 0, 0).finished();
  EXPECT_EQ(to_dense(knn_votes(item, known, {2}).view()), expected);
  const Sparse sparse_known = to_sparse(MatrixD::Ones(4, 1));
  const Sparse sparse_item = to_sparse(MatrixD::Ones(1, 1));
  EXPECT_EQ(to_dense(knn_votes(sparse_item, sparse_known, {2}).view()), expected);
}

TEST(KnnVotes, BarelyAlikeIsStillAShare) {
  const Matrix known = (Matrix(2, 2) << 1e-25F, 1, 1e-25F, 1).finished();
  const Matrix item = (Matrix(1, 2) << 1, 0).finished();
  EXPECT_EQ(to_dense(knn_votes(item, known, {2}).view()), MatrixD::Constant(1, 2, 0.5));
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
      const Sparse found = is_sparse ? knn_votes(sparse_a, sparse_b, {6}, {}, jobs)
                                     : knn_votes(dense_a, dense_b, {6}, {}, jobs);
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

TEST(KnnVotes, ArePowersOfTheCosineBesideAVoteOfNobody) {
  const Matrix known = (Matrix(2, 2) << 1, 0, 0.6F, 0.8F).finished();
  const Matrix item = (Matrix(1, 2) << 1, 0).finished();
  const auto votes = [&](int power, double nobody) {
    return to_dense(knn_votes(item, known, {.power = power, .nobody = nobody}).view());
  };
  EXPECT_LT(worst(votes(1, 0), (MatrixD(1, 2) << 1 / 1.6, 0.6 / 1.6).finished()), 1e-6);
  EXPECT_LT(worst(votes(3, 0), (MatrixD(1, 2) << 1 / 1.216, 0.216 / 1.216).finished()), 1e-6);
  EXPECT_LT(worst(votes(2, 0.64), (MatrixD(1, 2) << 0.5, 0.18).finished()), 1e-6);
  const Matrix cosines = (Matrix(1, 2) << 1, 0.6F).finished();
  EXPECT_LT(worst(to_dense(knn_votes_of(cosines, {.power = 3}).view()), votes(3, 0)), 1e-6);
}

TEST(KnnVotes, SumWhatTheNearestHave) {
  const MatrixD items = unit_rows(20, 6, 1);
  const MatrixD known = unit_rows(30, 6, 2);
  const Sparse targets = test::random_targets(30, 5, 0.3, 3);
  const Matrix dense_items = items.cast<float>();
  const Matrix dense_known = known.cast<float>();
  EXPECT_LT(
      worst(sum_votes(knn_votes(dense_items, dense_known, {4}), targets.view()).cast<double>(),
            test::naive_knn_votes(items, known, 4, {}) * to_dense(targets.view())),
      1e-5);
  const MatrixD ones = to_dense(ones_above_zero(targets.view()).view());
  EXPECT_EQ(ones, (to_dense(targets.view()).array() > 0).cast<double>().matrix());
}

TEST(KnnVotes, RefuseWhatDoesNotFit) {
  const Matrix dense = Matrix::Ones(3, 4);
  const Matrix wide = Matrix::Ones(3, 5);
  const Sparse sparse = to_sparse(MatrixD::Ones(3, 4));
  const std::vector<std::int64_t> skip = {0, 1};
  const auto refusal = [](const FeatureRows& items, const FeatureRows& known, std::int64_t count,
                          std::span<const std::int64_t> left_out = {}) {
    return test::message_of([&] { knn_votes(items, known, {count}, left_out); });
  };
  EXPECT_EQ(refusal(dense, wide, 2), "items of 4 features do not fit known ones of 5");
  EXPECT_EQ(refusal(dense, dense, 0), "neighbours is 0; expected 1 or more");
  EXPECT_FALSE(refusal(sparse, dense, 2).empty());
  EXPECT_FALSE(refusal(dense, sparse, 2).empty());
  for (const FeatureRows& rows : {FeatureRows(dense), FeatureRows(sparse)})
    EXPECT_EQ(refusal(rows, rows, 2, skip), "there are 2 known items to skip for 3 items");
}

using test::normal_matrix;

MatrixD random_labels(Eigen::Index rows, Eigen::Index concepts, double unlabelled) {
  MatrixD result(rows, concepts);
  Rng rng(3);
  for (double& label : result.reshaped())
    label = rng.uniform() < unlabelled ? 0 : rng.uniform() < 0.4 ? 1 : -1;
  return result;
}

KnnOptions voters(std::int64_t neighbours) { return {.neighbours = neighbours, .power = 1}; }

TEST(KnnLabels, AreThoseOfASort) {
  Matrix rows = normal_matrix(40, 5, 1).cast<float>();
  rows.row(7).setZero();
  const Matrix known = normal_matrix(25, 5, 2).cast<float>();
  for (const double unlabelled : {0.0, 0.4}) {
    const MatrixD labels = random_labels(25, 3, unlabelled);
    for (const std::int64_t neighbours : {1, 4, 100}) {
      const Matrix found = knn_labels(rows, known, labels, voters(neighbours));
      const MatrixD expected =
          test::naive_knn_labels(rows.cast<double>(), known.cast<double>(), labels, neighbours);
      EXPECT_LT((found.cast<double>() - expected).cwiseAbs().maxCoeff(), 1e-5)
          << unlabelled << ' ' << neighbours;
      EXPECT_EQ(found.row(7), Matrix::Zero(1, 3));
    }
  }
}

TEST(KnnLabels, OfOneNeighbourAreItsLabels) {
  const Matrix known = normal_matrix(20, 4, 2).cast<float>();
  const MatrixD labels = random_labels(20, 3, 0);
  EXPECT_EQ(knn_labels(3 * known, known, labels, voters(1)).cast<double>(), labels);
}

TEST(KnnLabels, DoNotDependOnJobsNorOnTheOrder) {
  const Matrix rows = normal_matrix(50, 6, 1).cast<float>();
  const Matrix known = normal_matrix(30, 6, 2).cast<float>();
  const MatrixD labels = random_labels(30, 4, 0.2);
  const Matrix once = knn_labels(rows, known, labels, voters(5), 1);
  EXPECT_EQ(once, knn_labels(rows, known, labels, voters(5), 3));
  const auto order = test::random_order(50, 1);
  EXPECT_EQ(test::dense_in_order(once, order),
            knn_labels(test::dense_in_order(rows, order), known, labels, voters(5)));
  const auto other = test::random_order(30, 2);
  EXPECT_LT((once - knn_labels(rows, test::dense_in_order(known, other),
                               MatrixD(labels(other, Eigen::all)), voters(5)))
                .cwiseAbs()
                .maxCoeff(),
            1e-6F);
}

TEST(KnnLabels, BadInputIsRefused) {
  const Matrix rows = normal_matrix(5, 3, 1).cast<float>();
  const MatrixD labels = random_labels(5, 2, 0);
  EXPECT_TRUE(test::message_of([&] {
                knn_labels(rows, rows, labels, voters(0));
              }).starts_with("neighbours is 0"));
  EXPECT_THROW(knn_labels(rows, rows, MatrixD(labels.topRows(4))), Error);
  EXPECT_THROW(knn_labels(rows, rows.leftCols(2), labels), Error);
  EXPECT_THROW(knn_labels(rows, Matrix(0, 3), MatrixD(0, 2)), Error);
  EXPECT_THROW(knn_labels(rows, rows, 2 * labels), Error);
  Matrix holed = rows;
  holed(1, 1) = std::numeric_limits<float>::infinity();
  EXPECT_THROW(knn_labels(holed, rows, labels), Error);
  EXPECT_THROW(knn_labels(rows, holed, labels), Error);
}

}  // namespace knn_test
}  // namespace commonplace

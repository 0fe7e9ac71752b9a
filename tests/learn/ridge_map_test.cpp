#include "commonplace/learn/ridge_map.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {
namespace ridge_map_test {

Matrix random_rows(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Matrix result(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      result(i, j) = static_cast<float>(
          random_uniform(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) - 0.5);
  return result;
}

Matrix without(const Matrix& rows, Eigen::Index left_out) {
  Matrix result(rows.rows() - 1, rows.cols());
  result << rows.topRows(left_out), rows.bottomRows(rows.rows() - left_out - 1);
  return result;
}

class RidgeMapTest : public testing::TestWithParam<Eigen::Index> {};

TEST_P(RidgeMapTest, FindsALinearMap) {
  const Matrix from = random_rows(GetParam(), 8, 1);
  const Matrix truth = random_rows(8, 3, 2);
  const Matrix to = from * truth;
  const RidgeMap map = ridge_map(from, to, 1e-6);
  const Eigen::RowVectorXf mean = to.colwise().mean();
  EXPECT_LT((map.apply(from) - Matrix(to.rowwise() - mean)).cwiseAbs().maxCoeff(), 1e-3);
}

TEST_P(RidgeMapTest, ThePathHasTheSameMaps) {
  const Matrix from = random_rows(GetParam(), 8, 3);
  const Matrix to = random_rows(GetParam(), 4, 4);
  const RidgePath path(from, to);
  for (const double penalty : {0.1, 1.0, 10.0}) {
    const RidgeMap one = path.map(penalty);
    const RidgeMap other = ridge_map(from, to, penalty);
    EXPECT_LT((one.weights - other.weights).cwiseAbs().maxCoeff(), 1e-4) << penalty;
    EXPECT_LT((one.from_mean - other.from_mean).cwiseAbs().maxCoeff(), 1e-6);
  }
}

TEST_P(RidgeMapTest, LeavingOneOutIsLearningWithoutIt) {
  const Matrix from = random_rows(GetParam(), 8, 5);
  const Matrix to = random_rows(GetParam(), 2, 6);
  const Eigen::RowVectorXf mean = to.colwise().mean();
  const Matrix left_out = RidgePath(from, to).left_out(0.5);
  for (Eigen::Index i = 0; i < 3; ++i) {
    const Matrix others = without(to, i);
    const RidgeMap map = ridge_map(without(from, i), others, 0.5);
    // About the mean of all, which the others' mean is a little beside.
    const Eigen::RowVectorXf expected = map.apply(from.row(i)) + others.colwise().mean() - mean;
    EXPECT_LT((left_out.row(i) - expected).cwiseAbs().maxCoeff(), 2e-3) << i;
  }
}

// More pairs than columns, and fewer.
INSTANTIATE_TEST_SUITE_P(Sizes, RidgeMapTest, testing::Values(40, 6));

TEST(RidgeMap, RefusesWhatDoesNotBelongTogether) {
  EXPECT_THROW(ridge_map(Matrix::Ones(3, 2), Matrix::Ones(2, 2), 1), Error);
  EXPECT_THROW(ridge_map(Matrix::Ones(3, 2), Matrix::Ones(3, 2), 0), Error);
  EXPECT_THROW(RidgePath(Matrix(0, 2), Matrix(0, 2)), Error);
  EXPECT_THROW(ridge_map(random_rows(9, 2, 1), random_rows(9, 2, 2), 1).apply(Matrix::Ones(1, 3)),
               Error);
}

}  // namespace ridge_map_test
}  // namespace commonplace

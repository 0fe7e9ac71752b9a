#include "commonplace/math/principal_axes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {
namespace principal_axes_test {

/// Rows whose spread falls from column to column, mixed by a rotation, away from the origin.
Matrix made_rows(std::int64_t rows, std::int64_t columns, std::int64_t rank) {
  auto draw = [](std::uint64_t seed, std::int64_t i, std::int64_t j) {
    return static_cast<float>(
        random_uniform(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) - 0.5);
  };
  Matrix left(rows, rank);
  Matrix right(rank, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < rank; ++j)
      left(i, j) = draw(1, i, j) * std::pow(0.8F, static_cast<float>(j));
  for (std::int64_t i = 0; i < rank; ++i)
    for (std::int64_t j = 0; j < columns; ++j) right(i, j) = draw(2, i, j);
  Matrix result = left * right;
  result.array() += 3;
  return result;
}

Eigen::MatrixXd centred(const Matrix& rows) {
  const Eigen::MatrixXd all = rows.cast<double>();
  return all.rowwise() - all.colwise().mean();
}

void expect_svd(const Matrix& rows, std::int64_t count) {
  const PrincipalAxes found = principal_axes(rows, {.count = count});
  EXPECT_TRUE(found.exact);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(centred(rows),
                                              Eigen::ComputeThinU | Eigen::ComputeThinV);
  ASSERT_EQ(found.axes.rows(), count);
  for (std::int64_t k = 0; k < count; ++k) {
    const double variance = std::pow(svd.singularValues()(k), 2) / static_cast<double>(rows.rows());
    EXPECT_NEAR(found.variance(k), variance, 1e-4 * found.variance(0));
    EXPECT_NEAR(std::abs(found.axes.row(k).cast<double>().dot(svd.matrixV().col(k))), 1, 1e-3);
  }
  EXPECT_LT((found.mean.cast<double>() - rows.cast<double>().colwise().mean()).norm(), 1e-4);
}

TEST(PrincipalAxesTest, AreThoseOfTheSvd) {
  expect_svd(made_rows(60, 12, 12), 5);
  expect_svd(made_rows(12, 60, 12), 5);
}

TEST(PrincipalAxesTest, AsManyAsTheRowsSpan) {
  EXPECT_EQ(principal_axes(made_rows(5, 40, 5), {.count = 30}).axes.rows(), 4);
  EXPECT_EQ(principal_axes(made_rows(100, 40, 3), {.count = 30}).axes.rows(), 3);
  EXPECT_EQ(principal_axes(Matrix::Ones(9, 4), {.count = 3}).axes.rows(), 0);
  EXPECT_EQ(principal_axes(made_rows(1, 4, 1), {.count = 3}).axes.rows(), 0);
}

/// The axes are eigenvectors of the covariance, checked without a solver: C v = variance v.
void expect_iterated(const Matrix& rows) {
  const PrincipalAxes found = principal_axes(rows, {.count = 12});
  EXPECT_FALSE(found.exact);
  ASSERT_EQ(found.axes.rows(), 12);
  const Eigen::MatrixXd x = centred(rows);
  for (std::int64_t k = 0; k < 12; ++k) {
    const Eigen::VectorXd axis = found.axes.row(k).transpose().cast<double>();
    const Eigen::VectorXd turned = x.transpose() * (x * axis) / 900;
    EXPECT_NEAR(axis.norm(), 1, 1e-5);
    EXPECT_LT((turned - found.variance(k) * axis).norm(), 1e-3 * found.variance(k)) << k;
    EXPECT_LE(found.variance(k), found.variance(std::max<std::int64_t>(0, k - 1)));
  }
  const Matrix gram = found.axes * found.axes.transpose();
  EXPECT_LT((gram - Matrix::Identity(12, 12)).norm(), 1e-4);
}

TEST(PrincipalAxesTest, IterationFindsTheSameAxes) {
  for (const std::int64_t rank : {40, 200}) {
    SCOPED_TRACE(rank);
    expect_iterated(made_rows(900, 850, rank));
  }
}

TEST(PrincipalAxesTest, ThreadsDoNotChangeTheResult) {
  for (const std::int64_t rows : {50, 900}) {
    const Matrix made = made_rows(rows, 800, 30);
    const PrincipalAxes one = principal_axes(made, {.count = 10, .jobs = 1});
    const PrincipalAxes four = principal_axes(made, {.count = 10, .jobs = 4});
    EXPECT_EQ(one.axes, four.axes);
    EXPECT_EQ(one.variance, four.variance);
    EXPECT_EQ(one.mean, four.mean);
  }
}

TEST(PrincipalAxesTest, ProjectionIsTheNaiveOneAndTheSameForARowAlone) {
  const Matrix rows = made_rows(300, 20, 20);
  const PrincipalAxes found = principal_axes(rows, {.count = 6});
  const Matrix made = project(rows, found.mean, found.axes, 3);
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    EXPECT_EQ(made.row(i), project(rows.row(i), found.mean, found.axes, 1).row(0));
    for (std::int64_t k = 0; k < 6; ++k) {
      double sum = 0;
      for (std::int64_t j = 0; j < 20; ++j)
        sum += (static_cast<double>(rows(i, j)) - found.mean(j)) * found.axes(k, j);
      EXPECT_NEAR(made(i, k), sum, 1e-4);
    }
  }
  EXPECT_THROW(project(Matrix(2, 19), found.mean, found.axes), Error);
}

TEST(PrincipalAxesTest, WrongInputIsRefused) {
  EXPECT_THROW(principal_axes(Matrix(0, 3), {}), Error);
  EXPECT_THROW(principal_axes(Matrix::Ones(3, 3), {.count = 0}), Error);
  Matrix rows = Matrix::Ones(3, 3);
  rows(1, 1) = std::numeric_limits<float>::infinity();
  EXPECT_THROW(principal_axes(rows, {}), Error);
}

}  // namespace principal_axes_test
}  // namespace commonplace

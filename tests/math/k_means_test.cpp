#include "commonplace/math/k_means.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/small_matrices.h"

namespace commonplace {
namespace k_means_test {

double distance(const Matrix& a, std::int64_t i, const Matrix& b, std::int64_t j) {
  double sum = 0;
  for (std::int64_t column = 0; column < a.cols(); ++column)
    sum += std::pow(static_cast<double>(a(i, column)) - static_cast<double>(b(j, column)), 2);
  return sum;
}

double spread(const Matrix& rows, const Matrix& centres) {
  double sum = 0;
  for (const float each : nearest_centres(rows, centres).squared_distance) sum += each;
  return sum;
}

TEST(NearestCentresTest, AreTheNaiveOnes) {
  const Matrix rows = uniform_rows(500, 7, 1);
  const Matrix centres = uniform_rows(20, 7, 2);
  const NearestCentres found = nearest_centres(rows, centres, 2);
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    std::int64_t best = 0;
    for (std::int64_t k = 1; k < centres.rows(); ++k)
      if (distance(rows, i, centres, k) < distance(rows, i, centres, best)) best = k;
    EXPECT_EQ(found.centre[static_cast<std::size_t>(i)], best);
    EXPECT_NEAR(found.squared_distance[static_cast<std::size_t>(i)],
                distance(rows, i, centres, best), 1e-5);
  }
}

TEST(NearestCentresTest, ARowAloneIsAsAmongOthers) {
  const Matrix rows = uniform_rows(300, 33, 1);
  const Matrix centres = uniform_rows(9, 33, 2);
  const NearestCentres together = nearest_centres(rows, centres, 4);
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    const NearestCentres alone = nearest_centres(rows.row(i), centres, 1);
    EXPECT_EQ(alone.centre[0], together.centre[static_cast<std::size_t>(i)]);
    EXPECT_EQ(alone.squared_distance[0], together.squared_distance[static_cast<std::size_t>(i)]);
  }
}

TEST(NearestCentresTest, OfEqualCentresTheFirst) {
  Matrix centres(3, 2);
  centres << 5, 5, 1, 1, 1, 1;
  EXPECT_EQ(nearest_centres(Matrix::Zero(1, 2), centres).centre[0], 1);
}

TEST(NearestCentresTest, WhatDoesNotFitIsRefused) {
  EXPECT_THROW(nearest_centres(Matrix(2, 3), Matrix(2, 4)), Error);
  EXPECT_THROW(nearest_centres(Matrix(2, 3), Matrix(0, 3)), Error);
  EXPECT_TRUE(nearest_centres(Matrix(0, 3), Matrix::Zero(2, 3)).centre.empty());
}

/// 600 rows around 6 corners far from each other.
Matrix planted() {
  Matrix rows = uniform_rows(600, 4, 3);
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    rows(i, 0) += 10.0F * static_cast<float>(i % 3);
    rows(i, 1) += 10.0F * static_cast<float>(i % 2);
  }
  return rows;
}

TEST(KMeansTest, FindsPlantedClusters) {
  const Matrix rows = planted();
  KMeansOptions options;
  options.clusters = 6;
  const Matrix centres = k_means(rows, options);
  const NearestCentres nearest = nearest_centres(rows, centres);
  for (std::size_t i = 0; i < 600; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      EXPECT_EQ(nearest.centre[i] == nearest.centre[j], i % 6 == j);
}

TEST(KMeansTest, ACentreIsTheMeanOfItsRowsAndMoreRoundsAreNoWorse) {
  const Matrix rows = uniform_rows(400, 5, 8);
  KMeansOptions options;
  options.clusters = 12;
  double before = std::numeric_limits<double>::max();
  for (const int rounds : {0, 1, 3, 10, 200}) {
    options.iterations = rounds;
    const double now = spread(rows, k_means(rows, options));
    EXPECT_LE(now, before + 1e-4);
    before = now;
  }
  const Matrix centres = k_means(rows, options);
  const NearestCentres nearest = nearest_centres(rows, centres);
  for (std::int64_t k = 0; k < 12; ++k) {
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(5);
    double count = 0;
    for (std::int64_t i = 0; i < rows.rows(); ++i)
      if (nearest.centre[static_cast<std::size_t>(i)] == k) {
        sum += rows.row(i).cast<double>();
        count += 1;
      }
    ASSERT_GT(count, 0);
    EXPECT_LT((sum / count - centres.row(k).cast<double>()).norm(), 1e-5);
  }
}

TEST(KMeansTest, ThreadsDoNotChangeTheResultAndSeedsDo) {
  const Matrix rows = uniform_rows(5000, 9, 4);
  KMeansOptions options;
  options.clusters = 17;
  options.jobs = 1;
  const Matrix one = k_means(rows, options);
  options.jobs = 4;
  EXPECT_EQ(one, k_means(rows, options));
  options.seed = 2;
  EXPECT_NE(one, k_means(rows, options));
}

TEST(KMeansTest, EveryCentreHasARowEvenAmongDuplicates) {
  Matrix rows = Matrix::Zero(50, 3);
  rows.row(7).setOnes();
  rows(8, 0) = 5;
  KMeansOptions options;
  options.clusters = 3;
  Matrix centres = k_means(rows, options);
  EXPECT_NEAR(spread(rows, centres), 0, 1e-6);
  options.clusters = 50;
  centres = k_means(rows, options);
  EXPECT_EQ(centres.rows(), 50);
  EXPECT_TRUE(centres.allFinite());
}

TEST(KMeansTest, WrongInputIsRefused) {
  KMeansOptions options;
  options.clusters = 5;
  EXPECT_THROW(k_means(Matrix::Zero(4, 2), options), Error);
  Matrix rows = Matrix::Zero(6, 2);
  rows(3, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(k_means(rows, options), Error);
  options.clusters = 0;
  EXPECT_THROW(k_means(Matrix::Zero(4, 2), options), Error);
}

}  // namespace k_means_test
}  // namespace commonplace

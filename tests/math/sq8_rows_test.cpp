#include "commonplace/math/sq8_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {
namespace sq8_rows_test {

Matrix random_rows(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Matrix result(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      result(i, j) = static_cast<float>(
          (random_uniform(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) -
           0.5) *
          std::exp(static_cast<double>(j % 7)));
  return result;
}

std::vector<double> random_weights(Eigen::Index columns, std::uint64_t seed) {
  std::vector<double> result;
  for (Eigen::Index j = 0; j < columns; ++j)
    result.push_back(random_uniform(seed, 1, static_cast<std::uint64_t>(j)) - 0.5);
  return result;
}

double exact(const Matrix& rows, Eigen::Index row, const std::vector<double>& weights) {
  double sum = 0;
  for (Eigen::Index j = 0; j < rows.cols(); ++j)
    sum += static_cast<double>(rows(row, j)) * weights[static_cast<std::size_t>(j)];
  return sum;
}

class Sq8RowsAtLevels : public testing::Test {
 protected:
  void TearDown() override { limit_scans(std::numeric_limits<int>::max()); }
};

TEST_F(Sq8RowsAtLevels, ScoresAreWithinTheBound) {
  for (const Eigen::Index columns : {1, 3, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 100, 500, 517})
    for (const std::uint64_t seed : {1, 2}) {
      const Matrix rows = random_rows(40, columns, seed);
      const Sq8Rows bytes = quantise(rows);
      const std::vector<double> weights = random_weights(columns, seed + 9);
      const double bound = scan_error(bytes.view(), weights);
      std::vector<float> first;
      for (const int level : levels_of_scans()) {
        limit_scans(level);
        const std::vector<float> scores = scan(bytes.view(), weights);
        ASSERT_EQ(scores.size(), 40u);
        if (first.empty()) first = scores;
        EXPECT_EQ(scores, first) << level << ' ' << columns;
        double greatest = 0;
        for (Eigen::Index i = 0; i < 40; ++i) {
          EXPECT_LE(std::abs(static_cast<double>(scores[static_cast<std::size_t>(i)]) -
                             exact(rows, i, weights)),
                    bound);
          greatest = std::max(greatest, std::abs(exact(rows, i, weights)));
        }
        EXPECT_LT(bound, 0.2 * greatest) << "the bound must be of use";
      }
    }
}

TEST_F(Sq8RowsAtLevels, SumsDoNotOverflow) {
  for (const Eigen::Index columns : {512, 20000}) {
    const Matrix rows = Matrix::Constant(3, columns, 5.0F);
    const Sq8Rows bytes = quantise(rows);
    const std::vector<double> weights(static_cast<std::size_t>(columns), -2.0);
    for (const int level : levels_of_scans()) {
      limit_scans(level);
      for (const float score : scan(bytes.view(), weights))
        EXPECT_NEAR(score, -10.0 * static_cast<double>(columns),
                    1e-2 * static_cast<double>(columns));
    }
  }
}

TEST(Sq8Rows, OneGreatWeightDoesNotDrownTheOthersUnnoticed) {
  const Matrix rows = random_rows(50, 20, 3);
  const Sq8Rows bytes = quantise(rows);
  std::vector<double> weights = random_weights(20, 4);
  weights[3] = 1e9;
  const double bound = scan_error(bytes.view(), weights);
  const std::vector<float> scores = scan(bytes.view(), weights);
  for (Eigen::Index i = 0; i < 50; ++i)
    EXPECT_LE(std::abs(static_cast<double>(scores[static_cast<std::size_t>(i)]) -
                       exact(rows, i, weights)),
              bound);
}

TEST(Sq8Rows, NothingComesOfNothing) {
  const Sq8Rows bytes = quantise(Matrix::Zero(3, 4));
  EXPECT_EQ(scan(bytes.view(), std::vector<double>(4, 1.0)), std::vector<float>(3, 0.0F));
  EXPECT_EQ(scan_error(bytes.view(), std::vector<double>(4, 1.0)), 0);
  const Sq8Rows some = quantise(random_rows(3, 4, 5));
  EXPECT_EQ(scan(some.view(), std::vector<double>(4, 0.0)), std::vector<float>(3, 0.0F));
  const Sq8Rows none = sq8_rows(std::vector<float>(4, 1.0F));
  EXPECT_TRUE(scan(none.view(), std::vector<double>(4, 1.0)).empty());
}

TEST(Sq8Rows, BlocksAreTheWhole) {
  const Matrix rows = random_rows(90, 30, 6);
  const Sq8Rows whole = quantise(rows, 1);
  std::vector<float> magnitudes;
  for (const Eigen::Index first : {0, 40, 70})
    add_magnitudes(rows.middleRows(first, first == 0 ? 40 : first == 40 ? 30 : 20), magnitudes);
  Sq8Rows pieces = sq8_rows(magnitudes);
  append(pieces, rows.topRows(40), 2);
  append(pieces, rows.bottomRows(50));
  EXPECT_EQ(pieces.bytes, whole.bytes);
  EXPECT_EQ(pieces.scales, whole.scales);
  EXPECT_EQ(pieces.worst, whole.worst);
  EXPECT_EQ(pieces.rows(), 90);
  const std::vector<double> weights = random_weights(30, 7);
  EXPECT_EQ(scan(pieces.view(), weights, 1), scan(whole.view(), weights, 3));
  // A row alone gets the same score.
  const Sq8RowsView one{1, 30, whole.view().bytes.subspan(30 * 17, 30), whole.scales, whole.worst};
  EXPECT_EQ(scan(one, weights)[0], scan(whole.view(), weights)[17]);
}

TEST(Sq8Rows, WhatDoesNotFitIsCutOffAndTold) {
  Sq8Rows bytes = sq8_rows(std::vector<float>{1, 1, 0});
  Matrix rows(2, 3);
  rows << 0.5F, -3.0F, 0.25F, 1.0F, 1.0F, 0.0F;
  append(bytes, rows);
  EXPECT_EQ(bytes.bytes[1], -127);
  EXPECT_NEAR(bytes.worst[1], 2, 1e-6);
  EXPECT_EQ(bytes.worst[2], 0.25F);
  const std::vector<double> weights = {1, -1, 2};
  const auto scores = scan(bytes.view(), weights);
  EXPECT_LE(std::abs(static_cast<double>(scores[0]) - 4.0), scan_error(bytes.view(), weights));
}

TEST(Sq8Rows, TheBestAreThoseOfASort) {
  std::vector<float> scores;
  for (std::uint64_t i = 0; i < 200000; ++i)
    scores.push_back(std::floor(1000 * static_cast<float>(random_uniform(8, i, 0))) / 1000);
  scores[77] = std::numeric_limits<float>::infinity();
  scores[78] = -std::numeric_limits<float>::infinity();
  std::vector<std::int64_t> expected(scores.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  for (const std::int64_t count : {0, 1, 2, 700, 150000, 200000, 300000})
    for (const int jobs : {1, 3}) {
      const auto found = best_scores(scores, count, jobs);
      ASSERT_EQ(std::ssize(found), std::min<std::int64_t>(count, 200000));
      EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin())) << count;
    }
  EXPECT_TRUE(best_scores({}, 5).empty());
  EXPECT_THROW(best_scores(scores, -1), Error);
}

TEST(Sq8Rows, BadInputIsRefused) {
  Matrix rows = random_rows(4, 3, 9);
  const Sq8Rows good = quantise(rows);
  EXPECT_THROW(scan(good.view(), std::vector<double>(2, 1.0)), Error);
  EXPECT_THROW(scan(good.view(), std::vector<double>{1, 2, std::nan("")}), Error);
  EXPECT_THROW(scan_error(good.view(), std::vector<double>(4, 1.0)), Error);
  Sq8RowsView cut = good.view();
  cut.bytes = cut.bytes.first(11);
  EXPECT_THROW(scan(cut, std::vector<double>(3, 1.0)), Error);
  Sq8Rows into = good;
  EXPECT_THROW(append(into, Matrix(rows.leftCols(2))), Error);
  rows(2, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(quantise(rows), Error);
  EXPECT_THROW(append(into, rows), Error);
  EXPECT_EQ(into.rows(), good.rows());
  EXPECT_THROW(sq8_rows(std::vector<float>{1, -1}), Error);
}

}  // namespace sq8_rows_test
}  // namespace commonplace

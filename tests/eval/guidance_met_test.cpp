#include "commonplace/eval/guidance_met.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {
namespace guidance_met_test {

constexpr double kAll[] = {0, 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.9, 1};

/// Coordinates on a grid of `steps`, so that many pairs are equally far.
Matrix points(Eigen::Index rows, Eigen::Index columns, int steps, std::uint64_t seed) {
  Matrix result(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      result(i, j) =
          static_cast<float>(std::floor(steps * random_uniform(seed, static_cast<std::uint64_t>(i),
                                                               static_cast<std::uint64_t>(j))) /
                             steps);
  return result;
}

/// Links of 1, -1 and stored zeros.
Sparse random_links(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Sparse result;
  result.columns = columns;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const double draw =
          random_uniform(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
      if (draw < 0.3)
        result.push(static_cast<std::int32_t>(j), draw < 0.1 ? 1.F : draw < 0.2 ? -1.F : 0.F);
    }
    result.end_row();
  }
  return result;
}

/// All pairs in a list, sorted; of those as far as the last one a part.
double naive_met(const Matrix& from, const Matrix& to, const Sparse& links, double share) {
  std::vector<std::pair<float, bool>> pairs;
  double linked = 0;
  for (Eigen::Index i = 0; i < from.rows(); ++i)
    for (Eigen::Index j = 0; j < to.rows(); ++j) {
      const double square = (from.row(i).cast<double>() - to.row(j).cast<double>()).squaredNorm();
      bool is_link = false;
      const auto columns = links.view().row_indices(i);
      for (std::size_t l = 0; l < columns.size(); ++l)
        if (columns[l] == j && links.view().row_values(i)[l] > 0) is_link = true;
      pairs.emplace_back(static_cast<float>(square), is_link);
      linked += is_link ? 1 : 0;
    }
  std::sort(pairs.begin(), pairs.end());
  double left = share * static_cast<double>(pairs.size());
  double met = 0;
  for (std::size_t begin = 0; begin < pairs.size() && left > 0;) {
    std::size_t end = begin;
    double here = 0;
    for (; end < pairs.size() && pairs[end].first == pairs[begin].first; ++end)
      here += pairs[end].second ? 1 : 0;
    met += here * std::min(1.0, left / static_cast<double>(end - begin));
    left -= static_cast<double>(end - begin);
    begin = end;
  }
  return met / linked;
}

TEST(GuidanceMet, AgreesWithASortedListOfAllPairs) {
  for (const int steps : {1, 2, 5, 1 << 20})
    for (const Eigen::Index columns : {1, 3, 12}) {
      const Matrix from = points(37, columns, steps, 1);
      const Matrix to = points(29, columns, steps, 2);
      const Sparse links = random_links(37, 29, 3);
      const std::vector<double> met = guidance_met(from, to, links.view(), kAll);
      ASSERT_EQ(met.size(), std::size(kAll));
      for (std::size_t i = 0; i < met.size(); ++i)
        EXPECT_NEAR(met[i], naive_met(from, to, links, kAll[i]), 1e-9)
            << steps << " " << columns << " " << kAll[i];
      EXPECT_EQ(met.front(), 0);
      EXPECT_NEAR(met.back(), 1, 1e-12);
      EXPECT_TRUE(std::is_sorted(met.begin(), met.end()));
    }
}

TEST(GuidanceMet, ASpaceThatKeepsItsLinksAndOneThatDoesNot) {
  Matrix rows(4, 1);
  rows << 0, 10, 20, 30;
  Sparse same;
  same.columns = 4;
  Sparse farthest;
  farthest.columns = 4;
  for (std::int32_t i = 0; i < 4; ++i) {
    same.push(i, 0.5F);
    same.end_row();
    if (i == 0) farthest.push(3, 1);
    if (i == 3) farthest.push(0, 1);
    farthest.end_row();
  }
  const double quarter[] = {0.25, 0.125};
  EXPECT_EQ(guidance_met(rows, rows, same.view(), quarter), (std::vector<double>{1, 0.5}));
  EXPECT_EQ(guidance_met(rows, rows, farthest.view(), quarter), (std::vector<double>{0, 0}));
}

/// In one place all pairs are equally far, and the expectation is the share itself.
TEST(GuidanceMet, TiesCountByTheirChance) {
  const Matrix rows = Matrix::Ones(20, 3);
  const Sparse links = random_links(20, 20, 4);
  const std::vector<double> met = guidance_met(rows, rows, links.view(), kAll);
  for (std::size_t i = 0; i < met.size(); ++i) EXPECT_NEAR(met[i], kAll[i], 1e-12);
}

TEST(GuidanceMet, TheResultDoesNotDependOnThreads) {
  const Matrix from = points(101, 5, 7, 5);
  const Matrix to = points(53, 5, 7, 6);
  const Sparse links = random_links(101, 53, 7);
  const auto one = guidance_met(from, to, links.view(), kAll, 1);
  EXPECT_EQ(guidance_met(from, to, links.view(), kAll, 2), one);
  EXPECT_EQ(guidance_met(from, to, links.view(), kAll, 5), one);
}

TEST(GuidanceMet, NothingToMeet) {
  const Matrix rows = points(5, 2, 9, 8);
  Sparse none;
  none.columns = 5;
  for (int i = 0; i < 5; ++i) none.end_row();
  EXPECT_EQ(guidance_met(rows, rows, none.view(), kAll), std::vector<double>(std::size(kAll), 0));
  EXPECT_TRUE(guidance_met(rows, rows, none.view(), {}).empty());
  Sparse nobody;
  const Matrix empty(0, 2);
  EXPECT_EQ(guidance_met(empty, empty, nobody.view(), kAll).size(), std::size(kAll));
}

TEST(GuidanceMet, RefusesWhatItCannotUse) {
  Matrix rows = points(5, 2, 9, 9);
  const Sparse links = random_links(5, 5, 10);
  const double shares[] = {0.5};
  EXPECT_THROW(guidance_met(rows, points(5, 3, 9, 9), links.view(), shares), Error);
  EXPECT_THROW(guidance_met(rows, points(6, 2, 9, 9), links.view(), shares), Error);
  for (const double share : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    const double bad[] = {share};
    EXPECT_THROW(guidance_met(rows, rows, links.view(), bad), Error);
  }
  rows(2, 1) = std::numeric_limits<float>::infinity();
  EXPECT_THROW(guidance_met(rows, rows, links.view(), shares), Error);
}

}  // namespace guidance_met_test
}  // namespace commonplace

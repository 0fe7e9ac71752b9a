#include "commonplace/math/neighbour_layout.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {
namespace neighbour_layout_test {

/// Groups of rows around directions of their own, each of length one.
Matrix groups(Eigen::Index count, Eigen::Index each, Eigen::Index columns) {
  Matrix rows(count * each, columns);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    for (Eigen::Index c = 0; c < columns; ++c)
      rows(i, c) = static_cast<float>(
          random_uniform(7, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(c)) - 0.5);
    rows(i, i / each) += 4;
    rows.row(i).normalize();
  }
  return rows;
}

TEST(NeighbourLayout, DrawsNeighboursTogether) {
  const Eigen::Index each = 40;
  const Matrix at = neighbour_layout(groups(5, each, 12));
  ASSERT_EQ(at.rows(), 200);
  EXPECT_GE(at.minCoeff(), 0);
  EXPECT_LE(at.maxCoeff(), 1);
  int right = 0;
  for (Eigen::Index i = 0; i < at.rows(); ++i) {
    Eigen::Index best = -1;
    for (Eigen::Index j = 0; j < at.rows(); ++j)
      if (j != i && (best < 0 || (at.row(i) - at.row(j)).squaredNorm() <
                                     (at.row(i) - at.row(best)).squaredNorm()))
        best = j;
    right += best / each == i / each ? 1 : 0;
  }
  EXPECT_GE(right, 195);
}

TEST(NeighbourLayout, IsTheSameEachTimeOnAnyNumberOfThreads) {
  const Matrix rows = groups(3, 20, 8);
  NeighbourLayoutOptions one;
  one.jobs = 1;
  NeighbourLayoutOptions three;
  three.jobs = 3;
  EXPECT_EQ(neighbour_layout(rows, one), neighbour_layout(rows, three));
}

TEST(NeighbourLayout, TakesFewAndEqualRows) {
  EXPECT_EQ(neighbour_layout(Matrix(0, 4)).rows(), 0);
  EXPECT_EQ(neighbour_layout(Matrix::Ones(1, 4)).rows(), 1);
  EXPECT_TRUE(neighbour_layout(Matrix::Constant(10, 4, 0.5F)).allFinite());
  EXPECT_TRUE(neighbour_layout(Matrix::Zero(10, 4)).allFinite());
}

TEST(NeighbourLayout, RefusesWhatIsNotFinite) {
  Matrix rows = groups(2, 4, 4);
  rows(1, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(neighbour_layout(rows), Error);
}

}  // namespace neighbour_layout_test
}  // namespace commonplace

#include "commonplace/relate/core/nystrom_choice.h"

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_gp.h"

namespace commonplace {
namespace nystrom_choice_test {

using namespace relate;

using Rows = std::vector<std::int64_t>;

TEST(NystromChoice, TheFirstOfEqualRows) {
  Matrix rows(7, 2);
  rows << 1, 2, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 3, 3;
  EXPECT_EQ(distinct_rows(rows, false), (Rows{0, 1, 3, 6}));
  EXPECT_EQ(distinct_rows(rows, true), (Rows{0, 3, 6}));
  const Matrix none(0, 2);
  EXPECT_TRUE(distinct_rows(none, false).empty());
}

TEST(NystromChoice, DrawsWithoutRepetition) {
  Rows from;
  for (std::int64_t i = 0; i < 100; ++i) from.push_back(3 * i);
  const Rows drawn = draw_rows(from, 20, 1, 1);
  EXPECT_EQ(drawn.size(), 20);
  EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
  EXPECT_EQ(std::set(drawn.begin(), drawn.end()).size(), 20);
  EXPECT_TRUE(std::includes(from.begin(), from.end(), drawn.begin(), drawn.end()));
  EXPECT_EQ(draw_rows(from, 20, 1, 1), drawn);
  EXPECT_NE(draw_rows(from, 20, 2, 1), drawn);
  EXPECT_NE(draw_rows(from, 20, 1, 2), drawn);
  EXPECT_EQ(draw_rows(from, 1000, 1, 1), from);
}

/// Over many seeds each row comes second about as often as its squared distance says.
TEST(NystromChoice, FarRowsComeByTheirSquaredDistance) {
  MatrixD columns(1, 3);
  columns << 0, 1, 3;
  double from_first = 0;
  double far = 0;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    const Rows drawn = draw_far_apart(columns, 2, seed, 1);
    ASSERT_EQ(drawn.size(), 2);
    // Rows 1 and 2 without row 0: from 1 with a chance of 4 of 5, from 2 with 4 of 13.
    from_first += drawn == Rows{1, 2} ? 1 : 0;
    far += drawn == Rows{0, 1} ? 1 : 0;
  }
  EXPECT_NEAR(from_first / 6000, (4.0 / 5 + 4.0 / 13) / 3, 0.03);
  EXPECT_NEAR(far / 6000, (1.0 / 10 + 1.0 / 5) / 3, 0.03);
}

TEST(NystromChoice, NoRowTwiceAndNoMoreThanThereAre) {
  MatrixD columns = test::random_features(2, 9000, 1, 1);
  columns.rightCols(4000) = columns.leftCols(4000).eval();
  const Rows drawn = draw_far_apart(columns, 300, 5, 1);
  EXPECT_EQ(std::set(drawn.begin(), drawn.end()).size(), 300);
  EXPECT_EQ(draw_far_apart(columns, 300, 5, 3), drawn);
  const MatrixD few = columns.leftCols(3).replicate(1, 5);
  EXPECT_EQ(draw_far_apart(few, 10, 5).size(), 3);
  EXPECT_THROW(draw_far_apart(MatrixD(2, 0), 10, 5), Error);
}

}  // namespace nystrom_choice_test
}  // namespace commonplace

#include "commonplace/eval/split.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace commonplace {
namespace split_test {

TEST(Split, CoversEveryRowOnceInAboutTheShareAskedFor) {
  const Split split = split_rows(1, 10000, 0.2);
  EXPECT_NEAR(static_cast<double>(split.test.size()), 2000, 150);
  std::vector<std::int64_t> all = split.train;
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), 10000U);
  for (std::size_t row = 0; row < all.size(); ++row)
    EXPECT_EQ(all[row], static_cast<std::int64_t>(row));
}

TEST(Split, ARowStaysWhereItIsWhenRowsAreAppended) {
  const Split before = split_rows(5, 500, 0.3);
  const Split after = split_rows(5, 900, 0.3);
  EXPECT_TRUE(std::equal(before.test.begin(), before.test.end(), after.test.begin()));
  EXPECT_NE(before.test, split_rows(6, 500, 0.3).test);
}

TEST(Split, AllOrNothing) {
  EXPECT_TRUE(split_rows(1, 100, 0).test.empty());
  EXPECT_TRUE(split_rows(1, 100, 1).train.empty());
  EXPECT_TRUE(split_rows(1, 0, 0.5).train.empty());
}

TEST(Split, TheFoldsPartTheRows) {
  std::vector<int> tested(1000);
  for (int fold = 0; fold < 5; ++fold) {
    const Split split = split_fold(9, 1000, 5, fold);
    EXPECT_EQ(split.train.size() + split.test.size(), 1000U);
    EXPECT_NEAR(static_cast<double>(split.test.size()), 200, 60);
    for (const std::int64_t row : split.test) {
      ++tested[static_cast<std::size_t>(row)];
      EXPECT_EQ(fold_of_row(9, row, 5), fold);
    }
  }
  EXPECT_EQ(std::count(tested.begin(), tested.end(), 1), 1000);
}

TEST(Split, RefusesWhatCannotBe) {
  EXPECT_THROW(split_rows(1, 10, 1.5), Error);
  EXPECT_THROW(split_rows(1, 10, -0.5), Error);
  EXPECT_THROW(split_fold(1, 10, 0, 0), Error);
  EXPECT_THROW(split_fold(1, 10, 5, 5), Error);
}

}  // namespace split_test
}  // namespace commonplace

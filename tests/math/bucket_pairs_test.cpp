#include "commonplace/math/bucket_pairs.h"

#include <gtest/gtest.h>

namespace commonplace {
namespace bucket_pairs_test {

std::vector<RowPair> pairs_of(std::vector<Keyed> entries, std::size_t most) {
  std::vector<RowPair> pairs;
  add_bucket_pairs(entries, most, pairs);
  return pairs;
}

TEST(BucketPairs, AreTheRowsThatShareAKey) {
  std::vector<RowPair> pairs =
      pairs_of({{7, 3}, {5, 1}, {7, 0}, {5, 1}, {6, 2}, {7, 9}, {5, 4}}, 10);
  const std::vector<RowPair> expected = {{1, 4}, {0, 3}, {0, 9}, {3, 9}};
  EXPECT_EQ(pairs, expected) << "a row is not its own pair, though it is there twice";
  pairs.push_back({0, 9});
  keep_repeated(pairs, 2);
  EXPECT_EQ(pairs, (std::vector<RowPair>{{0, 9}}));
}

TEST(BucketPairs, OfACrowdedKeyGrowAsItsRowsAndHangTogether) {
  std::vector<Keyed> entries;
  for (std::uint32_t row = 0; row < 10'000; ++row) entries.push_back({1, row});
  const std::vector<RowPair> pairs = pairs_of(entries, 16);
  EXPECT_LT(pairs.size(), 40'000U);
  std::vector<bool> linked(10'000);
  for (const RowPair& pair : pairs)
    if (pair.second == pair.first + 1) linked[pair.second] = true;
  for (std::size_t row = 1; row < linked.size(); ++row) EXPECT_TRUE(linked[row]) << row;
}

}  // namespace bucket_pairs_test
}  // namespace commonplace

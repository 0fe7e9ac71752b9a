#include "commonplace/math/packed_rows.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {
namespace packed_rows_test {

/// Rows of 0 to 9 entries, many of them empty.
Sparse made_rows(std::int64_t count, std::int64_t columns, bool plain) {
  Sparse rows;
  rows.columns = columns;
  Rng draw(3);
  for (std::int64_t row = 0; row < count; ++row) {
    const auto length = static_cast<std::int64_t>(draw.below(10));
    for (std::int64_t column = 0; column < columns && column < length; ++column)
      if (draw.below(2) == 0)
        rows.push(static_cast<std::int32_t>(column),
                  plain ? 1.0F : static_cast<float>(draw.uniform()));
    rows.end_row();
  }
  return rows;
}

class PackedRowsTest : public testing::TestWithParam<bool> {};

TEST_P(PackedRowsTest, ProductIsTheSumOfEachRow) {
  for (const std::int64_t count : {0, 1, 15, 16, 17, 1000}) {
    const Sparse rows = made_rows(count, 12, GetParam());
    std::vector<float> vector;
    for (int i = 0; i < 12; ++i) vector.push_back(0.37F * static_cast<float>(i) - 1);
    std::vector<float> expected(static_cast<std::size_t>(count), 2);
    for (std::int64_t row = 0; row < count; ++row) {
      float sum = 0;
      const auto columns = rows.view().row_indices(row);
      for (std::size_t i = 0; i < columns.size(); ++i)
        sum += rows.view().row_values(row)[i] * vector[static_cast<std::size_t>(columns[i])];
      expected[static_cast<std::size_t>(row)] += sum;
    }
    for (int jobs = 1; jobs <= 4; ++jobs) {
      std::vector<float> sums(static_cast<std::size_t>(count), 2);
      PackedRows(rows.view()).add_product(vector, sums, jobs);
      for (std::size_t row = 0; row < sums.size(); ++row)
        EXPECT_NEAR(sums[row], expected[row], 1e-5F) << row << " of " << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(PlainAndWeighted, PackedRowsTest, testing::Bool());

TEST(PackedRows, ShapesThatDoNotFitAreRefused) {
  const PackedRows rows(made_rows(20, 5, true).view());
  std::vector<float> sums(20);
  EXPECT_THROW(rows.add_product(std::vector<float>(4), sums), Error);
  sums.resize(19);
  EXPECT_THROW(rows.add_product(std::vector<float>(5), sums), Error);
}

}  // namespace packed_rows_test
}  // namespace commonplace

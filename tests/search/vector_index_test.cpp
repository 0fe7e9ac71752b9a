#include "commonplace/search/core/vector_index.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/unit_rows.h"
#include "commonplace/search/core/fitting.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {

using namespace search;
namespace vector_index_test {

using namespace search;

/// Rows whose columns matter less and less, turned so that no column does.
Matrix falling_rows(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Matrix result(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      result(i, j) = static_cast<float>(
          (random_uniform(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) -
           0.5) /
          (1 + 0.1 * static_cast<double>(j)));
  return unit_rows(std::move(result));
}

VectorIndex index_of(const Matrix& rows) {
  return make_vector_index(rows.rows(), [&](std::int64_t first, std::int64_t count) {
    return Matrix(rows.middleRows(first, count));
  });
}

TEST(VectorIndex, ProductsOfTheBestAreThoseOfTheRows) {
  const Matrix rows = falling_rows(9000, 200, 1);
  const VectorIndex index = index_of(rows);
  for (std::int64_t i = 0; i < 5; ++i) {
    const Eigen::RowVectorXf query = falling_rows(5, 200, 2).row(i);
    const VectorProducts found = products(index, query, 500);
    ASSERT_EQ(found.refined.size(), 500);
    const Eigen::VectorXf exact = rows * query.transpose();
    for (const std::int64_t row : found.refined)
      ASSERT_NEAR(found.values[static_cast<std::size_t>(row)], exact[row], 1e-4);
    std::vector<std::int64_t> order(static_cast<std::size_t>(rows.rows()));
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + 10, order.end(),
                      [&](std::int64_t a, std::int64_t b) { return exact[a] > exact[b]; });
    for (int best = 0; best < 10; ++best)
      EXPECT_NE(std::find(found.refined.begin(), found.refined.end(),
                          order[static_cast<std::size_t>(best)]),
                found.refined.end());
  }
}

TEST(VectorIndex, FewRowsOrColumnsAndRowsWithoutAnything) {
  Matrix rows = falling_rows(7, 3, 3);
  rows.row(4).setZero();
  const VectorIndex index = index_of(rows);
  const VectorProducts found = products(index, rows.row(2));
  EXPECT_EQ(found.refined.size(), 7);
  EXPECT_EQ(found.refined[0], 2);
  EXPECT_EQ(found.values[4], 0);
  EXPECT_NEAR(found.values[2], 1, 1e-4);
  EXPECT_TRUE(products(VectorIndex(), rows.row(0)).values.empty());
  EXPECT_THROW(products(index, Eigen::RowVectorXf::Ones(4)), Error);
}

TEST(VectorIndex, AFileHasTheSameIndex) {
  const test::TemporaryDirectory folder;
  const Matrix rows = falling_rows(300, 150, 4);
  const VectorIndex index = index_of(rows);
  TensorWriter writer;
  add_vector_index(writer, "v", index);
  writer.write(folder / "index");
  const VectorIndex read = read_vector_index(TensorFile(folder / "index"), "v");
  EXPECT_EQ(products(read, rows.row(5)).values, products(index, rows.row(5)).values);

  VectorIndex damaged = index;
  damaged.fine.bytes.resize(damaged.fine.bytes.size() - 150);
  TensorWriter other;
  add_vector_index(other, "v", damaged);
  other.write(folder / "damaged");
  EXPECT_THROW(read_vector_index(TensorFile(folder / "damaged"), "v"), Error);
}

TEST(Fitting, OnlyWhatStandsOutFits) {
  std::vector<float> similar(200);
  for (std::size_t i = 0; i < similar.size(); ++i)
    similar[i] = static_cast<float>(0.001 * static_cast<double>(i % 50));
  const Fitting fitting{.least = 0.3, .spread = 0, .certain = 0.6};
  EXPECT_TRUE(fits(fitting, similar).empty());
  similar[7] = 0.5F;
  similar[8] = 0.7F;
  similar[9] = std::nanf("");
  const std::vector<float> found = fits(fitting, similar);
  ASSERT_EQ(found.size(), similar.size());
  EXPECT_GT(found[7], 0.5F);
  EXPECT_GT(found[8], 0.95F);
  EXPECT_GT(found[8], found[7]);
  EXPECT_EQ(found[9], 0);
  EXPECT_EQ(std::count_if(found.begin(), found.end(), [](float each) { return each > 0; }), 2);
}

TEST(Fitting, EachQueryIsMeasuredByItself) {
  // To this query everything is alike: nothing stands out until something does.
  std::vector<float> similar(200);
  for (std::size_t i = 0; i < similar.size(); ++i)
    similar[i] = static_cast<float>(0.5 + 0.001 * static_cast<double>(i % 50));
  const Fitting fitting{.least = -1, .spread = 3, .certain = 0};
  EXPECT_TRUE(fits(fitting, similar).empty());
  similar[3] = 0.9F;
  const std::vector<float> found = fits(fitting, similar);
  ASSERT_FALSE(found.empty());
  EXPECT_GT(found[3], 0.95F);
  EXPECT_TRUE(fits(fitting, {}).empty());
}

}  // namespace vector_index_test
}  // namespace commonplace

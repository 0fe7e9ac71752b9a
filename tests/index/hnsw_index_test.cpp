#include "commonplace/index/hnsw_index.h"

#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {
namespace {

using Numbers = std::vector<float>;

MatrixView view(const Matrix& matrix) { return {matrix.data(), matrix.rows(), matrix.cols()}; }

std::span<const float> row_of(const Matrix& matrix, std::int64_t row) {
  return {matrix.data() + row * matrix.cols(), static_cast<std::size_t>(matrix.cols())};
}

/// Nonnegative rows around `clusters` centres, of lengths from 0.5 to 1.5 times their centre's.
Matrix clustered(std::int64_t rows, std::int64_t columns, std::int64_t clusters,
                 std::uint64_t seed) {
  Rng rng(seed);
  Rng centre_rng(99);
  Matrix centres(clusters, columns);
  for (float& value : centres.reshaped())
    value = centre_rng.uniform() < 0.3 ? static_cast<float>(centre_rng.uniform()) : 0.0F;
  Matrix matrix(rows, columns);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto centre = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(clusters)));
    const double length = 0.5 + rng.uniform();
    for (std::int64_t column = 0; column < columns; ++column)
      matrix(row, column) = static_cast<float>(
          length * (static_cast<double>(centres(centre, column)) + 0.1 * rng.uniform()));
  }
  return matrix;
}

Matrix of_length_one(Matrix matrix) {
  for (std::int64_t row = 0; row < matrix.rows(); ++row) matrix.row(row).normalize();
  return matrix;
}

TEST(HnswIndex, FindsMostOfTheGreatestInnerProducts) {
  const Matrix rows = clustered(6000, 24, 40, 1);
  const Matrix queries = clustered(100, 24, 40, 2);
  const ScanIndex scan(view(rows));
  const HnswIndex index(view(rows), {}, 2);
  EXPECT_GE(recall_at(index, scan, view(queries), 10), 0.9);
  EXPECT_EQ(recall_at(index, scan, view(queries), 10, 1),
            recall_at(index, scan, view(queries), 10, 3));
}

TEST(HnswIndex, FindsMostOfTheGreatestCosines) {
  const Matrix rows = clustered(6000, 24, 40, 3);
  const Matrix unit_rows = of_length_one(rows);
  const Matrix queries = clustered(100, 24, 40, 4);
  const ScanIndex scan(view(unit_rows));
  HnswOptions options;
  options.similarity = Similarity::cosine;
  const HnswIndex index(view(rows), options, 2);
  EXPECT_GE(recall_at(index, scan, view(queries), 10), 0.9);
}

TEST(HnswIndex, AWiderSearchFindsNoLess) {
  const Matrix rows = clustered(4000, 24, 40, 5);
  const Matrix queries = clustered(100, 24, 40, 6);
  const ScanIndex scan(view(rows));
  HnswOptions options;
  options.m = 8;
  options.ef_construction = 100;
  const auto recall = [&](int ef_search) {
    options.ef_search = ef_search;
    return recall_at(HnswIndex(view(rows), options, 1), scan, view(queries), 10);
  };
  const double narrow = recall(1);
  const double wide = recall(1000);
  EXPECT_LT(narrow, wide);
  EXPECT_GE(wide, 0.9);
}

TEST(HnswIndex, ScoresAreThoseOfTheExactTwin) {
  const Matrix rows = clustered(500, 12, 5, 7);
  const Matrix queries = clustered(20, 12, 5, 8);
  const ScanIndex scan(view(rows));
  HnswOptions options;
  options.ef_search = 500;  // every row: nothing can be missed
  const HnswIndex index(view(rows), options, 1);
  for (std::int64_t i = 0; i < queries.rows(); ++i)
    EXPECT_EQ(index.search(row_of(queries, i), 15), scan.search(row_of(queries, i), 15));
}

TEST(HnswIndex, CosinesAsWritten) {
  Matrix rows(3, 2);
  rows << 3, 4, 0, 0, 0, 5;
  HnswOptions options;
  options.similarity = Similarity::cosine;
  const auto found = HnswIndex(view(rows), options).search(Numbers{0, 2}, 3);
  EXPECT_EQ(found, (std::vector<ScoredRow>{{2, 1.0F}, {0, 0.8F}, {1, 0.0F}}));
}

TEST(HnswIndex, OneThreadAndASeedGiveOneAnswer) {
  const Matrix rows = clustered(3000, 16, 20, 9);
  const Matrix queries = clustered(50, 16, 20, 10);
  HnswOptions options;
  options.m = 4;
  options.ef_construction = 20;
  options.ef_search = 12;
  const auto answers = [&](std::uint64_t seed) {
    options.seed = seed;
    const HnswIndex index(view(rows), options, 1);
    std::vector<std::vector<ScoredRow>> result;
    for (std::int64_t i = 0; i < queries.rows(); ++i)
      result.push_back(index.search(row_of(queries, i), 10));
    return result;
  };
  EXPECT_EQ(answers(1), answers(1));
  EXPECT_NE(answers(1), answers(2));
}

TEST(HnswIndex, ManyThreadsMaySearchAtOnce) {
  const Matrix rows = clustered(2000, 16, 20, 11);
  const Matrix queries = clustered(40, 16, 20, 12);
  const HnswIndex index(view(rows), {}, 1);
  std::vector<std::vector<ScoredRow>> alone;
  for (std::int64_t i = 0; i < queries.rows(); ++i)
    alone.push_back(index.search(row_of(queries, i), 5));
  std::vector<int> agreed(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < agreed.size(); ++t)
      threads.emplace_back([&, t] {
        for (std::int64_t i = 0; i < queries.rows(); ++i)
          agreed[t] += index.search(row_of(queries, i), 5) == alone[static_cast<std::size_t>(i)];
      });
  }
  EXPECT_EQ(agreed, (std::vector<int>(4, 40)));
}

TEST(HnswIndex, EachRowIsFoundOnce) {
  const Matrix rows = Matrix::Constant(300, 8, 0.5F);  // all alike
  const auto found = HnswIndex(view(rows), {}, 1).search(Numbers(8, 1.0F), 50);
  std::set<std::int64_t> distinct;
  for (const ScoredRow& row : found) distinct.insert(row.row);
  EXPECT_EQ(distinct.size(), 50U);
}

TEST(HnswIndex, EmptyAndTinyInputs) {
  const Matrix none(0, 3);
  EXPECT_TRUE(HnswIndex(view(none)).search(Numbers(3), 5).empty());
  const Matrix one = Matrix::Constant(1, 3, 2.0F);
  const HnswIndex index(view(one));
  EXPECT_EQ(index.search(Numbers{1, 1, 1}, 5), (std::vector<ScoredRow>{{0, 6.0F}}));
  EXPECT_EQ(index.search(Numbers{0, 0, 0}, 5), (std::vector<ScoredRow>{{0, 0.0F}}));
  EXPECT_TRUE(index.search(Numbers{1, 1, 1}, 0).empty());
  const Matrix zeros = Matrix::Zero(3, 2);
  EXPECT_EQ(HnswIndex(view(zeros)).search(Numbers{1, 1}, 9).size(), 3U);
  const Matrix flat(2, 0);
  EXPECT_EQ(HnswIndex(view(flat)).search({}, 9).size(), 2U);
  const Matrix no_queries(0, 3);
  EXPECT_EQ(recall_at(index, ScanIndex(view(one)), view(no_queries), 5), 1.0);
}

TEST(HnswIndex, HugeAndTinyNumbersDoNotOverflow) {
  Matrix rows(3, 2);
  rows << 3e38F, 3e38F, 1e38F, 0, -3e38F, 0;
  const auto found = HnswIndex(view(rows)).search(Numbers{1e-38F, 1e-38F}, 3);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].row, 0);
  EXPECT_EQ(found[2].row, 2);
  rows *= 1e-38F;
  rows *= 1e-38F;
  EXPECT_EQ(HnswIndex(view(rows)).search(Numbers{3e38F, 3e38F}, 1)[0].row, 0);
}

TEST(HnswIndex, RefusesBadOptionsAndValues) {
  Matrix rows = Matrix::Constant(4, 2, 1.0F);
  const auto refused = [&](auto change) {
    HnswOptions options;
    change(options);
    EXPECT_THROW(HnswIndex(view(rows), options), Error);
  };
  refused([](HnswOptions& options) { options.m = 1; });
  refused([](HnswOptions& options) { options.m = 20'000; });
  refused([](HnswOptions& options) { options.ef_construction = 0; });
  refused([](HnswOptions& options) { options.ef_search = -1; });
  const HnswIndex index(view(rows));
  EXPECT_THROW(index.search(Numbers{1}, 1), Error);
  EXPECT_THROW(index.search(Numbers{1, std::numeric_limits<float>::quiet_NaN()}, 1), Error);
  rows(3, 1) = std::numeric_limits<float>::infinity();
  EXPECT_THROW(HnswIndex(view(rows), {}), Error);
}

}  // namespace
}  // namespace commonplace

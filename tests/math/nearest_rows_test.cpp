#include "commonplace/math/nearest_rows.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/sparse_ops.h"
#include "tests/support/naive_associations.h"

namespace commonplace {
namespace nearest_rows_test {

using test::random_counts;
using test::to_dense;

/// Whole numbers, so that products are exact and many of them tie.
Sparse counts(std::int64_t rows, std::uint64_t seed) { return random_counts(rows, 23, 0.2, seed); }

void expect_nearest(const Sparse& a, const Sparse& b, std::int64_t count,
                    const std::vector<std::int64_t>& skip = {}) {
  const Sparse found = nearest_rows(a.view(), b.view(), count, skip, 1);
  EXPECT_EQ(
      to_dense(nearest_rows_by_column(a.view(), transpose(b.view()).view(), count, skip).view()),
      to_dense(found.view()));
  ASSERT_EQ(found.rows(), a.rows());
  ASSERT_EQ(found.columns, b.rows());
  EXPECT_EQ(to_dense(found.view()),
            test::naive_nearest_rows(to_dense(a.view()), to_dense(b.view()), count, skip));
  for (std::int64_t row = 0; row < found.rows(); ++row) {
    const auto others = found.view().row_indices(row);
    for (std::size_t i = 1; i < others.size(); ++i) EXPECT_LT(others[i - 1], others[i]);
    for (const float product : found.view().row_values(row)) EXPECT_GT(product, 0);
  }
}

class NearestRowsByCount : public testing::TestWithParam<std::int64_t> {};

TEST_P(NearestRowsByCount, AgreeWithALoop) {
  for (const std::uint64_t seed : {1, 2, 3})
    expect_nearest(counts(40, seed), counts(31, 9), GetParam());
}

TEST_P(NearestRowsByCount, LeaveOutWhatIsSkipped) {
  const Sparse a = counts(40, 1);
  std::vector<std::int64_t> skip;
  for (std::int64_t row = 0; row < a.rows(); ++row) skip.push_back(row % 3 == 0 ? -1 : row);
  expect_nearest(a, a, GetParam(), skip);
}
INSTANTIATE_TEST_SUITE_P(Counts, NearestRowsByCount, testing::Values(0, 1, 2, 5, 30, 31, 1000));

TEST(NearestRows, TiesGoToTheLowerRow) {
  Sparse b;
  b.columns = 2;
  for (const float value : {1.F, 3.F, 2.F, 3.F, 3.F}) {
    b.push(1, value);
    b.end_row();
  }
  Sparse a;
  a.columns = 2;
  a.push(1, 2);
  a.end_row();
  const Sparse found = nearest_rows(a.view(), b.view(), 2);
  EXPECT_EQ(found.indices, (std::vector<std::int32_t>{1, 3}));
  EXPECT_EQ(found.values, (std::vector<float>{6, 6}));
  EXPECT_EQ(nearest_rows(a.view(), b.view(), 4).indices, (std::vector<std::int32_t>{1, 2, 3, 4}));
}

TEST(NearestRows, OnlyProductsAboveZeroCount) {
  // Products that pass through 0 on their way, end there, or end below.
  MatrixD a(2, 3);
  a << 1, 1, 1, 0, 0, 0;
  MatrixD b(5, 3);
  b << 1, -1, 2, 1, -1, 0, -3, 1, 1, 0, 0, 0, 0, 4, -1;
  const Sparse found = nearest_rows(test::to_sparse(a).view(), test::to_sparse(b).view(), 5);
  EXPECT_EQ(found.starts, (std::vector<std::int64_t>{0, 2, 2}));
  EXPECT_EQ(found.indices, (std::vector<std::int32_t>{0, 4}));
  EXPECT_EQ(found.values, (std::vector<float>{2, 3}));
}

TEST(NearestRows, DoNotDependOnJobs) {
  Sparse a = counts(301, 1);
  Rng rng(5);
  for (float& value : a.values) value *= static_cast<float>(rng.uniform());
  const Sparse b = counts(97, 2);
  const Sparse once = nearest_rows(a.view(), b.view(), 7, {}, 1);
  for (const int jobs : {2, 3, 4}) {
    const Sparse again = nearest_rows(a.view(), b.view(), 7, {}, jobs);
    EXPECT_EQ(again.starts, once.starts);
    EXPECT_EQ(again.indices, once.indices);
    EXPECT_EQ(again.values, once.values);
  }
}

TEST(NearestRows, OfManyCandidatesTheGreatestAreKept) {
  // More than are held at a time, with products of most rows and of few.
  for (const double share : {0.5, 0.02})
    for (const std::int64_t count : {1, 4, 30})
      expect_nearest(random_counts(12, 23, share, 3), random_counts(700, 23, share, 4), count);
}

TEST(NearestRows, OfNothing) {
  const Sparse some = counts(5, 1);
  Sparse none;
  none.columns = some.columns;
  const Sparse found = nearest_rows(some.view(), none.view(), 3);
  EXPECT_EQ(found.rows(), 5);
  EXPECT_EQ(found.nonzeros(), 0);
  EXPECT_EQ(nearest_rows(none.view(), some.view(), 3).rows(), 0);
}

TEST(NearestRows, WhatDoesNotFitIsRefused) {
  const Sparse a = counts(5, 1);
  const Sparse wider = random_counts(5, 24, 0.2, 1);
  EXPECT_THROW(nearest_rows(a.view(), wider.view(), 3), Error);
  EXPECT_THROW(nearest_rows(a.view(), a.view(), -1), Error);
  const std::vector<std::int64_t> skip(4, -1);
  EXPECT_THROW(nearest_rows(a.view(), a.view(), 3, skip), Error);
}

}  // namespace nearest_rows_test
}  // namespace commonplace

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/sparse_ops.h"
#include "tests/support/naive_associations.h"

namespace commonplace {
namespace sparse_products_test {

using test::random_counts;
using test::to_dense;

/// Values of both signs, some rows and columns empty.
Sparse example(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Sparse result = random_counts(rows, columns, 0.25, seed);
  Rng rng(seed + 100);
  for (float& value : result.values) value *= static_cast<float>(rng.uniform() - 0.5);
  return result;
}

bool columns_ascend(const Sparse& matrix) {
  for (std::int64_t row = 0; row < matrix.rows(); ++row) {
    const auto columns = matrix.view().row_indices(row);
    for (std::size_t i = 1; i < columns.size(); ++i)
      if (columns[i - 1] >= columns[i]) return false;
  }
  return true;
}

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(ProductOfSparseMatrices, IsThatOfDenseOnes) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Sparse a = example(17, 29, seed);
    const Sparse b = example(29, 11, seed + 10);
    const Sparse product = multiply(a.view(), b.view());
    EXPECT_EQ(product.rows(), 17);
    EXPECT_EQ(product.columns, 11);
    EXPECT_TRUE(columns_ascend(product));
    const MatrixD expected = to_dense(a.view()) * to_dense(b.view());
    EXPECT_LT(worst(to_dense(product.view()), expected), 1e-6);
  }
}

TEST(ProductOfSparseMatrices, KeepsEntriesThatAddUpToZero) {
  MatrixD a(2, 2);
  a << 1, 1, 0, 2;
  MatrixD b(2, 3);
  b << 5, 0, 1, -5, 0, 1;
  const Sparse product = multiply(test::to_sparse(a).view(), test::to_sparse(b).view());
  EXPECT_EQ(product.starts, (std::vector<std::int64_t>{0, 2, 4}));
  EXPECT_EQ(product.indices, (std::vector<std::int32_t>{0, 2, 0, 2}));
  EXPECT_EQ(product.values, (std::vector<float>{0, 2, -10, 2}));
}

TEST(ProductOfSparseMatrices, OfNothingOrOfShapesThatDoNotFit) {
  const Sparse a = example(4, 6, 1);
  Sparse none;
  none.columns = 4;
  EXPECT_EQ(multiply(none.view(), a.view()).rows(), 0);
  EXPECT_EQ(multiply(none.view(), a.view()).columns, 6);
  EXPECT_THROW(multiply(a.view(), a.view()), Error);
  EXPECT_THROW(multiply(a.view(), none.view()), Error);
}

TEST(SumOfSparseMatrices, IsThatOfDenseOnes) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Sparse a = example(23, 19, seed);
    const Sparse b = example(23, 19, seed + 10);
    const Sparse sum = add(a.view(), b.view());
    EXPECT_TRUE(columns_ascend(sum));
    EXPECT_LT(worst(to_dense(sum.view()), to_dense(a.view()) + to_dense(b.view())), 1e-6);
    const Sparse other_way = add(b.view(), a.view());
    EXPECT_EQ(sum.indices, other_way.indices);
    EXPECT_EQ(sum.values, other_way.values);
  }
}

TEST(SumOfSparseMatrices, OfNothingOrOfShapesThatDoNotFit) {
  const Sparse a = example(5, 7, 1);
  const Sparse zeros = test::to_sparse(MatrixD::Zero(5, 7));
  EXPECT_EQ(add(a.view(), zeros.view()).indices, a.indices);
  EXPECT_EQ(add(zeros.view(), a.view()).values, a.values);
  EXPECT_THROW(add(a.view(), example(5, 8, 1).view()), Error);
  EXPECT_THROW(add(a.view(), example(6, 7, 1).view()), Error);
}

TEST(SparseRows, CopiedOneByOneOrAllAtOnce) {
  const Sparse a = example(9, 7, 1);
  Sparse rows;
  rows.columns = a.columns;
  for (std::int64_t row = 0; row < a.rows(); ++row) rows.push_row(a.view(), row);
  Sparse whole = copy(a.view());
  for (const Sparse* each : {&rows, &whole}) {
    EXPECT_EQ(each->columns, a.columns);
    EXPECT_EQ(each->starts, a.starts);
    EXPECT_EQ(each->indices, a.indices);
    EXPECT_EQ(each->values, a.values);
  }
  rows.push_row(a.view(), 4);
  EXPECT_EQ(rows.rows(), 10);
  EXPECT_EQ(to_dense(rows.view()).row(9), to_dense(a.view()).row(4));
}

}  // namespace sparse_products_test
}  // namespace commonplace

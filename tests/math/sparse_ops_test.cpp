#include "commonplace/math/sparse_ops.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {
namespace sparse_ops_test {

/// About a third of the entries are there; row 2 and column 1 are empty.
Sparse sparse_example(std::int64_t rows, std::int64_t columns, std::uint64_t seed = 1) {
  Rng rng(seed);
  Sparse result;
  result.columns = columns;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const bool there = rng.uniform() < 0.3 && row != 2 && column != 1;
      if (there)
        result.push(static_cast<std::int32_t>(column), static_cast<float>(rng.uniform() - 0.3));
    }
    result.end_row();
  }
  return result;
}

template <class Dense>
Dense dense_example(std::int64_t rows, std::int64_t columns) {
  Rng rng(7);
  Dense result(rows, columns);
  for (std::int64_t i = 0; i < result.size(); ++i)
    result.data()[i] = static_cast<typename Dense::Scalar>(rng.uniform() - 0.5);
  return result;
}

MatrixD to_dense(const SparseView& a) {
  MatrixD result = MatrixD::Zero(a.rows, a.columns);
  for (std::int64_t row = 0; row < a.rows; ++row)
    for (std::size_t i = 0; i < a.row_indices(row).size(); ++i)
      result(row, a.row_indices(row)[i]) = static_cast<double>(a.row_values(row)[i]);
  return result;
}

MatrixD naive_product(const MatrixD& a, const MatrixD& b) {
  MatrixD result = MatrixD::Zero(a.rows(), b.cols());
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (std::int64_t j = 0; j < b.cols(); ++j)
      for (std::int64_t l = 0; l < a.cols(); ++l) result(i, j) += a(i, l) * b(l, j);
  return result;
}

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

class Products : public testing::TestWithParam<int> {};

TEST_P(Products, AgreeWithLoops) {
  const int k = GetParam();
  const Sparse a = sparse_example(53, 37);
  const MatrixD dense = to_dense(a.view());
  const auto right = dense_example<MatrixD>(37, k);
  const auto left = dense_example<MatrixD>(53, k);
  const Matrix right_float = right.cast<float>();
  const Matrix left_float = left.cast<float>();
  EXPECT_LT(worst(multiply(a.view(), right), naive_product(dense, right)), 1e-13);
  EXPECT_LT(worst(multiply(a.view(), right_float).cast<double>(), naive_product(dense, right)),
            1e-5);
  const MatrixD transposed = naive_product(dense.transpose(), left);
  EXPECT_LT(worst(transposed_multiply(a.view(), left), transposed), 1e-13);
  EXPECT_LT(worst(transposed_multiply(a.view(), left_float),
                  naive_product(dense.transpose(), left_float.cast<double>())),
            1e-13);
}
INSTANTIATE_TEST_SUITE_P(Widths, Products, testing::Values(1, 2, 7, 8, 9, 33));

TEST(SparseProducts, DoNotDependOnJobs) {
  const Sparse a = sparse_example(301, 97);
  const auto right = dense_example<MatrixD>(97, 11);
  const auto left = dense_example<Matrix>(301, 11);
  const MatrixD once = multiply(a.view(), right, 1);
  const MatrixD once_transposed = transposed_multiply(a.view(), left, 1);
  for (const int jobs : {2, 3, 8}) {
    EXPECT_EQ(multiply(a.view(), right, jobs), once) << jobs;
    EXPECT_EQ(transposed_multiply(a.view(), left, jobs), once_transposed) << jobs;
  }
}

TEST(SparseProducts, RowsOfAPatternWithOtherValues) {
  const Sparse a = sparse_example(40, 20);
  const auto b = dense_example<MatrixD>(40, 5);
  std::vector<double> doubled(a.values.begin(), a.values.end());
  for (double& value : doubled) value *= 2;
  MatrixD sum = MatrixD::Zero(20, 5);
  const auto bounds = balanced_columns(a.view(), 4);
  for (const std::int64_t first : {0, 15, 30}) {
    const std::int64_t count = std::min<std::int64_t>(15, 40 - first);
    const auto begin = a.starts[static_cast<std::size_t>(first)];
    const auto end = a.starts[static_cast<std::size_t>(first + count)];
    add_transposed_product(a.view(), first, std::span(doubled).subspan(begin, end - begin),
                           b.middleRows(first, count), bounds, sum, 2);
  }
  EXPECT_LT(worst(sum, 2 * transposed_multiply(a.view(), b)), 1e-13);
}

TEST(SparseProducts, SomeRowsOfAMatrix) {
  const Sparse whole = sparse_example(9, 6);
  const SparseView view = whole.view();
  const SparseView some{4, view.columns, view.starts.subspan(3, 5), view.indices, view.values};
  const auto b = dense_example<MatrixD>(4, 3);
  EXPECT_TRUE(transposed_multiply(some, b).isApprox(to_dense(some).transpose() * b));
  const auto c = dense_example<MatrixD>(6, 3);
  EXPECT_TRUE(multiply(some, c).isApprox(to_dense(some) * c));
}

TEST(SparseProducts, EmptyShapes) {
  Sparse none;
  none.columns = 4;
  EXPECT_EQ(multiply(none.view(), MatrixD::Ones(4, 3).eval()).rows(), 0);
  EXPECT_EQ(transposed_multiply(none.view(), MatrixD(0, 3)), MatrixD::Zero(4, 3));
  EXPECT_EQ(transpose(none.view()).rows(), 4);
  EXPECT_EQ(squared_norm(none.view()), 0);
  EXPECT_EQ(multiply(sparse_example(3, 4).view(), MatrixD(4, 0)).cols(), 0);
}

TEST(SparseProducts, RefuseShapesThatDoNotFit) {
  const Sparse a = sparse_example(5, 4);
  EXPECT_THROW(multiply(a.view(), MatrixD::Ones(5, 2).eval()), Error);
  EXPECT_THROW(transposed_multiply(a.view(), MatrixD::Ones(4, 2).eval()), Error);
  EXPECT_THROW(dot_rows(a.view(), 0, sparse_example(5, 6).view(), 0), Error);
  MatrixD into = MatrixD::Zero(4, 2);
  const std::vector<std::int32_t> bounds = {0, 4};
  EXPECT_THROW(add_transposed_product(a.view(), 4, {}, MatrixD::Ones(2, 2), bounds, into), Error);
}

TEST(BalancedColumns, CoverAllColumnsInAscendingRanges) {
  const Sparse a = sparse_example(50, 23);
  for (const int parts : {1, 2, 5, 23, 100}) {
    const auto bounds = balanced_columns(a.view(), parts);
    EXPECT_EQ(bounds.front(), 0);
    EXPECT_EQ(bounds.back(), 23);
    EXPECT_LE(bounds.size(), static_cast<std::size_t>(parts) + 1);
    for (std::size_t i = 1; i < bounds.size(); ++i) EXPECT_LT(bounds[i - 1], bounds[i]);
  }
  EXPECT_EQ(balanced_columns(a.view(), 2).size(), 3U);
}

TEST(Transpose, AgreesWithTheDenseOneAndUndoesItself) {
  const Sparse a = sparse_example(31, 17);
  const Sparse t = transpose(a.view());
  EXPECT_EQ(to_dense(t.view()), to_dense(a.view()).transpose());
  const Sparse back = transpose(t.view());
  EXPECT_EQ(back.starts, a.starts);
  EXPECT_EQ(back.indices, a.indices);
  EXPECT_EQ(back.values, a.values);
}

TEST(Norms, AgreeWithLoops) {
  Sparse a = sparse_example(31, 17);
  const MatrixD dense = to_dense(a.view());
  EXPECT_NEAR(squared_norm(a.view()), dense.squaredNorm(), 1e-12);
  const VectorD norms = row_norms(a.view());
  for (std::int64_t row = 0; row < 31; ++row) EXPECT_NEAR(norms[row], dense.row(row).norm(), 1e-13);
  EXPECT_EQ(norms[2], 0);
  normalise_rows(a);
  const MatrixD unit = to_dense(a.view());
  for (std::int64_t row = 0; row < 31; ++row) {
    if (row == 2) continue;
    EXPECT_NEAR(unit.row(row).norm(), 1, 1e-6);
    EXPECT_LT((unit.row(row) * norms[row] - dense.row(row)).norm(), 1e-6);
  }
}

TEST(DotRows, AgreesWithLoops) {
  const Sparse a = sparse_example(9, 40, 1);
  const Sparse b = sparse_example(7, 40, 2);
  const MatrixD expected = to_dense(a.view()) * to_dense(b.view()).transpose();
  for (std::int64_t i = 0; i < 9; ++i)
    for (std::int64_t j = 0; j < 7; ++j)
      EXPECT_NEAR(dot_rows(a.view(), i, b.view(), j), expected(i, j), 1e-13);
}

TEST(Dot, EveryLength) {
  std::vector<double> a, b;
  double expected = 0;
  for (int n = 0; n < 70; ++n) {
    EXPECT_NEAR(dot(a.data(), b.data(), n), expected, 1e-12);
    a.push_back(random_uniform(1, 0, static_cast<std::uint64_t>(n)) - 0.5);
    b.push_back(random_uniform(1, 1, static_cast<std::uint64_t>(n)));
    expected += a.back() * b.back();
  }
  std::vector<double> into(70, 1.0);
  add_scaled(into.data(), a.data(), 3, 69);
  for (std::size_t i = 0; i < 69; ++i) EXPECT_NEAR(into[i], 1 + 3 * a[i], 1e-15);
  EXPECT_EQ(into[69], 1);
}

}  // namespace sparse_ops_test
}  // namespace commonplace

#include "commonplace/learn/kernel.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/learn/feature_rows.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"

namespace commonplace {
namespace kernel_test {

using test::naive_kernel;
using test::random_features;

constexpr KernelKind kKinds[] = {KernelKind::rbf, KernelKind::nn, KernelKind::linear,
                                 KernelKind::cosine};

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(FeatureRows, SparseAndDenseAreTheSameRows) {
  const MatrixD a = random_features(9, 30, 0.3, 1);
  const Sparse sparse = test::to_sparse(a);
  const Matrix dense = a.cast<float>();
  EXPECT_TRUE(FeatureRows(sparse).is_sparse());
  EXPECT_FALSE(FeatureRows(dense).is_sparse());
  for (const FeatureRows& rows : {FeatureRows(sparse), FeatureRows(dense)}) {
    EXPECT_EQ(rows.rows(), 9);
    EXPECT_EQ(rows.columns(), 30);
    EXPECT_LT((squared_norms(rows) - a.rowwise().squaredNorm()).cwiseAbs().maxCoeff(), 1e-12);
  }
}

/// Columns that most rows have are multiplied in another way than those that few have.
TEST(FeatureRows, ProductsAgreeWithADenseMultiplication) {
  for (const double density : {0.01, 0.1, 0.2, 0.7}) {
    const MatrixD a = random_features(23, 60, 0.3, 1);
    const MatrixD b = random_features(41, 60, density, 2);
    const MatrixD expected = a * b.transpose();
    const Sparse sparse_a = test::to_sparse(a);
    const Sparse sparse_b = test::to_sparse(b);
    const Matrix dense_a = a.cast<float>();
    const Matrix dense_b = b.cast<float>();
    EXPECT_LT(worst(products(sparse_a, sparse_b).cast<double>(), expected), 2e-6);
    EXPECT_LT(worst(products(dense_a, dense_b).cast<double>(), expected), 2e-6);
    EXPECT_LT(worst(exact_products(sparse_a, sparse_b), expected), 1e-12);
    EXPECT_LT(worst(exact_products(dense_a, dense_b), expected), 1e-12);
  }
}

TEST(FeatureRows, ProductsWithManyRowsAgreeToo) {
  const MatrixD a = random_features(3, 12, 0.5, 1);
  const MatrixD b = random_features(9000, 12, 0.2, 2);
  const Sparse sparse_a = test::to_sparse(a);
  const Sparse sparse_b = test::to_sparse(b);
  EXPECT_LT(worst(products(sparse_a, sparse_b).cast<double>(), a * b.transpose()), 2e-6);
}

TEST(FeatureRows, ARowAloneGivesTheBitsThatItGivesAmongOthers) {
  const Sparse sparse_a = test::to_sparse(random_features(17, 50, 0.3, 1));
  const Sparse sparse_b = test::to_sparse(random_features(29, 50, 0.15, 2));
  const Matrix dense_a = random_features(17, 50, 1, 3).cast<float>();
  const Matrix dense_b = random_features(29, 50, 1, 4).cast<float>();
  const auto check_pair = [](const FeatureRows& a, const FeatureRows& b) {
    for (const KernelKind kind : kKinds) {
      const Kernel kernel{kind, 1.3, 2};
      const Matrix all = kernel_matrix(kernel, a, b, 1);
      for (const int jobs : {2, 3}) EXPECT_EQ(kernel_matrix(kernel, a, b, jobs), all);
      for (const std::int64_t row : {0, 5, 16})
        EXPECT_EQ(kernel_matrix(kernel, slice(a, row, 1), b), Matrix(all.row(row)));
      EXPECT_EQ(kernel_matrix(kernel, slice(a, 4, 9), b), Matrix(all.middleRows(4, 9)));
    }
  };
  check_pair(sparse_a, sparse_b);
  check_pair(dense_a, dense_b);
}

TEST(FeatureRows, TakesRowsByTheirNumbers) {
  const MatrixD a = random_features(12, 20, 0.4, 1);
  const std::vector<std::int64_t> which = {7, 0, 7, 11};
  const MatrixD expected = a(which, Eigen::all);
  const Sparse sparse = test::to_sparse(a);
  const Matrix dense = a.cast<float>();
  const StoredRows from_sparse = take_rows(sparse, which);
  EXPECT_TRUE(from_sparse.is_sparse);
  EXPECT_EQ(test::to_dense(from_sparse.sparse.view()), expected);
  EXPECT_EQ(take_rows(dense, which).dense.cast<double>(), expected);
  const StoredRows of_slice = take_rows(slice(sparse, 3, 6), std::vector<std::int64_t>{4});
  EXPECT_EQ(test::to_dense(of_slice.sparse.view()), a.row(7));
  EXPECT_EQ(slice(sparse, 12, 0).rows(), 0);
  EXPECT_THROW(take_rows(dense, std::vector<std::int64_t>{12}), Error);
  EXPECT_THROW(take_rows(sparse, std::vector<std::int64_t>{-1}), Error);
  EXPECT_THROW(slice(dense, 10, 3), Error);
  EXPECT_THROW(slice(sparse, -1, 3), Error);
}

TEST(Kernel, IsWhatItsFormulaSays) {
  MatrixD a = random_features(20, 15, 0.5, 1);
  MatrixD b = random_features(11, 15, 0.5, 2);
  a.row(3).setZero();
  b.row(4).setZero();
  b.row(5) = a.row(6);
  for (const KernelKind kind : kKinds)
    for (const double length_scale : {0.4, 1.0, 7.0}) {
      const Kernel kernel{kind, length_scale, 2.5};
      const MatrixD expected = naive_kernel(kernel, a, b);
      const Matrix dense_a = a.cast<float>();
      const Matrix dense_b = b.cast<float>();
      const Sparse sparse_a = test::to_sparse(a);
      const Sparse sparse_b = test::to_sparse(b);
      const double near = 3e-6 / std::min(1.0, length_scale * length_scale);
      EXPECT_LT(worst(kernel_matrix(kernel, dense_a, dense_b).cast<double>(), expected), near);
      EXPECT_LT(worst(kernel_matrix(kernel, sparse_a, sparse_b).cast<double>(), expected), near);
      const MatrixD gram = naive_kernel(kernel, a, a);
      for (const FeatureRows& rows : {FeatureRows(dense_a), FeatureRows(sparse_a)}) {
        const MatrixD found = kernel_gram(kernel, rows);
        EXPECT_LT(worst(found, gram), 1e-12);
        EXPECT_EQ(found, MatrixD(found.transpose()));
        EXPECT_EQ(kernel_gram(kernel, rows, 3), found);
        EXPECT_LT((kernel_diagonal(kernel, rows) - gram.diagonal()).cwiseAbs().maxCoeff(), 1e-12);
      }
    }
}

TEST(Kernel, ExponentialsAreRightToTheLastDigits) {
  // One feature: x = 0 against z gives exp(-z² / 2).
  constexpr Eigen::Index count = 20011;
  Matrix z(count, 1);
  for (Eigen::Index i = 0; i < count; ++i)
    z(i, 0) = std::sqrt(2 * 90 * static_cast<float>(i) / static_cast<float>(count));
  const Matrix zero = Matrix::Zero(1, 1);
  const Matrix found = kernel_matrix({KernelKind::rbf, 1, 1}, zero, z);
  double error = 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    // The exponent is rounded to float once; the exponential is judged by what it was given.
    const auto exponent = static_cast<float>(0.5 * std::pow(static_cast<double>(z(i, 0)), 2));
    const double expected = std::exp(-static_cast<double>(exponent));
    if (exponent > 87) {
      EXPECT_LT(static_cast<double>(found(0, i)), 2e-38);
    } else {
      error = std::max(error, std::abs(static_cast<double>(found(0, i)) / expected - 1));
    }
  }
  EXPECT_LT(error, 2e-7);
  EXPECT_EQ(found(0, 0), 1);
}

TEST(Kernel, OfAnItemWithItselfIsNeverAboveTheVariance) {
  const Matrix x = 30 * random_features(50, 40, 1, 3).cast<float>();
  const Matrix found = kernel_matrix({KernelKind::rbf, 2, 4}, x, x);
  EXPECT_LE(found.maxCoeff(), 4.0001F);
  EXPECT_GT(found.diagonal().minCoeff(), 3.9F);
}

TEST(Kernel, NamesGoThereAndBack) {
  for (const KernelKind kind : kKinds) EXPECT_EQ(kernel_kind(to_string(kind)), kind);
  EXPECT_EQ(kernel_kind("se"), KernelKind::rbf);
  EXPECT_THROW(kernel_kind("gauss"), Error);
}

TEST(Kernel, BadOnesAndBadFeaturesAreRefused) {
  Matrix x = Matrix::Ones(3, 2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Kernel& bad :
       {Kernel{KernelKind::rbf, 0, 1}, Kernel{KernelKind::rbf, -1, 1},
        Kernel{KernelKind::rbf, nan, 1}, Kernel{KernelKind::nn, 1, 0},
        Kernel{KernelKind::linear, 1, std::numeric_limits<double>::infinity()}}) {
    EXPECT_THROW(check(bad), Error);
    EXPECT_THROW(kernel_matrix(bad, x, x), Error);
  }
  const Matrix wide = Matrix::Ones(3, 4);
  EXPECT_THROW(kernel_matrix({}, x, wide), Error);
  const Sparse sparse = test::to_sparse(MatrixD::Ones(3, 2));
  EXPECT_THROW(kernel_matrix({}, x, sparse), Error);
  x(1, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(kernel_matrix({}, x, wide.leftCols(2).eval()), Error);
  EXPECT_THROW(kernel_gram({}, x), Error);
}

}  // namespace kernel_test
}  // namespace commonplace

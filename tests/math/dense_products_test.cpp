#include "commonplace/math/dense_products.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {
namespace dense_products_test {

/// Every instruction set that this machine can run, one after the other.
class DenseProducts : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { limit_dense_products(GetParam()); }
  void TearDown() override { limit_dense_products(std::numeric_limits<int>::max()); }
};

INSTANTIATE_TEST_SUITE_P(Levels, DenseProducts, testing::ValuesIn(levels_of_dense_products()));

MatrixD random_doubles(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  MatrixD result(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      result(i, j) =
          random_uniform(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) - 0.5;
  return result;
}

Matrix random_floats(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  return random_doubles(rows, columns, seed).cast<float>();
}

/// A B by the definition.
MatrixD naive(const MatrixD& a, const MatrixD& b) {
  MatrixD result = MatrixD::Zero(a.rows(), b.cols());
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index k = 0; k < a.cols(); ++k)
      for (Eigen::Index j = 0; j < b.cols(); ++j) result(i, j) += a(i, k) * b(k, j);
  return result;
}

template <class A, class B>
double distance(const A& a, const B& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  if (a.size() == 0) return 0;
  return (a.template cast<double>() - b.template cast<double>()).cwiseAbs().maxCoeff();
}

struct Shape {
  Eigen::Index n;
  Eigen::Index m;
  Eigen::Index k;
};
const std::vector<Shape> kShapes = {
    {1, 1, 1},    {0, 3, 2},    {3, 0, 2},     {3, 2, 0},       {0, 0, 0},     {2, 3, 5},
    {4, 8, 16},   {5, 33, 3},   {7, 11, 13},   {12, 32, 256},   {13, 33, 257}, {31, 37, 41},
    {1, 300, 20}, {300, 1, 20}, {97, 259, 19}, {101, 103, 521}, {2, 2, 1031},  {193, 521, 67},
};

TEST_P(DenseProducts, ProductsAreThoseOfTheDefinition) {
  for (const auto& [n, m, k] : kShapes) {
    const Matrix a = random_floats(n, k, 1);
    const Matrix b = random_floats(k, m, 2);
    const Matrix transposed = b.transpose();
    const MatrixD exact = naive(a.cast<double>(), b.cast<double>());
    const double close = 1e-6 * std::sqrt(static_cast<double>(k) + 1);
    EXPECT_LE(distance(multiply(a, b), exact), close) << n << ' ' << m << ' ' << k;
    EXPECT_LE(distance(multiply_transposed(a, transposed), exact), close)
        << n << ' ' << m << ' ' << k;
    const MatrixD ad = random_doubles(n, k, 1);
    const MatrixD bd = random_doubles(k, m, 2);
    EXPECT_LE(distance(multiply(ad, bd), naive(ad, bd)), 1e-13 * static_cast<double>(k + 1))
        << n << ' ' << m << ' ' << k;
  }
}

TEST_P(DenseProducts, SumsOverRowsAreAdded) {
  for (const auto& [n, m, k] : kShapes) {
    const Matrix a = random_floats(k, n, 1);
    const Matrix b = random_floats(k, m, 2);
    const double close = 1e-6 * std::sqrt(static_cast<double>(k) + 1);
    const MatrixD before = random_doubles(n, m, 3);
    MatrixD sum = before;
    add_transposed_product(a, b, sum);
    EXPECT_LE(distance(sum, before + naive(a.transpose().cast<double>(), b.cast<double>())), close)
        << n << ' ' << m << ' ' << k;
    MatrixD gram = MatrixD::Constant(n, n, 2);
    add_gram(a, gram);
    EXPECT_LE(
        distance(gram,
                 (naive(a.transpose().cast<double>(), a.cast<double>()).array() + 2).matrix()),
        close)
        << n << ' ' << k;
    EXPECT_EQ(gram, gram.transpose());
  }
}

/// What does not fit what is packed at once, in any direction.
TEST_P(DenseProducts, LargeShapesAreTakenInParts) {
  const auto check = [](Eigen::Index n, Eigen::Index m, Eigen::Index k) {
    const Matrix a = random_floats(n, k, 1);
    const Matrix b = random_floats(k, m, 2);
    const MatrixD exact = a.cast<double>() * b.cast<double>();
    EXPECT_LE(distance(multiply(a, b), exact), 1e-4) << n << ' ' << m << ' ' << k;
    MatrixD sum = MatrixD::Zero(n, m);
    add_transposed_product(a.transpose(), b, sum);
    EXPECT_LE(distance(sum, exact), 1e-4) << n << ' ' << m << ' ' << k;
  };
  check(3, 5, 530000);
  check(40000, 2, 101);
  check(2, 40000, 101);
}

/// Sums of many numbers of one sign lose nothing that a float per stretch would not.
TEST_P(DenseProducts, LongSumsAreInDouble) {
  const Matrix ones = Matrix::Constant(1, 200000, 0.1F);
  const double exact = 200000 * static_cast<double>(0.1F) * static_cast<double>(0.1F);
  EXPECT_NEAR(static_cast<double>(multiply_transposed(ones, ones)(0, 0)) / exact, 1, 2e-6);
  MatrixD gram = MatrixD::Zero(1, 1);
  add_gram(ones.transpose(), gram);
  EXPECT_NEAR(gram(0, 0) / exact, 1, 2e-6);
}

TEST_P(DenseProducts, BitsDependOnNeitherJobsNorOtherRows) {
  const Matrix a = random_floats(151, 300, 1);
  const Matrix b = random_floats(211, 300, 2);
  const Matrix product = multiply_transposed(a, b, 1);
  EXPECT_EQ(multiply_transposed(a, b, 2), product);
  EXPECT_EQ(multiply_transposed(a, b, 5), product);
  EXPECT_EQ(multiply(a, b.transpose(), 2), product);
  EXPECT_EQ(multiply_transposed(b, a, 1), product.transpose());
  const PackedFactor packed(b, 2);
  EXPECT_EQ(packed.multiply(a, 2), product);
  for (Eigen::Index first : {0, 1, 75, 149})
    for (Eigen::Index count : {1, 2, 3, 5, 13})
      if (first + count <= a.rows()) {
        EXPECT_EQ(multiply_transposed(a.middleRows(first, count), b, 1),
                  product.middleRows(first, count))
            << first << ' ' << count;
        EXPECT_EQ(packed.multiply(a.middleRows(first, count), 1), product.middleRows(first, count));
      }
  const MatrixD doubles = random_doubles(300, 300, 3);
  EXPECT_EQ(multiply(doubles, doubles, 1), multiply(doubles, doubles, 3));
  MatrixD one = MatrixD::Zero(300, 300);
  MatrixD two = one;
  add_gram(a, one, 1);
  add_gram(a, two, 2);
  EXPECT_EQ(one, two);
  one.diagonal().array() += 1;
  two = one;
  EXPECT_TRUE(factorise(one, 1));
  EXPECT_TRUE(factorise(two, 2));
  EXPECT_EQ(one, two);
  EXPECT_EQ(inverse_of_lower(one, 1), inverse_of_lower(one, 2));
}

/// Matrices may be parts of larger ones.
TEST_P(DenseProducts, TakesPartsOfMatrices) {
  const Matrix whole = random_floats(60, 70, 1);
  const auto a = whole.block(3, 5, 20, 31);
  const auto b = whole.block(30, 17, 25, 31);
  EXPECT_EQ(multiply_transposed(a, b), multiply_transposed(Matrix(a), Matrix(b)));
  MatrixD one = MatrixD::Zero(31, 31);
  MatrixD two = one;
  add_gram(a, one);
  add_gram(Matrix(a), two);
  EXPECT_EQ(one, two);
}

TEST_P(DenseProducts, FactorisesAndInverts) {
  for (const Eigen::Index size : {0, 1, 2, 31, 32, 33, 64, 97, 129, 300}) {
    const MatrixD base = random_doubles(size, size + 5, 4);
    MatrixD matrix = base * base.transpose();
    const MatrixD full = matrix;
    // What is above the diagonal is not read.
    for (Eigen::Index i = 0; i < size; ++i)
      for (Eigen::Index j = i + 1; j < size; ++j)
        matrix(i, j) = std::numeric_limits<double>::quiet_NaN();
    ASSERT_TRUE(factorise(matrix)) << size;
    EXPECT_LE(distance(MatrixD(matrix * matrix.transpose()), full), 1e-12) << size;
    const MatrixD inverse = inverse_of_lower(matrix);
    EXPECT_LE(distance(MatrixD(inverse * matrix), MatrixD(MatrixD::Identity(size, size))), 1e-9)
        << size;
    for (Eigen::Index i = 0; i < size; ++i)
      for (Eigen::Index j = i + 1; j < size; ++j) {
        ASSERT_EQ(matrix(i, j), 0);
        ASSERT_EQ(inverse(i, j), 0);
      }
  }
}

TEST_P(DenseProducts, RefusesWhatIsNotPositiveDefinite) {
  for (const Eigen::Index size : {1, 20, 100})
    for (const double diagonal : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                                  std::numeric_limits<double>::infinity()}) {
      MatrixD matrix = MatrixD::Identity(size, size);
      matrix(size - 1, size - 1) = diagonal;
      EXPECT_FALSE(factorise(matrix)) << size << ' ' << diagonal;
    }
  MatrixD matrix = MatrixD::Constant(80, 80, 1);
  matrix(70, 3) = matrix(3, 70) = 5;
  EXPECT_FALSE(factorise(matrix));
}

TEST(DenseProductsShapes, ThatDoNotFitAreRefused) {
  const Matrix a = random_floats(3, 4, 1);
  const Matrix b = random_floats(3, 5, 2);
  MatrixD wrong = MatrixD::Zero(4, 4);
  EXPECT_THROW(multiply(a, b), Error);
  EXPECT_THROW(multiply(MatrixD::Zero(2, 3), MatrixD::Zero(2, 3)), Error);
  EXPECT_THROW(multiply_transposed(a, b), Error);
  EXPECT_THROW(PackedFactor(b).multiply(a), Error);
  EXPECT_EQ(PackedFactor(Matrix(0, 4)).multiply(a).size(), 0);
  EXPECT_EQ(PackedFactor(Matrix(2, 0)).multiply(Matrix(3, 0)), Matrix::Zero(3, 2));
  EXPECT_THROW(add_gram(b, wrong), Error);
  EXPECT_THROW(add_transposed_product(a, b, wrong), Error);
  EXPECT_THROW(add_transposed_product(a, random_floats(2, 4, 1), wrong), Error);
  MatrixD oblong = MatrixD::Zero(2, 3);
  EXPECT_THROW(factorise(oblong), Error);
  EXPECT_THROW(inverse_of_lower(oblong), Error);
  EXPECT_THROW(inverse_of_lower(MatrixD::Zero(2, 2)), Error);
}

}  // namespace dense_products_test
}  // namespace commonplace

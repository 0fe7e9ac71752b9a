#include "commonplace/math/nonnegative.h"

#include <cmath>

#include <gtest/gtest.h>

#include "commonplace/base/rng.h"
#include "tests/support/naive_shared_subspace.h"

namespace commonplace {
namespace nonnegative_test {

MatrixD random_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  MatrixD result(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      result(i, j) =
          random_uniform(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
  return result;
}

double value_at(const MatrixD& gram, const VectorD& linear, const VectorD& x) {
  return x.dot(gram * x) - 2 * x.dot(linear);
}

struct Case {
  MatrixD gram;
  VectorD linear;
};

/// Least squares of a random vector on `size` random columns; some gradients at zero are negative.
Case random_case(Eigen::Index size, std::uint64_t seed) {
  const MatrixD columns = random_matrix(size + 3, size, seed);
  const VectorD y = random_matrix(size + 3, 1, seed + 1000).col(0).array() - 0.2;
  return {columns.transpose() * columns, columns.transpose() * y};
}

TEST(Nonnegative, SolvesToTheMinimumOfAllSupports) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Case problem = random_case(1 + static_cast<Eigen::Index>(seed % 8), seed);
    const VectorD exact = test::exhaustive_nonnegative_minimum(problem.gram, problem.linear);
    const NonnegativeQuadratic<double> quadratic(problem.gram);
    VectorD x = VectorD::Zero(problem.linear.size());
    const double off = quadratic.solve(problem.linear.data(), x.data(), 1e-12);
    EXPECT_LE(off, 1e-12);
    EXPECT_LT((x - exact).cwiseAbs().maxCoeff(), 1e-7) << seed;
  }
}

TEST(Nonnegative, SolvesWhenColumnsAreAlikeOrEmpty) {
  MatrixD columns = random_matrix(12, 7, 3);
  columns.col(1) = columns.col(0);
  columns.col(2) = columns.col(0) + 1e-3 * columns.col(3);
  columns.col(6).setZero();
  const MatrixD gram = columns.transpose() * columns;
  const VectorD linear = columns.transpose() * random_matrix(12, 1, 4).col(0);
  VectorD x = VectorD::Zero(7);
  EXPECT_LE(NonnegativeQuadratic<double>(gram).solve(linear.data(), x.data(), 1e-9), 1e-9);
  EXPECT_NEAR(value_at(gram, linear, x),
              value_at(gram, linear, test::exhaustive_nonnegative_minimum(gram, linear)), 1e-9);
  EXPECT_EQ(x(6), 0);
}

template <class Scalar>
MatrixD dense(const PaddedRows<Scalar>& rows) {
  return rows.dense().template cast<double>();
}

/// f of every row.
VectorD values_at(const MatrixD& gram, const MatrixD& linear, const MatrixD& rows) {
  return ((rows * gram).cwiseProduct(rows) - 2 * rows.cwiseProduct(linear)).rowwise().sum();
}

template <class Scalar>
void expect_descent(double tolerance) {
  for (const Eigen::Index size : {1, 5, 16, 17, 60})
    for (const Eigen::Index count : {1, 7, 70}) {
      const MatrixD columns = random_matrix(size + 3, size, 5);
      const MatrixD gram = columns.transpose() * columns;
      const MatrixD given = random_matrix(count, size + 3, 6) * columns;
      const NonnegativeQuadratic<Scalar> quadratic(gram);
      const PaddedRows<Scalar> linear(Dense<Scalar>(given.cast<Scalar>()));
      // Two rows before the ones that are worked on, and one after them, stay.
      const MatrixD begin = random_matrix(count + 3, size, 9);
      PaddedRows<Scalar> by_descent(Dense<Scalar>(begin.cast<Scalar>()));
      PaddedRows<Scalar> by_steps(Dense<Scalar>(begin.cast<Scalar>()));
      const std::vector<Scalar> epsilon(static_cast<std::size_t>(size), Scalar{0});
      const std::vector<int> ends = {static_cast<int>(size / 2), static_cast<int>(size)};
      VectorD descended = values_at(gram, given, dense(by_descent).middleRows(2, count));
      VectorD stepped = descended;
      const VectorD room = tolerance * descended.cwiseAbs();
      for (int i = 0; i < 30; ++i) {
        quadratic.descend(linear, by_descent, 2, count, 2);
        quadratic.multiply(linear, by_steps, 2, count, ends, epsilon);
        const VectorD descent = values_at(gram, given, dense(by_descent).middleRows(2, count));
        const VectorD step = values_at(gram, given, dense(by_steps).middleRows(2, count));
        EXPECT_LE((descent - descended - room).maxCoeff(), 0);
        EXPECT_LE((step - stepped - room).maxCoeff(), 0);
        descended = descent;
        stepped = step;
      }
      EXPECT_GE(dense(by_descent).minCoeff(), 0);
      EXPECT_GE(dense(by_steps).minCoeff(), 0);
      EXPECT_LE((descended - stepped - room).maxCoeff(), 0) << "faster, or as fast";
      for (const Eigen::Index row : {Eigen::Index{0}, Eigen::Index{1}, count + 2}) {
        EXPECT_LT((dense(by_descent).row(row) - begin.row(row)).cwiseAbs().maxCoeff(), 1e-7);
        EXPECT_LT((dense(by_steps).row(row) - begin.row(row)).cwiseAbs().maxCoeff(), 1e-7);
      }
    }
}

TEST(Nonnegative, NoStepRaisesTheQuadratic) {
  expect_descent<double>(1e-12);
  expect_descent<float>(1e-5);
}

TEST(Nonnegative, OneSweepIsCoordinateByCoordinate) {
  const MatrixD gram{{2, 1, 0.5}, {1, 3, -1}, {0.5, -1, 4}};
  const VectorD linear{{4, -5, 6}};
  VectorD x{{1, 1, 1}};
  PaddedRows<double> rows(Dense<double>(x.transpose()));
  const PaddedRows<double> given(Dense<double>(linear.transpose()));
  NonnegativeQuadratic<double>(gram).descend(given, rows, 0, 1, 1);
  for (int k = 0; k < 3; ++k)
    x(k) = std::max(0.0, x(k) + (linear(k) - gram.row(k).dot(x)) / gram(k, k));
  EXPECT_LT((rows.dense().row(0).transpose() - x).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Nonnegative, ACoordinateWithoutWeightKeepsItsValue) {
  const MatrixD gram{{2, 0}, {0, 0}};
  PaddedRows<float> rows(Matrix{{1, 5}});
  NonnegativeQuadratic<float>(gram).descend(PaddedRows<float>(Matrix{{4, 0}}), rows, 0, 1, 3);
  EXPECT_EQ(rows.dense(), (Matrix{{2, 5}}));
  const std::vector<float> epsilon(2);
  const int ends[] = {2};
  NonnegativeQuadratic<float>(gram).multiply(PaddedRows<float>(Matrix{{4, 0}}), rows, 0, 1, ends,
                                             epsilon);
  EXPECT_EQ(rows.dense(), (Matrix{{2, 0}})) << "zero by zero is zero";
}

TEST(Nonnegative, GramSumAgreesWithTheProduct) {
  for (const Eigen::Index size : {1, 15, 16, 33}) {
    const MatrixD all = random_matrix(200, size, 7);
    GramSum<float> single(size);
    GramSum<double> twice(size);
    single.add(PaddedRows<float>(Matrix(all.cast<float>())), 0, 150);
    single.add(PaddedRows<float>(Matrix(all.cast<float>())), 150, 50);
    twice.add(PaddedRows<double>(all), 0, 200);
    const MatrixD expected = all.transpose() * all;
    EXPECT_LT((single.result() - expected).cwiseAbs().maxCoeff(), 1e-5 * expected.maxCoeff());
    EXPECT_LT((twice.result() - expected).cwiseAbs().maxCoeff(), 1e-13 * expected.maxCoeff());
  }
}

template <class Scalar>
void expect_products(double tolerance) {
  const MatrixD dense = random_matrix(900, 21, 2);
  // Rows of 3, 0, 900 (in pieces) and 1 nonzeros.
  std::vector<std::int32_t> indices = {0, 8, 3};
  for (std::int32_t i = 0; i < 900; ++i) indices.push_back(i);
  indices.push_back(899);
  const std::vector<std::int64_t> starts = {0, 3, 3, 903, 904};
  std::vector<Scalar> values;
  MatrixD expected = MatrixD::Zero(4, 21);
  for (std::size_t row = 0; row < 4; ++row)
    for (auto i = static_cast<std::size_t>(starts[row]);
         i < static_cast<std::size_t>(starts[row + 1]); ++i) {
      values.push_back(static_cast<Scalar>(1 + i % 5));
      expected.row(static_cast<Eigen::Index>(row)) +=
          static_cast<double>(1 + i % 5) * dense.row(indices[i]);
    }
  const BasicSparseView<Scalar> a{4, 900, starts, indices, values};
  const PaddedRows<Scalar> b(Dense<Scalar>(dense.cast<Scalar>()));
  PaddedRows<Scalar> into(4, 21);
  multiply_rows(a, 0, 4, b, into);
  EXPECT_LT((into.dense().template cast<double>() - expected).cwiseAbs().maxCoeff(),
            tolerance * expected.maxCoeff());
  EXPECT_NEAR(overlap(into, b, 5, 3),
              expected.topRows(3).cwiseProduct(dense.middleRows(5, 3)).sum(),
              tolerance * expected.sum());
  multiply_rows(a, 2, 2, b, into);
  EXPECT_LT((into.dense().template cast<double>().topRows(2) - expected.bottomRows(2))
                .cwiseAbs()
                .maxCoeff(),
            tolerance * expected.maxCoeff());
}

TEST(Nonnegative, ProductsWithASparseMatrixAgreeWithTheSum) {
  expect_products<double>(1e-14);
  expect_products<float>(1e-6);
}

}  // namespace nonnegative_test
}  // namespace commonplace

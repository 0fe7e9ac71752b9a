#include "commonplace/math/lowest_eigenpairs.h"

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace lowest_eigenpairs_test {

using Dense = Eigen::MatrixXd;

Dense random_dense(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Dense result(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      result(i, j) =
          random_uniform(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) - 0.5;
  return result;
}

/// A and B as matrices.
struct Given {
  Dense a;
  Dense b;

  EigenProblem problem(bool exact = true) const {
    EigenProblem result;
    result.size = a.rows();
    result.multiply_a = [this](const MatrixD& vectors) { return MatrixD(a * vectors); };
    result.multiply_b = [this](const MatrixD& vectors) { return MatrixD(b * vectors); };
    const Eigen::LLT<Dense> factor(b);
    const VectorD diagonal = b.diagonal();
    if (exact)
      result.precondition = [factor](const MatrixD& vectors) {
        return MatrixD(factor.solve(vectors));
      };
    else
      result.precondition = [diagonal](const MatrixD& vectors) {
        return MatrixD(diagonal.cwiseInverse().asDiagonal() * vectors);
      };
    return result;
  }
};

/// A and B of which the pairs have these eigenvalues.
Given with_eigenvalues(const VectorD& values, std::uint64_t seed) {
  const Eigen::Index n = values.size();
  const Dense q = Eigen::HouseholderQR<Dense>(random_dense(n, n, seed)).householderQ();
  Dense root = random_dense(n, n, seed + 1) / std::sqrt(static_cast<double>(n));
  root.diagonal().array() += 1;
  Given result;
  result.b = root * root.transpose();
  result.a = root * q * values.asDiagonal() * q.transpose() * root.transpose();
  result.a = ((result.a + result.a.transpose()) / 2).eval();
  return result;
}

Given random_problem(Eigen::Index size, std::uint64_t seed) {
  return with_eigenvalues(random_dense(size, 1, seed + 7).col(0), seed);
}

/// The same by Eigen's solver.
struct Expected {
  explicit Expected(const Given& given) {
    const Eigen::GeneralizedSelfAdjointEigenSolver<Dense> solver(given.a, given.b);
    values = solver.eigenvalues();
    vectors = solver.eigenvectors();
  }
  VectorD values;
  Dense vectors;
};

void expect_pairs(const Given& given, const Eigenpairs& found, std::int64_t count) {
  const Expected expected(given);
  ASSERT_EQ(found.values.size(), count);
  EXPECT_TRUE(found.converged);
  EXPECT_LT(found.residuals.maxCoeff(), 1e-9);
  EXPECT_LT((found.values - expected.values.head(count)).cwiseAbs().maxCoeff(), 1e-9);
  const Dense gram = found.vectors.transpose() * given.b * found.vectors;
  EXPECT_LT((gram - Dense::Identity(count, count)).cwiseAbs().maxCoeff(), 1e-9);
  const double largest = expected.values.cwiseAbs().maxCoeff();
  for (std::int64_t k = 0; k < count; ++k) {
    const VectorD a = given.a * found.vectors.col(k);
    const VectorD b = given.b * found.vectors.col(k);
    EXPECT_LT((a - found.values(k) * b).norm(), 1e-8 * (a.norm() + largest * b.norm()));
    Eigen::Index greatest = 0;
    found.vectors.col(k).cwiseAbs().maxCoeff(&greatest);
    EXPECT_GT(found.vectors(greatest, k), 0);
  }
}

EigenOptions of_count(std::int64_t count) {
  EigenOptions options;
  options.count = count;
  options.jobs = 1;
  return options;
}

TEST(LowestEigenpairs, AreThoseOfADenseSolver) {
  for (const std::int64_t size : {1, 5, 40, 150, 151, 300})
    for (const std::int64_t count : {1, 7, 30}) {
      SCOPED_TRACE(std::to_string(size) + " " + std::to_string(count));
      const Given given = random_problem(size, 3);
      const Eigenpairs found =
          lowest_eigenpairs(given.problem(), MatrixD(size, 0), of_count(count));
      expect_pairs(given, found, std::min(size, count));
    }
}

TEST(LowestEigenpairs, AnyPreconditionerWillDo) {
  const Given given = random_problem(250, 5);
  const Eigenpairs exact = lowest_eigenpairs(given.problem(), MatrixD(), of_count(10));
  const Eigenpairs rough = lowest_eigenpairs(given.problem(false), MatrixD(), of_count(10));
  expect_pairs(given, exact, 10);
  expect_pairs(given, rough, 10);
  EXPECT_LT(exact.rounds, rough.rounds);
}

/// More equal eigenvalues than a round has vectors, at the end and in the middle of what is wanted.
TEST(LowestEigenpairs, RepeatedOnesAreAllFound) {
  for (const int repeats : {12, 30, 34}) {
    SCOPED_TRACE(repeats);
    VectorD values = random_dense(300, 1, 4).col(0);
    values.head(repeats).setConstant(-1);
    values.segment(60, 4).setConstant(-1.5);
    const Given given = with_eigenvalues(values, 8);
    const Eigenpairs found = lowest_eigenpairs(given.problem(), MatrixD(), of_count(30));
    expect_pairs(given, found, 30);
    EXPECT_NEAR(found.values(4), -1, 1e-10);
    EXPECT_NEAR(found.values(std::min(29, repeats + 3)), -1, 1e-10);
  }
  const Given nothing = with_eigenvalues(VectorD::Zero(300), 2);
  const Eigenpairs zeros = lowest_eigenpairs(nothing.problem(), MatrixD(), of_count(5));
  EXPECT_LT(zeros.values.cwiseAbs().maxCoeff(), 1e-12);
  VectorD few = VectorD::Zero(300);
  few(7) = 1;
  const Given singular = with_eigenvalues(few, 2);
  expect_pairs(singular, lowest_eigenpairs(singular.problem(), MatrixD(), of_count(5)), 5);
}

TEST(LowestEigenpairs, AStartNearbySavesRounds) {
  const Given given = random_problem(300, 9);
  const Eigenpairs cold = lowest_eigenpairs(given.problem(), MatrixD(), of_count(20));
  Given near = given;
  const Dense bump = random_dense(300, 3, 11);
  near.a += 1e-5 * bump * bump.transpose();
  const Eigenpairs again = lowest_eigenpairs(near.problem(), MatrixD(), of_count(20));
  const Eigenpairs warm = lowest_eigenpairs(near.problem(), cold.vectors, of_count(20));
  expect_pairs(near, warm, 20);
  EXPECT_LT(warm.rounds, again.rounds);
}

/// Vectors that are exact already, but of other eigenvalues, do not end it.
TEST(LowestEigenpairs, AStartCannotHideLowerOnes) {
  const Given given = random_problem(300, 12);
  const Expected all(given);
  for (const Eigen::Index first : {1, 40, 250}) {
    SCOPED_TRACE(first);
    const MatrixD start = all.vectors.middleCols(first, 20);
    expect_pairs(given, lowest_eigenpairs(given.problem(), start, of_count(20)), 20);
  }
  MatrixD poor = MatrixD::Zero(300, 200);
  expect_pairs(given, lowest_eigenpairs(given.problem(), poor, of_count(20)), 20);
  poor.setOnes();
  expect_pairs(given, lowest_eigenpairs(given.problem(), poor, of_count(20)), 20);
}

TEST(LowestEigenpairs, ScalesDoNotMatter) {
  const Given given = random_problem(300, 13);
  for (const double scale : {1e-9, 1e9}) {
    const Given other{given.a * scale, given.b / scale};
    const Eigenpairs found = lowest_eigenpairs(other.problem(), MatrixD(), of_count(10));
    EXPECT_TRUE(found.converged);
    const VectorD expected = Expected(given).values.head(10) * scale * scale;
    EXPECT_LT((found.values - expected).cwiseAbs().maxCoeff(), 1e-9 * scale * scale);
  }
}

TEST(LowestEigenpairs, RunsRepeatWithAnyJobs) {
  const Given given = random_problem(300, 14);
  EigenOptions options = of_count(12);
  options.jobs = 1;
  const Eigenpairs once = lowest_eigenpairs(given.problem(), MatrixD(), options);
  options.jobs = 3;
  const Eigenpairs twice = lowest_eigenpairs(given.problem(), MatrixD(), options);
  EXPECT_EQ(once.vectors, twice.vectors);
  EXPECT_EQ(once.values, twice.values);
}

TEST(LowestEigenpairs, NotConvergingIsSaid) {
  const Given given = random_problem(300, 15);
  EigenOptions options = of_count(10);
  options.max_rounds = 1;
  const Eigenpairs found = lowest_eigenpairs(given.problem(), MatrixD(), options);
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.rounds, 1);
  EXPECT_EQ(found.values.size(), 10);
  EXPECT_GT(found.residuals.maxCoeff(), 1e-3);
}

TEST(LowestEigenpairs, BadInputIsRefused) {
  for (const Eigen::Index size : {20, 300}) {
    const Given good = random_problem(size, 16);
    const auto message = [&](const Given& given, const EigenOptions& options,
                             const MatrixD& start = MatrixD()) {
      EigenProblem problem = good.problem();
      problem.multiply_a = given.problem().multiply_a;
      problem.multiply_b = given.problem().multiply_b;
      return test::message_of([&] { lowest_eigenpairs(problem, start, options); });
    };
    EXPECT_EQ(message(good, {}), "");
    Given bad = good;
    bad.b = -bad.b;
    EXPECT_NE(message(bad, {}).find("positive definite"), std::string::npos);
    bad = good;
    bad.b.bottomRightCorner(5, 5).diagonal().array() -= 50;
    EXPECT_NE(message(bad, {}).find("positive definite"), std::string::npos);
    bad = good;
    bad.a(3, 3) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(message(bad, {}).find("not finite"), std::string::npos);
    EXPECT_TRUE(message(good, of_count(0)).starts_with("count is 0"));
    EigenOptions options;
    options.tolerance = 0;
    EXPECT_TRUE(message(good, options).starts_with("tolerance is "));
    options = {};
    options.max_rounds = 0;
    EXPECT_TRUE(message(good, options).starts_with("max_rounds is "));
    EXPECT_TRUE(message(good, {}, MatrixD::Ones(size + 1, 2)).starts_with("the start "));
    EXPECT_THROW(lowest_eigenpairs({}, MatrixD(), {}), Error);
    EigenProblem shape = good.problem();
    shape.precondition = shape.multiply_a = [](const MatrixD&) { return MatrixD(1, 1); };
    EXPECT_THROW(lowest_eigenpairs(shape, MatrixD(), {}), Error);
  }
}

}  // namespace lowest_eigenpairs_test
}  // namespace commonplace

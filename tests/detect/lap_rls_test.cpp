#include "commonplace/detect/core/lap_rls.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace lap_rls_test {

using namespace detect;

using test::message_of;
using test::normal_matrix;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class A, class B>
double worst(const A& a, const B& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  return (a.template cast<double>() - b.template cast<double>()).cwiseAbs().maxCoeff();
}

/// About half of each sign.
MatrixD random_labels(Eigen::Index rows, Eigen::Index concepts, std::uint64_t seed) {
  return normal_matrix(rows, concepts, seed).unaryExpr([](double x) { return x > 0 ? 1.0 : -1.0; });
}

VectorD random_penalty(Eigen::Index columns) {
  return normal_matrix(columns, 1, 99).cwiseAbs().array() + 0.01;
}

LapRlsOptions without_bias(double lambda = 100) {
  LapRlsOptions options;
  options.lambda = lambda;
  options.bias = false;
  return options;
}

LapRlsOptions with_bias(double lambda = 100) {
  LapRlsOptions options = without_bias(lambda);
  options.bias = true;
  return options;
}

TEST(LapRls, SolveTheEquation) {
  for (const Eigen::Index rows : {1, 5, 19, 20, 21, 300}) {
    const MatrixD u = 0.1 * normal_matrix(rows, 20, 1);
    const MatrixD labels = random_labels(rows, 3, 2);
    const VectorD penalty = random_penalty(20);
    for (const double lambda : {0.5, 100.0}) {
      const MatrixD expected = test::naive_lap_rls(u, labels, penalty, lambda);
      EXPECT_LT(worst(fit_lap_rls(u, labels, penalty, without_bias(lambda)), expected),
                1e-9 * std::max(1.0, expected.cwiseAbs().maxCoeff()))
          << rows;
    }
  }
}

/// With a bias: the same as one more column of ones that costs nothing.
TEST(LapRls, ABiasIsAFreeConstant) {
  for (const Eigen::Index rows : {6, 300}) {
    const MatrixD u = 0.1 * normal_matrix(rows, 20, 3).array() + 0.05;
    const MatrixD labels = random_labels(rows, 3, 5);
    MatrixD more(rows, 21);
    more << u, VectorD::Ones(rows);
    VectorD penalty(21);
    penalty << random_penalty(20), 0;
    const MatrixD expected = test::naive_lap_rls(more, labels, penalty, 7);
    VectorD bias;
    const MatrixD alpha = fit_lap_rls(u, labels, penalty.head(20), with_bias(7), {}, &bias);
    EXPECT_LT(worst(alpha, MatrixD(expected.topRows(20))), 1e-8);
    EXPECT_LT(worst(bias, VectorD(expected.row(20).transpose())), 1e-8);
  }
}

TEST(LapRls, BothFormsAgree) {
  const Matrix u = (0.05 * normal_matrix(30, 40, 4)).cast<float>();
  const MatrixD labels = random_labels(30, 4, 5);
  const VectorD penalty = random_penalty(40);
  std::vector<double> weights;
  for (int i = 0; i < 30; ++i) weights.push_back(0.5 + i % 4);
  for (const auto& options : {without_bias(), with_bias(), with_bias(0.3)}) {
    LapRlsStatistics statistics(40, 4);
    add_rows(statistics, u, labels, weights);
    VectorD few_bias;
    VectorD many_bias;
    const MatrixD few = fit_lap_rls(u, labels, penalty, options, weights, &few_bias);
    const MatrixD many = solve_lap_rls(statistics, penalty, options, &many_bias);
    EXPECT_LT(worst(few, many), 1e-8 * many.cwiseAbs().maxCoeff());
    EXPECT_LT(worst(few_bias, many_bias), 1e-8);
  }
}

TEST(LapRls, WeightsCountRowsSoOften) {
  const MatrixD u = normal_matrix(12, 6, 6);
  const MatrixD labels = random_labels(12, 2, 7);
  std::vector<double> weights(12, 1.0);
  weights[3] = 2;
  weights[5] = 0;
  std::vector<Eigen::Index> repeated = {0, 1, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11};
  const MatrixD expected = fit_lap_rls(MatrixD(u(repeated, Eigen::all)),
                                       MatrixD(labels(repeated, Eigen::all)), random_penalty(6));
  EXPECT_LT(worst(fit_lap_rls(u, labels, random_penalty(6), {}, weights), expected), 1e-10);
}

TEST(LapRlsStatistics, RowsComeAndGo) {
  const Matrix u = normal_matrix(50, 8, 8).cast<float>();
  const MatrixD labels = random_labels(50, 3, 9);
  const VectorD penalty = random_penalty(8);
  LapRlsStatistics all(8, 3);
  add_rows(all, u, labels);
  for (const int ranks : {1, 2, 3, 4})
    run_as_threads(ranks, [&](Comm& comm) {
      const RowRange own = rows_of_rank(50, comm.rank(), comm.size());
      const auto count = own.end - own.begin;
      LapRlsStatistics pieces(8, 3);
      add_rows(pieces, u.middleRows(own.begin, count), labels.middleRows(own.begin, count));
      sum_over_ranks(pieces, comm);
      EXPECT_EQ(pieces.rows, 50);
      EXPECT_EQ(pieces.weight, 50);
      EXPECT_LT(worst(solve_lap_rls(pieces, penalty), solve_lap_rls(all, penalty)), 1e-10);
    });
  remove_rows(all, u.bottomRows(30), labels.bottomRows(30));
  LapRlsStatistics few(8, 3);
  add_rows(few, u.topRows(20), labels.topRows(20));
  EXPECT_EQ(all.rows, 20);
  EXPECT_LT(worst(solve_lap_rls(all, penalty), solve_lap_rls(few, penalty)), 1e-10);
  // A label that changes its mind.
  MatrixD turned = labels.topRows(20);
  turned(4, 1) *= -1;
  remove_rows(all, u.middleRows(4, 1), labels.middleRows(4, 1));
  add_rows(all, u.middleRows(4, 1), turned.middleRows(4, 1));
  LapRlsStatistics fresh(8, 3);
  add_rows(fresh, u.topRows(20), turned);
  EXPECT_LT(worst(solve_lap_rls(all, penalty), solve_lap_rls(fresh, penalty)), 1e-10);
  EXPECT_GT(worst(solve_lap_rls(all, penalty), solve_lap_rls(few, penalty)), 1e-4);
  EXPECT_THROW(remove_rows(all, u, labels), Error);
}

/// Each concept on its own labelled rows is what it is by itself.
TEST(LapRls, ConceptsMayBeLabelledOnDifferentRows) {
  const MatrixD u = normal_matrix(15, 6, 10);
  MatrixD labels = random_labels(15, 5, 11);
  labels.col(1).head(4).setZero();
  labels.col(2).head(4).setZero();
  labels.col(3).setZero();
  labels.col(4).tail(12).setZero();
  labels.col(4).head(3).setOnes();
  const VectorD penalty = random_penalty(6);
  VectorD bias;
  const MatrixD together = fit_lap_rls(u, labels, penalty, with_bias(), {}, &bias);
  for (const Eigen::Index i : {0, 1, 2})
    EXPECT_LT(worst(MatrixD(together.col(i)),
                    fit_lap_rls(i == 0 ? u : MatrixD(u.bottomRows(11)),
                                i == 0 ? MatrixD(labels.col(0)) : MatrixD(labels.col(i).tail(11)),
                                penalty, with_bias())),
              1e-12);
  EXPECT_EQ(together.col(3).cwiseAbs().maxCoeff(), 0) << "nothing is known of it";
  EXPECT_EQ(bias(3), 0);
  EXPECT_LT(worst(MatrixD(together.col(4)),
                  test::naive_lap_rls(u.topRows(3), labels.col(4).head(3), penalty, 100)),
            1e-9)
      << "examples alone, without counter-examples, are solved without a bias";
  EXPECT_GT(together.col(4).norm(), 0.01);
}

TEST(LapRlsStatistics, EqualLabelsAreSolvedWithoutABias) {
  const Matrix u = normal_matrix(30, 6, 12).cast<float>();
  MatrixD labels = random_labels(30, 2, 13);
  labels.col(1).setOnes();
  LapRlsStatistics statistics(6, 2);
  add_rows(statistics, u, labels);
  VectorD bias;
  const MatrixD alpha = solve_lap_rls(statistics, random_penalty(6), with_bias(), &bias);
  const MatrixD plain = solve_lap_rls(statistics, random_penalty(6), without_bias());
  EXPECT_EQ(alpha.col(1), plain.col(1));
  EXPECT_EQ(bias(1), 0);
  EXPECT_GT((alpha.col(0) - plain.col(0)).norm(), 1e-6);
}

TEST(LapRls, ScoresOfARowAloneAreTheSameBits) {
  const Matrix u = normal_matrix(70, 30, 14).cast<float>();
  const MatrixD alpha = normal_matrix(30, 3, 15);
  const Matrix scores = lap_rls_scores(u, alpha);
  EXPECT_LT(worst(scores, MatrixD(u.cast<double>() * alpha)), 1e-4);
  for (const Eigen::Index row : {0, 33, 69})
    EXPECT_EQ(lap_rls_scores(u.middleRows(row, 1), alpha), scores.row(row));
}

TEST(LapRls, JobsDoNotMatter) {
  const Matrix u = normal_matrix(300, 60, 16).cast<float>();
  const MatrixD labels = random_labels(300, 3, 17);
  LapRlsOptions options = with_bias();
  const MatrixD once = fit_lap_rls(u, labels, random_penalty(60), options, {}, nullptr, 1);
  EXPECT_EQ(fit_lap_rls(u, labels, random_penalty(60), options, {}, nullptr, 3), once);
}

TEST(LapRls, BadInputIsRefused) {
  const MatrixD u = normal_matrix(5, 3, 18);
  const MatrixD labels = random_labels(5, 1, 19);
  const VectorD penalty = VectorD::Ones(3);
  for (const double lambda : {0.0, -1.0, kNaN})
    EXPECT_TRUE(message_of([&] {
                  fit_lap_rls(u, labels, penalty, with_bias(lambda));
                }).starts_with("lambda is "));
  EXPECT_THROW(fit_lap_rls(u, labels, VectorD::Ones(2)), Error);
  EXPECT_THROW(fit_lap_rls(u, labels, VectorD::Constant(3, -1)), Error);
  EXPECT_THROW(fit_lap_rls(u, labels, VectorD::Constant(3, kNaN)), Error);
  EXPECT_THROW(fit_lap_rls(u, MatrixD(labels.topRows(4)), penalty), Error);
  EXPECT_THROW(fit_lap_rls(u, labels, penalty, {}, std::vector<double>{1, 1}), Error);
  EXPECT_THROW(fit_lap_rls(u, labels, penalty, {}, std::vector<double>{1, 1, -1, 1, 1}), Error);
  MatrixD bad = u;
  bad(2, 1) = kNaN;
  EXPECT_TRUE(
      message_of([&] { fit_lap_rls(bad, labels, penalty); }).starts_with("labelled row 3 "));
  LapRlsStatistics statistics(4, 1);
  EXPECT_THROW(add_rows(statistics, Matrix(u.cast<float>()), labels), Error);
  EXPECT_THROW(constant_penalty(3, 0), Error);
  EXPECT_EQ(constant_penalty(3, 2), VectorD::Constant(3, 2));
}

TEST(LapRlsStatistics, ABadRowAmongManyIsNamedAndNothingIsAdded) {
  const Matrix rows = normal_matrix(5000, 6, 31).cast<float>();
  const MatrixD labels = random_labels(5000, 2, 32);
  LapRlsStatistics statistics(6, 2);
  add_rows(statistics, rows, labels);
  const LapRlsStatistics before = statistics;
  for (const double value : {kNaN, std::numeric_limits<double>::infinity()}) {
    Matrix bad = rows;
    bad(4321, 5) = static_cast<float>(value);
    EXPECT_NE(message_of([&] { add_rows(statistics, bad, labels); }).find("row 4322"),
              std::string::npos);
    MatrixD bad_labels = labels;
    bad_labels(2999, 1) = value;
    EXPECT_NE(message_of([&] { add_rows(statistics, rows, bad_labels); }).find("row 3000"),
              std::string::npos);
  }
  EXPECT_EQ(statistics.gram, before.gram);
  EXPECT_EQ(statistics.right, before.right);
  EXPECT_EQ(statistics.rows, 5000);
}

TEST(LapRls, FreeColumnsAreAllowed) {
  const MatrixD u = normal_matrix(5, 8, 20);
  const MatrixD alpha = fit_lap_rls(u, random_labels(5, 1, 21), VectorD::Zero(8));
  EXPECT_TRUE(alpha.allFinite());
}

}  // namespace lap_rls_test
}  // namespace commonplace

#include "commonplace/learn/one_vs_rest_linear.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/learn/sparse_one_vs_rest_linear.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/naive_graphs.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace one_vs_rest_linear_test {

using test::message_of;
using test::normal_matrix;

OneVsRestLinearOptions exact(const std::string& loss, const std::string& solver = "newton") {
  OneVsRestLinearOptions options;
  options.loss = loss;
  options.solver = solver;
  options.tolerance = 1e-7;
  return options;
}

/// Labels that rows tell of, with some turned round and some not there.
MatrixD noisy_labels(const MatrixD& rows, Eigen::Index concepts) {
  const MatrixD truth = rows * normal_matrix(rows.cols(), concepts, 77);
  MatrixD result(rows.rows(), concepts);
  Rng rng(5);
  for (double& label : result.reshaped()) label = rng.uniform();
  for (Eigen::Index row = 0; row < result.rows(); ++row)
    for (Eigen::Index which = 0; which < concepts; ++which) {
      const double draw = result(row, which);
      const double label = truth(row, which) > 0.8 ? 1 : -1;
      result(row, which) = draw < 0.2 ? 0 : draw < 0.3 ? -label : label;
    }
  return result;
}

VectorD gradient_of(const OneVsRestLinear& model, const Matrix& rows, const MatrixD& labels,
                    Eigen::Index which, const OneVsRestLinearOptions& options) {
  const double with = static_cast<double>((labels.col(which).array() > 0).count());
  const double without = static_cast<double>((labels.col(which).array() < 0).count());
  test::LinearObjective objective{rows.cast<double>(),
                                  labels.col(which),
                                  options.loss,
                                  options.cost,
                                  options.balanced ? without / with : 1,
                                  0.5 * MatrixD::Identity(rows.cols(), rows.cols())};
  objective.bias_penalty = 0.5 / (options.bias * options.bias);
  const VectorD at_zero = gradient(objective, VectorD::Zero(rows.cols()), 0);
  return gradient(objective, model.weights.col(which).cast<double>(),
                  static_cast<double>(model.offset[static_cast<std::size_t>(which)])) /
         at_zero.norm();
}

void expect_no_gradient(const std::string& solver, const std::string& loss, bool balanced,
                        double bias) {
  const Matrix rows = normal_matrix(90, 12, 3).cast<float>();
  const MatrixD labels = noisy_labels(rows.cast<double>(), 3);
  OneVsRestLinearOptions options = exact(loss, solver);
  options.balanced = balanced;
  options.bias = bias;
  const OneVsRestLinear model = fit_one_vs_rest(rows, labels, options);
  ASSERT_EQ(model.weights.rows(), 12);
  ASSERT_EQ(model.weights.cols(), 3);
  EXPECT_TRUE(model.converged);
  for (Eigen::Index which = 0; which < 3; ++which) {
    EXPECT_LT(gradient_of(model, rows, labels, which, options).norm(), 1e-5)
        << solver << ' ' << loss << ' ' << balanced << ' ' << bias << ' ' << which;
    OneVsRestLinearOptions other = options;
    other.balanced = !balanced;
    EXPECT_GT(gradient_of(model, rows, labels, which, other).norm(), 1e-3);
  }
}

TEST(OneVsRestLinear, AreWhereTheGradientIsZero) {
  for (const std::string solver : {"newton", "liblinear"})
    for (const std::string loss : {"logistic", "svm"})
      for (const bool balanced : {false, true})
        for (const double bias : {1.0, 0.3}) expect_no_gradient(solver, loss, balanced, bias);
}

TEST(OneVsRestLinear, AreThoseOfSparseRows) {
  const Matrix rows = normal_matrix(60, 8, 4).cast<float>();
  const MatrixD labels =
      (noisy_labels(rows.cast<double>(), 2).array() > 0).select(MatrixD::Ones(60, 2), -1.0);
  for (const std::string loss : {"logistic", "svm"}) {
    const OneVsRestLinearOptions options = exact(loss, "liblinear");
    const SparseOneVsRestLinearOptions same{options.loss, options.cost, options.tolerance,
                                            options.bias, 0};
    const OneVsRestLinear found = fit_one_vs_rest(rows, labels, options);
    const Sparse features = test::to_sparse(rows.cast<double>());
    const SparseOneVsRestLinear expected =
        fit_sparse_one_vs_rest(features.view(), test::to_sparse(labels.cwiseMax(0.0)).view(), same);
    EXPECT_EQ(found.weights, expected.dense);
    EXPECT_EQ(found.offset, expected.offset);
    EXPECT_LT((score(found, rows) - score(expected, features.view())).cwiseAbs().maxCoeff(), 1e-5F);
    EXPECT_EQ(found.weights, fit_one_vs_rest(rows.cast<double>().eval(), labels, options).weights);
  }
}

/// With fewer rows than columns and a great cost too, where conjugate gradients have most to do.
TEST(OneVsRestLinear, AreTheSameByBothSolvers) {
  for (const auto& [items, features] : {std::pair{150, 10}, std::pair{30, 60}})
    for (const std::string loss : {"logistic", "svm"})
      for (const double cost : {0.01, 5.0, 500.0}) {
        const Matrix rows = normal_matrix(items, features, 4).cast<float>();
        const MatrixD labels = noisy_labels(rows.cast<double>(), 4);
        OneVsRestLinearOptions options = exact(loss);
        options.cost = cost;
        const OneVsRestLinear newton = fit_one_vs_rest(rows, labels, options);
        EXPECT_TRUE(newton.converged) << items << ' ' << loss << ' ' << cost;
        for (Eigen::Index which = 0; which < 4; ++which)
          EXPECT_LT(gradient_of(newton, rows, labels, which, options).norm(), 1e-5);
        if (cost > 100) continue;  // liblinear stops too soon
        options.solver = "liblinear";
        const OneVsRestLinear liblinear = fit_one_vs_rest(rows, labels, options);
        EXPECT_LT((newton.weights - liblinear.weights).norm(), 1e-3F * liblinear.weights.norm())
            << items << ' ' << loss << ' ' << cost;
        for (std::size_t which = 0; which < 4; ++which)
          EXPECT_NEAR(newton.offset[which], liblinear.offset[which],
                      1e-3 * (1 + std::abs(liblinear.offset[which])));
      }
}

TEST(OneVsRestLinear, AConceptAloneIsTheSameAsAmongOthers) {
  const Matrix rows = normal_matrix(80, 9, 4).cast<float>();
  const MatrixD labels = noisy_labels(rows.cast<double>(), 6);
  for (const std::string loss : {"logistic", "svm"}) {
    const OneVsRestLinear whole = fit_one_vs_rest(rows, labels, exact(loss));
    const OneVsRestLinear alone = fit_one_vs_rest(rows, MatrixD(labels.col(2)), exact(loss));
    EXPECT_EQ(whole.weights.col(2), alone.weights.col(0));
    EXPECT_EQ(whole.offset[2], alone.offset[0]);
  }
}

TEST(OneVsRestLinear, SayWhenTheyDidNotConverge) {
  const Matrix rows = normal_matrix(40, 5, 4).cast<float>();
  OneVsRestLinearOptions options = exact("logistic");
  options.tolerance = 1e-30;
  EXPECT_FALSE(fit_one_vs_rest(rows, noisy_labels(rows.cast<double>(), 2), options).converged);
}

TEST(OneVsRestLinear, RowsWithoutALabelDoNotCount) {
  const Matrix rows = normal_matrix(50, 6, 5).cast<float>();
  MatrixD labels = noisy_labels(rows.cast<double>(), 1);
  labels.bottomRows(20).setZero();
  const OneVsRestLinear whole = fit_one_vs_rest(rows, labels, exact("svm"));
  const OneVsRestLinear part = fit_one_vs_rest(rows.topRows(30), labels.topRows(30), exact("svm"));
  EXPECT_EQ(whole.weights, part.weights);
  EXPECT_EQ(whole.offset, part.offset);
}

TEST(OneVsRestLinear, DoNotDependOnJobsNorOnTheOrder) {
  const Matrix rows = normal_matrix(70, 10, 6).cast<float>();
  const MatrixD labels = noisy_labels(rows.cast<double>(), 5);
  const auto order = test::random_order(70, 2);
  for (const auto& [loss, solver] :
       {std::pair{"logistic", "newton"}, std::pair{"svm", "newton"},
        std::pair{"logistic", "liblinear"}, std::pair{"svm", "liblinear"}}) {
    OneVsRestLinearOptions options = exact(loss, solver);
    const OneVsRestLinear once = fit_one_vs_rest(rows, labels, options, {.jobs = 1});
    const OneVsRestLinear turned = fit_one_vs_rest(test::dense_in_order(rows, order),
                                                   MatrixD(labels(order, Eigen::all)), options);
    EXPECT_LT((once.weights - turned.weights).cwiseAbs().maxCoeff(), 1e-4F);
    const OneVsRestLinear again = fit_one_vs_rest(rows, labels, options, {.jobs = 3});
    EXPECT_EQ(once.weights, again.weights);
    EXPECT_EQ(once.offset, again.offset);
    const Matrix scores = score(once, rows, 1);
    EXPECT_EQ(scores, score(once, rows, 4));
    EXPECT_EQ(scores.row(9), score(once, rows.middleRows(9, 1)).row(0));
  }
}

TEST(OneVsRestLinear, SeparateWhatALineSeparates) {
  const Matrix moons = test::two_moons(200, 0.05, 1).cast<float>();
  const MatrixD labels = test::first_labels(200, 200);
  const double share = test::share_of_signs(score(fit_one_vs_rest(moons, labels), moons));
  EXPECT_GT(share, 0.7);
  EXPECT_LT(share, 0.97) << "no line parts the moons";
  const Matrix rows = normal_matrix(300, 5, 8).cast<float>();
  const MatrixD truth = rows.cast<double>() * normal_matrix(5, 1, 9);
  const MatrixD of_line = (truth.array() > 0).select(MatrixD::Ones(300, 1), -1.0);
  for (const std::string loss : {"logistic", "svm"}) {
    const OneVsRestLinear model =
        fit_one_vs_rest(rows.topRows(150), of_line.topRows(150), exact(loss));
    const Matrix scores = score(model, rows.bottomRows(150));
    const float middle = loss == "svm" ? 0.F : 0.5F;
    double right = 0;
    for (Eigen::Index row = 0; row < 150; ++row)
      right += (scores(row, 0) > middle) == (truth(row + 150, 0) > 0) ? 1 : 0;
    EXPECT_GT(right / 150, 0.93) << loss;
  }
}

TEST(OneVsRestLinear, EqualLabelsGiveAnOffset) {
  const Matrix rows = normal_matrix(4, 2, 1).cast<float>();
  MatrixD labels = MatrixD::Zero(4, 3);
  labels.col(0).setOnes();
  labels(2, 1) = -1;
  const OneVsRestLinear svm = fit_one_vs_rest(rows, labels);
  EXPECT_EQ(svm.weights, Matrix::Zero(2, 3));
  EXPECT_EQ(svm.offset, (std::vector<float>{1, -1, 0}));
  const Matrix logistic = score(fit_one_vs_rest(rows, labels, exact("logistic")), rows);
  EXPECT_GT(logistic(0, 0), 0.8);
  EXPECT_LT(logistic(0, 1), 0.3);
  EXPECT_EQ(logistic(0, 2), 0.5F);
}

TEST(OneVsRestLinear, BadInputIsRefused) {
  const Matrix rows = normal_matrix(6, 2, 1).cast<float>();
  const MatrixD labels = test::first_labels(6, 6);
  struct Case {
    const char* name;
    std::function<void(OneVsRestLinearOptions&)> spoil;
  };
  for (const auto& [name, spoil] : std::vector<Case>{
           {"loss", [](auto& options) { options.loss = "hinge"; }},
           {"solver", [](auto& options) { options.solver = "guess"; }},
           {"cost", [](auto& options) { options.cost = -1; }},
           {"tolerance", [](auto& options) { options.tolerance = 0; }},
           {"bias",
            [](auto& options) { options.bias = std::numeric_limits<double>::infinity(); }}}) {
    OneVsRestLinearOptions options;
    spoil(options);
    const std::string message = message_of([&] { fit_one_vs_rest(rows, labels, options); });
    EXPECT_TRUE(message.starts_with(std::string(name) + " is ")) << message;
  }
  Matrix holed = rows;
  holed(3, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(message_of([&] { fit_one_vs_rest(holed, labels); }).find("row 3"), std::string::npos);
  MatrixD strange = labels;
  strange(2, 0) = 2;
  EXPECT_NE(message_of([&] { fit_one_vs_rest(rows, strange); }).find("row 2"), std::string::npos);
  EXPECT_THROW(fit_one_vs_rest(rows, MatrixD(labels.topRows(5))), Error);
  EXPECT_THROW(fit_one_vs_rest(rows, MatrixD(6, 0)), Error);
  EXPECT_THROW(fit_one_vs_rest(Matrix(0, 2), MatrixD(0, 1)), Error);
  EXPECT_THROW(score(fit_one_vs_rest(rows, labels), Matrix::Zero(1, 3)), Error);
  EXPECT_THROW(
      fit_one_vs_rest(rows, labels, {},
                      {.jobs = 1, .progress = [](const ProgressStep&) { throw Cancelled(); }}),
      Cancelled);
}

}  // namespace one_vs_rest_linear_test
}  // namespace commonplace

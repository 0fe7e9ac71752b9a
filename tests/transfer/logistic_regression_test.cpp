#include "commonplace/transfer/core/logistic_regression.h"

#include <cmath>
#include <mutex>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/transfer/core/naive_bayes.h"
#include "tests/support/planted_chain.h"

namespace commonplace {
namespace logistic_regression_test {

using namespace transfer;

const test::PlantedChain kPlanted{.collections = 1, .classes = 3, .items = 101, .noise = 0.5};

/// The mean loss written down once more, with whole matrices.
double loss_of(const LogisticRegression& model, const MatrixD& x, const MatrixD& classes,
               double cost) {
  const double scale = std::sqrt(static_cast<double>(x.rows()) / x.squaredNorm());
  MatrixD scores = scale * x * model.weights;
  scores.rowwise() += model.offset;
  double loss = 0;
  for (Eigen::Index row = 0; row < x.rows(); ++row)
    for (Eigen::Index k = 0; k < classes.cols(); ++k)
      loss -= classes(row, k) * (scores(row, k) - std::log(scores.row(row).array().exp().sum()));
  const double items = static_cast<double>(x.rows());
  return loss / items + model.weights.squaredNorm() / (2 * cost * items);
}

TEST(LogisticRegression, FindsTheMinimum) {
  const Sparse rows = kPlanted.rows(0);
  MatrixD x = MatrixD::Zero(rows.rows(), rows.columns);
  for (std::int64_t row = 0; row < rows.rows(); ++row)
    for (std::size_t i = 0; i < rows.view().row_indices(row).size(); ++i)
      x(row, rows.view().row_indices(row)[i]) = static_cast<double>(rows.view().row_values(row)[i]);
  const MatrixD classes = (class_indicators(kPlanted.labels(), 3).array() * 0.7 + 0.1).matrix();
  SelfComm comm;
  LogisticRegressionOptions options;
  options.iterations = 3000;
  options.tolerance = 1e-7;
  const LogisticRegression model = fit_logistic_regression(
      rows.view(), classes, features_in_use(rows.view(), comm), options, {comm});
  EXPECT_TRUE(model.report.converged);
  const double least = loss_of(model, x, classes, options.cost);
  EXPECT_NEAR(model.report.objective.back(), least, 1e-9);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    LogisticRegression moved = model;
    for (Eigen::Index i = 0; i < moved.weights.size(); ++i)
      moved.weights.data()[i] +=
          1e-3 * (random_uniform(seed, static_cast<std::uint64_t>(i), 0) - 0.5);
    moved.offset(0) += 1e-3 * (random_uniform(seed, 0, 1) - 0.5);
    EXPECT_GT(loss_of(moved, x, classes, options.cost), least - 1e-10);
  }
}

TEST(LogisticRegression, LeavesOutWhatIsNotUsedOrNotKnown) {
  const Sparse rows = kPlanted.rows(0);
  std::vector<std::uint8_t> used(static_cast<std::size_t>(rows.columns), 1);
  used[3] = 0;
  MatrixD classes = class_indicators(kPlanted.labels(), 3);
  const LogisticRegression all = fit_logistic_regression(rows.view(), classes, used, {}, {});
  EXPECT_EQ(all.weights.row(3).norm(), 0);
  EXPECT_GT(all.weights.norm(), 0);
  EXPECT_GT(test::share_right(class_evidence(all, rows.view(), {}), kPlanted.labels()), 0.9);
  classes.bottomRows(50).setZero();
  const MatrixD told =
      class_evidence(fit_logistic_regression(rows.view(), classes, used, {}, {}), rows.view(), {});
  EXPECT_GT(test::share_right(told, kPlanted.labels()), 0.6);
}

TEST(LogisticRegression, RanksAgree) {
  SelfComm self;
  const Sparse rows = kPlanted.rows(0);
  const MatrixD classes = class_indicators(kPlanted.labels(), 3);
  const LogisticRegression one =
      fit_logistic_regression(rows.view(), classes, features_in_use(rows.view(), self), {}, {self});
  for (const int ranks : {2, 3}) {
    std::mutex lock;
    run_as_threads(ranks, [&](Comm& comm) {
      const RowRange range = rows_of_rank(101, comm.rank(), comm.size());
      const Sparse part = kPlanted.rows(0, range.begin, range.end);
      const LogisticRegression found = fit_logistic_regression(
          part.view(), classes.middleRows(range.begin, range.end - range.begin),
          features_in_use(part.view(), comm), {}, {comm});
      const std::lock_guard guard(lock);
      EXPECT_LT((found.weights - one.weights).cwiseAbs().maxCoeff(), 1e-7);
    });
  }
}

TEST(LogisticRegression, RefusesWhatDoesNotFit) {
  const Sparse items{2, {0, 1}, {0}, {1}};
  EXPECT_THROW(fit_logistic_regression(items.view(), MatrixD::Ones(2, 2), {1, 1}, {}, {}), Error);
  EXPECT_THROW(fit_logistic_regression(items.view(), MatrixD::Ones(1, 2), {1}, {}, {}), Error);
  EXPECT_THROW(fit_logistic_regression(items.view(), MatrixD::Zero(1, 2), {1, 1}, {}, {}), Error);
  LogisticRegressionOptions options;
  options.cost = 0;
  EXPECT_THROW(fit_logistic_regression(items.view(), MatrixD::Ones(1, 2), {1, 1}, options, {}),
               Error);
}

}  // namespace logistic_regression_test
}  // namespace commonplace

#include "commonplace/learn/label_propagation.h"

#include <functional>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/learn/neighbour_graph.h"
#include "commonplace/learn/one_vs_rest_linear.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/naive_graphs.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace label_propagation_test {

using test::message_of;
using test::normal_matrix;
using test::to_dense;

Sparse graph_of(const MatrixD& rows, std::int64_t neighbours = 8) {
  return neighbour_graph(rows.cast<float>(), {neighbours, "euclidean"}).weights;
}

/// Labels of every fifth item, by the signs of its first numbers; the last concept has none.
MatrixD some_labels(const MatrixD& rows) {
  MatrixD result = MatrixD::Zero(rows.rows(), 3);
  for (Eigen::Index row = 0; row < rows.rows(); row += 5)
    for (Eigen::Index which = 0; which < 2; ++which)
      result(row, which) = rows(row, which) > 0.3 ? 1 : -1;
  return result;
}

LabelPropagationOptions exact(double alpha) {
  LabelPropagationOptions options;
  options.alpha = alpha;
  options.tolerance = 1e-10;
  return options;
}

TEST(LabelPropagation, IsTheInverseTimesTheLabels) {
  const MatrixD rows = normal_matrix(120, 3, 1);
  const Sparse graph = graph_of(rows);
  const MatrixD labels = some_labels(rows);
  for (const double alpha : {0.3, 0.9, 0.999}) {
    const LabelPropagation found = propagate_labels(graph.view(), labels, exact(alpha));
    const MatrixD expected = test::naive_propagation(to_dense(graph.view()), labels, alpha);
    EXPECT_TRUE(found.report.converged);
    EXPECT_EQ(static_cast<int>(found.report.objective.size()), found.report.iterations);
    EXPECT_LE(found.report.objective.back(), 1e-10);
    EXPECT_LT((found.scores.cast<double>() - expected).norm(), 1e-6 * expected.norm()) << alpha;
    EXPECT_EQ(found.scores.col(2), Eigen::VectorXf::Zero(120));
  }
}

TEST(LabelPropagation, BalancedLabelsAddUpToNothing) {
  const MatrixD rows = normal_matrix(100, 2, 2);
  const Sparse graph = graph_of(rows);
  MatrixD labels = some_labels(rows);
  LabelPropagationOptions options = exact(0.9);
  options.balanced = true;
  const Matrix found = propagate_labels(graph.view(), labels, options).scores;
  for (Eigen::Index which = 0; which < 2; ++which) {
    const double with = static_cast<double>((labels.col(which).array() > 0).count());
    const double without = static_cast<double>((labels.col(which).array() < 0).count());
    ASSERT_NE(with, without);
    for (double& label : labels.col(which))
      if (label < 0) label *= with / without;
  }
  const MatrixD expected = test::naive_propagation(to_dense(graph.view()), labels, 0.9);
  EXPECT_LT((found.cast<double>() - expected).norm(), 1e-6 * expected.norm());
}

TEST(LabelPropagation, FollowsMoonsThatNoLineParts) {
  const MatrixD moons = test::two_moons(300, 0.05, 1);
  const MatrixD labels = test::first_labels(300, 6);
  const LabelPropagation found = propagate_labels(graph_of(moons).view(), labels);
  EXPECT_TRUE(found.report.converged);
  EXPECT_GT(test::share_of_signs(found.scores), 0.99);
  const Matrix rows = moons.cast<float>();
  EXPECT_LT(test::share_of_signs(score(fit_one_vs_rest(rows, labels), rows)), 0.95);
}

TEST(LabelPropagation, SaysWhenItDidNotConverge) {
  const MatrixD rows = normal_matrix(100, 2, 3);
  LabelPropagationOptions options = exact(0.999);
  options.iterations = 3;
  const LabelPropagation found =
      propagate_labels(graph_of(rows).view(), some_labels(rows), options);
  EXPECT_FALSE(found.report.converged);
  EXPECT_EQ(found.report.iterations, 3);
}

TEST(LabelPropagation, DoesNotReachOtherParts) {
  MatrixD rows = normal_matrix(40, 2, 4);
  rows.bottomRows(20).array() += 100;
  MatrixD labels = MatrixD::Zero(40, 1);
  labels(3, 0) = 1;
  const Matrix scores = propagate_labels(graph_of(rows, 4).view(), labels, exact(0.99)).scores;
  EXPECT_GT(scores(3, 0), 0);
  EXPECT_EQ(scores.bottomRows(20), Matrix::Zero(20, 1));
}

TEST(LabelPropagation, DoesNotDependOnJobsNorOnTheOrder) {
  const MatrixD rows = normal_matrix(1500, 3, 5);
  const MatrixD labels = some_labels(rows);
  LabelPropagationOptions options;
  const LabelPropagation once =
      propagate_labels(graph_of(rows).view(), labels, options, {.jobs = 1});
  EXPECT_EQ(once.scores,
            propagate_labels(graph_of(rows).view(), labels, options, {.jobs = 3}).scores);
  const auto order = test::random_order(1500, 6);
  const LabelPropagation turned = propagate_labels(graph_of(rows(order, Eigen::all)).view(),
                                                   MatrixD(labels(order, Eigen::all)), options);
  EXPECT_LT((test::dense_in_order(once.scores, order) - turned.scores).norm(),
            1e-4F * once.scores.norm());
}

TEST(LabelPropagation, BadInputIsRefused) {
  const MatrixD rows = normal_matrix(20, 2, 6);
  const Sparse graph = graph_of(rows, 3);
  const MatrixD labels = some_labels(rows);
  struct Case {
    const char* name;
    std::function<void(LabelPropagationOptions&)> spoil;
  };
  for (const auto& [name, spoil] :
       std::vector<Case>{{"alpha", [](auto& options) { options.alpha = 1; }},
                         {"alpha", [](auto& options) { options.alpha = 0; }},
                         {"tolerance", [](auto& options) { options.tolerance = 0; }},
                         {"iterations", [](auto& options) { options.iterations = 0; }}}) {
    LabelPropagationOptions options;
    spoil(options);
    const std::string message =
        message_of([&] { propagate_labels(graph.view(), labels, options); });
    EXPECT_TRUE(message.starts_with(std::string(name) + " is ")) << message;
  }
  EXPECT_THROW(propagate_labels(graph.view(), MatrixD(labels.topRows(19))), Error);
  EXPECT_THROW(propagate_labels(graph.view(), 0.5 * labels), Error);
  Sparse bent = graph;
  bent.values[0] *= 2;
  EXPECT_THROW(propagate_labels(bent.view(), labels), Error);
  EXPECT_THROW(
      propagate_labels(graph.view(), labels, {},
                       {.jobs = 1, .progress = [](const ProgressStep&) { throw Cancelled(); }}),
      Cancelled);
}

}  // namespace label_propagation_test
}  // namespace commonplace

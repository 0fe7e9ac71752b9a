#include "commonplace/detect/rivals/graph_eigenmaps.h"

#include <functional>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/learn/neighbour_graph.h"
#include "commonplace/learn/one_vs_rest_linear.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/naive_graphs.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace graph_eigenmaps_test {

using namespace detect;

using test::message_of;
using test::normal_matrix;
using test::to_dense;

Sparse graph_of(const MatrixD& rows, std::int64_t neighbours = 6) {
  return neighbour_graph(rows.cast<float>(), {neighbours, "euclidean"}).weights;
}

GraphEigenmapOptions so_many(std::int64_t count) {
  GraphEigenmapOptions options;
  options.count = count;
  return options;
}

MatrixD laplacian(const Sparse& graph) {
  return MatrixD::Identity(graph.rows(), graph.rows()) -
         test::naive_normalised(to_dense(graph.view()));
}

/// Places that are apart by more than they are wide.
MatrixD heaps(std::int64_t count, Eigen::Index each) {
  MatrixD rows = normal_matrix(count * each, 2, 9);
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    rows(row, 0) += 100.0 * static_cast<double>(row % count);
  return rows;
}

TEST(GraphEigenmaps, AreThoseOfADenseSolver) {
  for (const auto& [items, count] : {std::pair{240, 20}, std::pair{240, 150}, std::pair{40, 39}}) {
    const Sparse graph = graph_of(normal_matrix(items, 3, 1));
    const GraphEigenmaps found = graph_eigenmaps(graph.view(), so_many(count));
    const MatrixD dense = laplacian(graph);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(dense);
    EXPECT_TRUE(found.report.converged);
    EXPECT_EQ(found.parts, 1);
    ASSERT_EQ(found.vectors.cols(), count);
    EXPECT_LT((found.eigenvalues - solver.eigenvalues().segment(1, count)).cwiseAbs().maxCoeff(),
              1e-9);
    EXPECT_LE(found.residuals.maxCoeff(), 1e-8);
    const MatrixD vectors = found.vectors.cast<double>();
    EXPECT_LT((vectors.transpose() * vectors - MatrixD::Identity(count, count)).norm(), 1e-5);
    const MatrixD expected =
        test::signs_of(solver.eigenvectors().middleCols(1, 10), vectors.leftCols(10));
    EXPECT_LT((vectors.leftCols(10) - expected).cwiseAbs().maxCoeff(), 1e-4);
    for (Eigen::Index column = 0; column < count; ++column)
      EXPECT_GT(found.vectors.col(column).maxCoeff() + found.vectors.col(column).minCoeff(), -1e-6);
  }
}

TEST(GraphEigenmaps, OfPartsComeFirst) {
  for (const Eigen::Index each : {10, 60}) {
    const Sparse graph = graph_of(heaps(4, each));
    const GraphEigenmaps found = graph_eigenmaps(graph.view(), so_many(8));
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(laplacian(graph));
    EXPECT_TRUE(found.report.converged);
    EXPECT_EQ(found.parts, 4);
    ASSERT_EQ(found.vectors.cols(), 8);
    EXPECT_EQ(found.eigenvalues.head(3).maxCoeff(), 0);
    EXPECT_GT(found.eigenvalues(3), 1e-4);
    EXPECT_LT((found.eigenvalues - solver.eigenvalues().segment(1, 8)).cwiseAbs().maxCoeff(), 1e-9);
    const MatrixD vectors = found.vectors.cast<double>();
    EXPECT_LT((vectors.transpose() * vectors - MatrixD::Identity(8, 8)).norm(), 1e-5);
    const VectorD trivial = NormalisedGraph(graph.view()).degrees().cwiseSqrt();
    EXPECT_LT((vectors.transpose() * trivial.normalized()).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_EQ(graph_eigenmaps(graph.view(), so_many(2)).eigenvalues, VectorD::Zero(2));
  }
}

TEST(GraphEigenmaps, ItemsTiedToNothingAreNoneOfThem) {
  MatrixD weights = MatrixD::Zero(6, 6);
  for (Eigen::Index item = 0; item + 2 < 6; ++item)
    weights(item, item + 1) = weights(item + 1, item) = 1;
  const Sparse graph = test::to_sparse(weights);
  const GraphEigenmaps found = graph_eigenmaps(graph.view(), so_many(10));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(laplacian(graph));
  ASSERT_EQ(found.vectors.cols(), 5);
  EXPECT_EQ(found.parts, 1);
  EXPECT_TRUE(found.report.converged);
  EXPECT_LT((found.eigenvalues - solver.eigenvalues().tail(5)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(GraphEigenmaps, MakeALinePartRings) {
  const MatrixD rings = test::two_rings(400, 0.08, 1);
  const MatrixD labels = test::first_labels(400, 20);
  const GraphEigenmaps found = graph_eigenmaps(graph_of(rings).view(), so_many(10));
  ASSERT_TRUE(found.report.converged);
  OneVsRestLinearOptions head;
  head.cost = 1000;
  EXPECT_GT(
      test::share_of_signs(score(fit_one_vs_rest(found.vectors, labels, head), found.vectors)),
      0.98);
  const Matrix rows = rings.cast<float>();
  EXPECT_LT(test::share_of_signs(score(fit_one_vs_rest(rows, labels, head), rows)), 0.75);
}

TEST(GraphEigenmaps, SayWhenTheyDidNotConverge) {
  const Sparse graph = graph_of(normal_matrix(400, 2, 3));
  GraphEigenmapOptions options = so_many(30);
  options.iterations = 1;
  options.tolerance = 1e-13;
  const GraphEigenmaps found = graph_eigenmaps(graph.view(), options);
  EXPECT_FALSE(found.report.converged);
  EXPECT_EQ(found.vectors.cols(), found.eigenvalues.size());
  EXPECT_EQ(found.vectors.cols(), found.residuals.size());
}

TEST(GraphEigenmaps, DoNotDependOnJobsNorOnTheOrder) {
  const MatrixD rows = normal_matrix(250, 3, 5);
  const GraphEigenmaps once = graph_eigenmaps(graph_of(rows).view(), so_many(12), {.jobs = 1});
  const GraphEigenmaps again = graph_eigenmaps(graph_of(rows).view(), so_many(12), {.jobs = 3});
  EXPECT_EQ(once.vectors, again.vectors);
  EXPECT_EQ(once.eigenvalues, again.eigenvalues);
  const auto order = test::random_order(250, 6);
  const GraphEigenmaps turned =
      graph_eigenmaps(graph_of(rows(order, Eigen::all)).view(), so_many(12));
  EXPECT_LT((once.eigenvalues - turned.eigenvalues).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT((test::dense_in_order(once.vectors, order) - turned.vectors).cwiseAbs().maxCoeff(),
            1e-3F);
}

TEST(GraphEigenmaps, BadInputIsRefused) {
  const Sparse graph = graph_of(normal_matrix(150, 2, 6), 3);
  struct Case {
    const char* name;
    std::function<void(GraphEigenmapOptions&)> spoil;
  };
  for (const auto& [name, spoil] :
       std::vector<Case>{{"count", [](auto& options) { options.count = 0; }},
                         {"tolerance", [](auto& options) { options.tolerance = -1; }},
                         {"iterations", [](auto& options) { options.iterations = 0; }}}) {
    GraphEigenmapOptions options;
    spoil(options);
    const std::string message = message_of([&] { graph_eigenmaps(graph.view(), options); });
    EXPECT_TRUE(message.starts_with(std::string(name) + " is ")) << message;
  }
  Sparse bent = graph;
  bent.values[0] *= 2;
  EXPECT_THROW(graph_eigenmaps(bent.view()), Error);
  EXPECT_THROW(graph_eigenmaps(test::to_sparse(MatrixD::Zero(5, 5)).view()), Error);
  EXPECT_THROW(graph_eigenmaps(graph.view(), so_many(3),
                               {.progress = [](const ProgressStep&) { throw Cancelled(); }}),
               Cancelled);
}

}  // namespace graph_eigenmaps_test
}  // namespace commonplace

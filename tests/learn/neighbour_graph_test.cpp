#include "commonplace/learn/neighbour_graph.h"

#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/naive_graphs.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace neighbour_graph_test {

using test::message_of;
using test::normal_matrix;
using test::to_dense;

NeighbourGraphOptions graph_options(std::int64_t neighbours, const std::string& metric,
                                    double bandwidth = 0) {
  return {neighbours, metric, bandwidth};
}

TEST(NeighbourGraph, IsThatOfASort) {
  const Matrix rows = normal_matrix(60, 4, 1).cast<float>();
  for (const std::string metric : {"cosine", "euclidean"})
    for (const std::int64_t neighbours : {1, 5, 59, 1000})
      for (const double bandwidth : {0.0, 0.7}) {
        const NeighbourGraph found =
            neighbour_graph(rows, graph_options(neighbours, metric, bandwidth));
        double expected_bandwidth = bandwidth;
        const MatrixD expected = test::naive_neighbour_graph(
            rows.cast<double>(), neighbours, metric == "cosine", expected_bandwidth);
        EXPECT_NEAR(found.bandwidth, expected_bandwidth, 1e-6);
        const MatrixD weights = to_dense(found.weights.view());
        EXPECT_LT((weights - expected).cwiseAbs().maxCoeff(), 1e-6) << metric << neighbours;
        EXPECT_EQ(weights, weights.transpose());
        EXPECT_EQ(weights.diagonal().maxCoeff(), 0);
        EXPECT_EQ((weights.array() > 0).count(), found.weights.nonzeros());
      }
}

TEST(NeighbourGraph, FindsSmallDistancesFarFromTheOrigin) {
  Matrix rows = normal_matrix(80, 3, 2).cast<float>();
  rows.array() += 4096.F;
  double bandwidth = 0;
  const MatrixD expected = test::naive_neighbour_graph(rows.cast<double>(), 4, false, bandwidth);
  const NeighbourGraph found = neighbour_graph(rows, graph_options(4, "euclidean"));
  EXPECT_LT((to_dense(found.weights.view()) - expected).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(NeighbourGraph, DoesNotDependOnJobsNorOnTheOrder) {
  const Matrix rows = normal_matrix(70, 5, 3).cast<float>();
  const auto order = test::random_order(70, 4);
  for (const std::string metric : {"cosine", "euclidean"}) {
    NeighbourGraphOptions options = graph_options(6, metric);
    const NeighbourGraph once = neighbour_graph(rows, options, 1);
    const MatrixD whole = to_dense(once.weights.view());
    const NeighbourGraph turned = neighbour_graph(test::dense_in_order(rows, order), options);
    EXPECT_LT(
        (to_dense(turned.weights.view()) - MatrixD(whole(order, order))).cwiseAbs().maxCoeff(),
        1e-6);
    const NeighbourGraph again = neighbour_graph(rows, options, 3);
    EXPECT_EQ(once.weights.values, again.weights.values);
    EXPECT_EQ(once.weights.indices, again.weights.indices);
  }
}

TEST(NeighbourGraph, EqualRowsAndFarOnesAreTied) {
  Matrix rows = Matrix::Ones(6, 2);
  const NeighbourGraph equal = neighbour_graph(rows, graph_options(2, "euclidean"));
  for (const float weight : equal.weights.values) EXPECT_EQ(weight, 1.F);
  rows(5, 0) = 1e6F;
  const NeighbourGraph far = neighbour_graph(rows, graph_options(2, "euclidean", 0.1));
  EXPECT_GE(far.weights.view().row_indices(5).size(), 2u);
  for (const float weight : far.weights.values) EXPECT_GT(weight, 0.F);
}

TEST(NeighbourGraph, BadInputIsRefused) {
  const Matrix rows = normal_matrix(5, 3, 1).cast<float>();
  EXPECT_TRUE(message_of([&] {
                neighbour_graph(rows, graph_options(0, "cosine"));
              }).starts_with("neighbours is 0"));
  EXPECT_TRUE(message_of([&] {
                neighbour_graph(rows, graph_options(1, "city"));
              }).starts_with("metric is 'city'"));
  EXPECT_TRUE(message_of([&] {
                neighbour_graph(rows, graph_options(1, "cosine", -1));
              }).starts_with("bandwidth is -1"));
  EXPECT_THROW(neighbour_graph(rows.topRows(1)), Error);
  EXPECT_THROW(neighbour_graph(Matrix(3, 0)), Error);
  Matrix holed = rows;
  holed(4, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(message_of([&] { neighbour_graph(holed); }).find("row 4"), std::string::npos);
}

TEST(NormalisedGraph, IsTheGraphDividedByRootsOfDegrees) {
  const NeighbourGraph graph = neighbour_graph(normal_matrix(30, 3, 5).cast<float>());
  const MatrixD x = normal_matrix(30, 4, 6);
  const MatrixD expected = test::naive_normalised(to_dense(graph.weights.view())) * x;
  const NormalisedGraph normalised(graph.weights.view());
  EXPECT_LT((normalised.multiply(x, 1) - expected).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(normalised.multiply(x, 1), normalised.multiply(x, 3));
  EXPECT_THROW(normalised.multiply(normal_matrix(29, 1, 1)), Error);
}

TEST(NormalisedGraph, RefusesWhatIsNoGraph) {
  MatrixD weights = MatrixD::Zero(3, 3);
  weights(0, 1) = weights(1, 0) = 1;
  EXPECT_NO_THROW(NormalisedGraph(test::to_sparse(weights).view()));
  weights(2, 1) = 1;
  EXPECT_THROW(NormalisedGraph(test::to_sparse(weights).view()), Error);
  weights(1, 2) = 2;
  EXPECT_THROW(NormalisedGraph(test::to_sparse(weights).view()), Error);
  weights(1, 2) = weights(2, 1) = -1;
  EXPECT_THROW(NormalisedGraph(test::to_sparse(weights).view()), Error);
  EXPECT_THROW(NormalisedGraph(test::to_sparse(MatrixD::Ones(3, 2)).view()), Error);
}

TEST(ConnectedParts, AreNumberedByTheirFirstItems) {
  MatrixD weights = MatrixD::Zero(6, 6);
  weights(0, 3) = weights(3, 0) = weights(3, 5) = weights(5, 3) = weights(1, 2) = weights(2, 1) = 1;
  EXPECT_EQ(connected_parts(test::to_sparse(weights).view()),
            (std::vector<std::int32_t>{0, 1, 1, 0, 2, 0}));
}

}  // namespace neighbour_graph_test
}  // namespace commonplace

#include "commonplace/learn/sparse_neighbour_graph.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/learn/label_propagation.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_graphs.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace sparse_neighbour_graph_test {

using test::message_of;
using test::to_dense;
using test::to_sparse;

NeighbourGraphOptions graph_options(std::int64_t neighbours, double bandwidth = 0) {
  return {neighbours, "cosine", bandwidth};
}

/// Rows with holes of which any two have something in common.
Sparse overlapping_rows(std::int64_t items, std::uint64_t seed) {
  MatrixD rows = to_dense(test::random_counts(items, 25, 0.3, seed).view());
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    rows(row, 0) += random_uniform(seed, static_cast<std::uint64_t>(row), 99) + 0.1;
  return to_sparse(rows.cast<float>().cast<double>());
}

TEST(SparseNeighbourGraph, IsThatOfTheDenseRows) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Sparse rows = overlapping_rows(70, seed);
    const Matrix dense = to_dense(rows.view()).cast<float>();
    for (const std::int64_t neighbours : {1, 5, 40, 69, 1000})
      for (const double bandwidth : {0.0, 0.4}) {
        const auto options = graph_options(neighbours, bandwidth);
        const NeighbourGraph found = neighbour_graph(rows.view(), options);
        const NeighbourGraph expected = neighbour_graph(dense, options);
        EXPECT_NEAR(found.bandwidth, expected.bandwidth, 1e-7);
        EXPECT_EQ(found.weights.columns, 70);
        EXPECT_EQ(found.weights.starts, expected.weights.starts);
        ASSERT_EQ(found.weights.indices, expected.weights.indices) << neighbours;
        for (std::size_t i = 0; i < found.weights.values.size(); ++i)
          EXPECT_NEAR(found.weights.values[i], expected.weights.values[i], 1e-6F);
      }
  }
}

TEST(SparseNeighbourGraph, IsThatOfASort) {
  const Sparse rows = overlapping_rows(40, 4);
  double bandwidth = 0;
  const MatrixD expected = test::naive_neighbour_graph(to_dense(rows.view()), 6, true, bandwidth);
  const NeighbourGraph found = neighbour_graph(rows.view(), graph_options(6));
  EXPECT_NEAR(found.bandwidth, bandwidth, 1e-6);
  const MatrixD weights = to_dense(found.weights.view());
  EXPECT_LT((weights - expected).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_EQ(weights, weights.transpose());
}

TEST(SparseNeighbourGraph, TiesOnlyWhatHasSomethingInCommon) {
  MatrixD rows = MatrixD::Zero(6, 4);
  rows(0, 0) = rows(1, 0) = 1;
  rows(1, 1) = 1;
  rows(3, 2) = 2;
  rows(4, 2) = -1;
  rows(5, 3) = 1;
  const NeighbourGraph found = neighbour_graph(to_sparse(rows).view(), graph_options(3));
  MatrixD expected = MatrixD::Zero(6, 6);
  EXPECT_NEAR(found.bandwidth, std::sqrt(2 - std::sqrt(2)), 1e-6) << "of the two that are tied";
  expected(0, 1) = expected(1, 0) = std::exp(-0.5);
  EXPECT_LT((to_dense(found.weights.view()) - expected).cwiseAbs().maxCoeff(), 1e-6);

  Sparse nothing;
  nothing.columns = 4;
  for (int row = 0; row < 3; ++row) nothing.end_row();
  const NeighbourGraph empty = neighbour_graph(nothing.view());
  EXPECT_EQ(empty.weights.rows(), 3);
  EXPECT_EQ(empty.weights.nonzeros(), 0);
  EXPECT_EQ(empty.bandwidth, 0);
}

TEST(SparseNeighbourGraph, DoesNotDependOnJobsNorOnTheOrder) {
  const Sparse rows = test::random_counts(90, 40, 0.15, 5);
  NeighbourGraphOptions options = graph_options(6);
  const NeighbourGraph once = neighbour_graph(rows.view(), options, 1);
  EXPECT_TRUE(once.weights.view().row_indices(3).empty()) << "row 3 is all zeros";
  for (const int jobs : {2, 3}) {
    const NeighbourGraph again = neighbour_graph(rows.view(), options, jobs);
    EXPECT_EQ(once.weights.values, again.weights.values);
    EXPECT_EQ(once.weights.indices, again.weights.indices);
  }
  const Sparse real = overlapping_rows(60, 6);
  const auto order = test::random_order(60, 4);
  const Sparse shuffled = test::rows_in_order(real.view(), order);
  const MatrixD whole = to_dense(neighbour_graph(real.view(), options).weights.view());
  const MatrixD turned = to_dense(neighbour_graph(shuffled.view(), options).weights.view());
  EXPECT_LT((turned - MatrixD(whole(order, order))).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(SparseNeighbourGraph, RowsInTheMiddleOfALargerMatrix) {
  const Sparse rows = overlapping_rows(50, 7);
  const SparseView whole = rows.view();
  const SparseView part{20, whole.columns, whole.starts.subspan(10, 21), whole.indices,
                        whole.values};
  Sparse copied;
  copied.columns = whole.columns;
  for (std::int64_t row = 10; row < 30; ++row) copied.push_row(whole, row);
  const NeighbourGraph found = neighbour_graph(part, graph_options(4));
  const NeighbourGraph expected = neighbour_graph(copied.view(), graph_options(4));
  EXPECT_EQ(found.weights.indices, expected.weights.indices);
  EXPECT_EQ(found.weights.values, expected.weights.values);
}

/// Two subjects whose words hardly mix; one labelled item each is enough.
TEST(SparseNeighbourGraph, LabelsSpreadOverIt) {
  Sparse rows;
  rows.columns = 40;
  Rng rng(8);
  for (int item = 0; item < 80; ++item) {
    for (int word = 0; word < 20; ++word)
      if (rng.uniform() < 0.3) rows.push(20 * (item % 2) + word, 1);
    rows.end_row();
  }
  const NeighbourGraph graph = neighbour_graph(rows.view(), graph_options(5));
  const LabelPropagation spread = propagate_labels(graph.weights.view(), test::first_labels(80, 2));
  EXPECT_EQ(test::share_of_signs(spread.scores), 1);
}

TEST(SparseNeighbourGraph, BadInputIsRefused) {
  Sparse rows = overlapping_rows(5, 1);
  NeighbourGraphOptions options = graph_options(2);
  for (const std::string metric : {"euclidean", "city"}) {
    options.metric = metric;
    EXPECT_TRUE(message_of([&] {
                  neighbour_graph(rows.view(), options);
                }).starts_with("metric is '" + metric));
  }
  EXPECT_THROW(neighbour_graph(rows.view(), graph_options(0)), Error);
  EXPECT_THROW(neighbour_graph(rows.view(), graph_options(1, -1)), Error);
  Sparse alone;
  alone.columns = 3;
  alone.end_row();
  EXPECT_THROW(neighbour_graph(alone.view()), Error);
  rows.values[static_cast<std::size_t>(rows.starts[4])] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(message_of([&] { neighbour_graph(rows.view()); }).find("row 4"), std::string::npos);
}

}  // namespace sparse_neighbour_graph_test
}  // namespace commonplace

#include "commonplace/relate/rivals/locality_projection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace locality_projection_test {

using namespace relate;

using test::message_of;
using test::random_features;
using test::to_dense;
using test::to_sparse;

LocalityProjectionOptions options_of(std::int64_t dim, double ridge) {
  LocalityProjectionOptions options;
  options.dim = dim;
  options.ridge = ridge;
  options.neighbours = 4;
  return options;
}

MatrixD float_features(Eigen::Index rows, Eigen::Index columns, double density,
                       std::uint64_t seed) {
  return random_features(rows, columns, density, seed).cast<float>().cast<double>();
}

struct Solution {
  VectorD values;
  MatrixD vectors;  ///< pᵀ B p = 1
};

/// The eigenproblem written out with dense matrices: `blocks` are the columns of each view, which
/// have a ridge of their own.
Solution naive_solution(MatrixD rows, const MatrixD& graph, double ridge, bool centre,
                        const std::vector<std::pair<Eigen::Index, Eigen::Index>>& blocks) {
  const VectorD degrees = graph.rowwise().sum();
  Eigen::Index item = 0;
  Eigen::Index column = 0;
  for (const auto& [items, columns] : blocks) {
    auto block = rows.block(item, column, items, columns);
    const VectorD own = degrees.segment(item, items);
    const Eigen::RowVectorXd mean = own.transpose() * block / own.sum();
    if (centre) block.rowwise() -= mean;
    item += items;
    column += columns;
  }
  const MatrixD held = rows.transpose() * degrees.asDiagonal() * rows;
  const MatrixD a = held - rows.transpose() * graph * rows;
  MatrixD b = held;
  column = 0;
  for (const auto& [items, columns] : blocks) {
    auto diagonal = b.diagonal().segment(column, columns);
    diagonal.array() += ridge * diagonal.mean();
    column += columns;
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(a, b);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

double worst_up_to_sign(const MatrixD& a, const MatrixD& b) {
  double result = 0;
  for (Eigen::Index c = 0; c < a.cols(); ++c) {
    const double sign = a.col(c).dot(b.col(c)) < 0 ? -1 : 1;
    result = std::max(result, (a.col(c) - sign * b.col(c)).cwiseAbs().maxCoeff());
  }
  return result;
}

void expect_solution(const GuidedProjectionFit& fit, const MatrixD& projection,
                     const Solution& expected) {
  ASSERT_TRUE(fit.report.converged);
  const std::int64_t dim = fit.model.dim();
  EXPECT_LT((fit.model.eigenvalues - expected.values.head(dim)).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT(worst_up_to_sign(projection, expected.vectors.leftCols(dim)), 1e-5);
}

TEST(LocalityProjection, AgreesWithTheEigenproblemWrittenOut) {
  const MatrixD rows = float_features(50, 7, 1, 1);
  const Matrix dense = rows.cast<float>();
  const Sparse sparse = to_sparse(rows);
  for (const bool centre : {true, false})
    for (const double ridge : {0.0, 0.1})
      for (const FeatureRows& features : {FeatureRows(dense), FeatureRows(sparse)}) {
        LocalityProjectionOptions options = options_of(4, ridge);
        options.centre = centre;
        const MatrixD graph = to_dense(locality_graph(features, options).view());
        const auto fit = fit_locality_projection(features, options);
        expect_solution(fit, fit.model.modalities[0].projection,
                        naive_solution(rows, graph, ridge, centre, {{50, 7}}));
      }
}

TEST(LocalityProjection, TwoViewsAgreeWithTheEigenproblemWrittenOut) {
  const MatrixD first = float_features(40, 6, 1, 2);
  const MatrixD second = float_features(30, 5, 1, 3);
  const Matrix dense = first.cast<float>();
  const Sparse sparse = to_sparse(second);
  std::vector<ItemPair> pairs;
  for (std::int64_t i = 0; i < 40; ++i) pairs.emplace_back((i * 7) % 40, i % 30);
  pairs.push_back(pairs[5]);
  LocalityProjectionOptions options = options_of(5, 0.1);
  options.across = 2.5;
  const auto fit = fit_paired_locality_projection(dense, sparse, pairs, options);
  MatrixD graph = MatrixD::Zero(70, 70);
  graph.topLeftCorner(40, 40) = to_dense(locality_graph(dense, options).view());
  graph.bottomRightCorner(30, 30) = to_dense(locality_graph(sparse, options).view());
  for (const auto& [i, j] : pairs) graph(i, 40 + j) = graph(40 + j, i) = 2.5;
  MatrixD rows = MatrixD::Zero(70, 11);
  rows.topLeftCorner(40, 6) = first;
  rows.bottomRightCorner(30, 5) = second;
  MatrixD projection(11, 5);
  projection << fit.model.modalities[0].projection, fit.model.modalities[1].projection;
  expect_solution(fit, projection, naive_solution(rows, graph, 0.1, true, {{40, 6}, {30, 5}}));
  EXPECT_EQ(encode(fit.model, 0, dense).cols(), 5);
  EXPECT_EQ(encode(fit.model, 1, sparse).rows(), 30);
}

/// A graph of other weights and a diagonal; its scale changes nothing.
TEST(LocalityProjection, AGraphThatIsGiven) {
  const MatrixD rows = float_features(30, 5, 1, 4);
  const Matrix dense = rows.cast<float>();
  MatrixD graph = random_features(30, 30, 0.3, 5).cwiseAbs().cast<float>().cast<double>();
  graph = (graph + graph.transpose()).eval();
  graph.diagonal().setConstant(0.75);
  const auto fit = fit_locality_projection(dense, to_sparse(graph).view(), options_of(3, 0.2));
  expect_solution(fit, fit.model.modalities[0].projection,
                  naive_solution(rows, graph, 0.2, true, {{30, 5}}));
  const MatrixD large = 64 * graph;
  const auto scaled = fit_locality_projection(dense, to_sparse(large).view(), options_of(3, 0.2));
  EXPECT_LT((scaled.model.eigenvalues - fit.model.eigenvalues).cwiseAbs().maxCoeff(), 1e-7);
}

/// Without centring the constant is the first solution where the features have it.
TEST(LocalityProjection, TheConstantIsDropped) {
  MatrixD rows = float_features(40, 4, 1, 6);
  rows.col(0).setOnes();
  const Matrix dense = rows.cast<float>();
  LocalityProjectionOptions options = options_of(1, 1e-6);
  options.metric = "euclidean";
  options.centre = false;
  EXPECT_LT(fit_locality_projection(dense, options).model.eigenvalues[0], 1e-5);
  const Matrix rest = dense.rightCols(3);
  options.centre = true;
  const auto fit = fit_locality_projection(rest, options);
  EXPECT_GT(fit.model.eigenvalues[0], 0.01);
  const Matrix places = encode(fit.model, 0, rest);
  EXPECT_GT(places.maxCoeff() - places.minCoeff(), 0.01);
}

TEST(LocalityProjection, TheGraphOfSparseRows) {
  MatrixD rows = MatrixD::Zero(5, 4);
  rows << 1, 0, 0, 0, 2, 1, 0, 0, 0, 3, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0;
  const Sparse sparse = to_sparse(rows);
  LocalityProjectionOptions options = options_of(2, 0.1);
  options.neighbours = 1;
  const MatrixD graph = to_dense(locality_graph(sparse, options).view());
  MatrixD expected = MatrixD::Zero(5, 5);
  expected(0, 1) = expected(1, 0) = 2 / std::sqrt(5);
  expected(1, 2) = expected(2, 1) = 1 / std::sqrt(5);
  EXPECT_LT((graph - expected).cwiseAbs().maxCoeff(), 1e-6);
}

class LocalityProjectionOracle : public testing::TestWithParam<std::string> {};

/// Rows that are floats here and were doubles there, so that not all digits agree.
TEST_P(LocalityProjectionOracle, AgreesWithAnotherProgram) {
  if (test::oracle_directory().empty())
    GTEST_SKIP() << "no outputs of other programs at COMMONPLACE_ORACLES or tests/oracles";
  const auto numbers = [](const std::string& name) {
    return test::read_numbers(test::oracle_directory() / "proj" / (name + ".csv"));
  };
  const Matrix rows = numbers("X").cast<float>();
  const MatrixD expected = numbers(GetParam() + "_proj");
  LocalityProjectionOptions options = options_of(expected.cols(), 0);
  options.centre = false;
  const auto fit =
      fit_locality_projection(rows, to_sparse(numbers(GetParam() + "_W")).view(), options);
  MatrixD own = fit.model.modalities[0].projection;
  MatrixD theirs = expected;
  own.colwise().normalize();
  theirs.colwise().normalize();
  EXPECT_LT(worst_up_to_sign(own, theirs), 1e-5);
  if (GetParam() != "lpp") return;
  const MatrixD values = numbers("lpp_evals");
  for (Eigen::Index i = 0; i < fit.model.dim(); ++i)
    EXPECT_NEAR(fit.model.eigenvalues[i], values(i, 0), 1e-7);
}
INSTANTIATE_TEST_SUITE_P(Graphs, LocalityProjectionOracle, testing::Values("lpp", "lpp_heat"));

TEST(LocalityProjection, RefusesWhatItCannotUse) {
  const Matrix rows = random_features(20, 4, 1, 7).cast<float>();
  const auto refused = [&](auto spoil, const std::string& hint) {
    LocalityProjectionOptions options = options_of(2, 0.1);
    std::vector<ItemPair> pairs = {{0, 1}, {2, 3}};
    spoil(options, pairs);
    const std::string message =
        message_of([&] { fit_paired_locality_projection(rows, rows, pairs, options); });
    EXPECT_NE(message.find(hint), std::string::npos) << message << " / " << hint;
  };
  using Options = LocalityProjectionOptions;
  using Pairs = std::vector<ItemPair>;
  refused([](Options& options, Pairs&) { options.neighbours = 0; }, "neighbours");
  refused([](Options& options, Pairs&) { options.across = 0; }, "across");
  refused([](Options& options, Pairs&) { options.ridge = -1; }, "ridge");
  refused([](Options& options, Pairs&) { options.dim = 0; }, "dim");
  refused([](Options& options, Pairs&) { options.metric = "feet"; }, "feet");
  refused([](Options&, Pairs& pairs) { pairs[1].second = 20; }, "20");
  const Sparse small = to_sparse(MatrixD::Ones(19, 19));
  EXPECT_THROW(fit_locality_projection(rows, small.view()), Error);
  MatrixD askew = MatrixD::Zero(20, 20);
  askew(1, 2) = 1;
  EXPECT_THROW(fit_locality_projection(rows, to_sparse(askew).view()), Error);
}

}  // namespace locality_projection_test
}  // namespace commonplace

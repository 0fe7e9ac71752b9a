#include "commonplace/relate/rivals/canonical_correlation.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace canonical_correlation_test {

using namespace relate;

using test::message_of;
using test::random_features;
using test::to_sparse;

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

CanonicalCorrelationOptions options_of(std::int64_t dim, double ridge) {
  CanonicalCorrelationOptions options;
  options.dim = dim;
  options.ridge = ridge;
  return options;
}

std::vector<ItemPair> same_numbers(std::int64_t count) {
  std::vector<ItemPair> result;
  for (std::int64_t i = 0; i < count; ++i) result.emplace_back(i, i);
  return result;
}

/// Two sides that share some hidden numbers, and many-to-many pairs.
struct Linked {
  MatrixD first = random_features(40, 6, 1, 1).cast<float>().cast<double>();
  MatrixD second = random_features(30, 4, 1, 2).cast<float>().cast<double>();
  std::vector<ItemPair> pairs;

  Linked() {
    for (Eigen::Index i = 0; i < 40; ++i) {
      second(i % 30, 0) += first(i, 0);
      pairs.emplace_back(i, i % 30);
      pairs.emplace_back(i, (i * 7) % 30);
    }
    second = second.cast<float>().cast<double>();
  }
};

/// The pairs written out as rows of their own, and the definition by inverse roots.
VectorD naive_correlations(const MatrixD& first, const MatrixD& second,
                           const std::vector<ItemPair>& pairs, double ridge) {
  MatrixD x(std::ssize(pairs), first.cols());
  MatrixD y(std::ssize(pairs), second.cols());
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    x.row(static_cast<Eigen::Index>(p)) = first.row(pairs[p].first);
    y.row(static_cast<Eigen::Index>(p)) = second.row(pairs[p].second);
  }
  x.rowwise() -= x.colwise().mean().eval();
  y.rowwise() -= y.colwise().mean().eval();
  const auto inverse_root = [&](const MatrixD& rows) {
    Eigen::MatrixXd covariance = rows.transpose() * rows;
    covariance.diagonal().array() += ridge * covariance.diagonal().mean();
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
    return MatrixD(solver.operatorInverseSqrt());
  };
  const Eigen::MatrixXd whitened = inverse_root(x) * (x.transpose() * y) * inverse_root(y);
  return Eigen::BDCSVD<Eigen::MatrixXd>(whitened).singularValues();
}

TEST(CanonicalCorrelation, AgreesWithADecompositionOfThePairsWrittenOut) {
  const Linked data;
  for (const double ridge : {0.0, 0.1, 2.0}) {
    const auto model =
        fit_canonical_correlation(data.first, data.second, data.pairs, {}, options_of(30, ridge));
    const VectorD expected = naive_correlations(data.first, data.second, data.pairs, ridge);
    ASSERT_EQ(model.dim(), 4);
    EXPECT_LT((model.correlations - expected).cwiseAbs().maxCoeff(), 1e-10) << ridge;
    const auto other = [&] {
      std::vector<ItemPair> turned;
      for (const auto& [i, j] : data.pairs) turned.emplace_back(j, i);
      return fit_canonical_correlation(data.second, data.first, turned, {}, options_of(30, ridge));
    }();
    EXPECT_LT((other.correlations - expected).cwiseAbs().maxCoeff(), 1e-10) << ridge;
    EXPECT_LT(worst(other.sides[1].projection.cwiseAbs(), model.sides[0].projection.cwiseAbs()),
              1e-8);
  }
}

/// The coordinates themselves have the variances and correlations that are promised.
TEST(CanonicalCorrelation, CoordinatesCorrelateAsTold) {
  const Linked data;
  const auto model =
      fit_canonical_correlation(data.first, data.second, data.pairs, {}, options_of(4, 0));
  const Matrix first = data.first.cast<float>();
  const Matrix second = data.second.cast<float>();
  const MatrixD a = encode(model, 0, first).cast<double>();
  const MatrixD b = encode(model, 1, second).cast<double>();
  MatrixD aa = MatrixD::Zero(4, 4);
  MatrixD ab = MatrixD::Zero(4, 4);
  MatrixD bb = MatrixD::Zero(4, 4);
  for (const auto& [i, j] : data.pairs) {
    aa += a.row(i).transpose() * a.row(i) / 80;
    ab += a.row(i).transpose() * b.row(j) / 80;
    bb += b.row(j).transpose() * b.row(j) / 80;
  }
  EXPECT_LT(worst(aa, MatrixD::Identity(4, 4)), 1e-5);
  EXPECT_LT(worst(bb, MatrixD::Identity(4, 4)), 1e-5);
  EXPECT_LT(worst(ab, MatrixD(model.correlations.asDiagonal())), 1e-5);
  EXPECT_GT(model.correlations[0], 0.4);
}

TEST(CanonicalCorrelation, APairTwiceIsAPairOfTwiceTheWeight) {
  const Linked data;
  std::vector<ItemPair> repeated;
  std::vector<double> weights;
  for (std::size_t p = 0; p < data.pairs.size(); ++p) {
    const std::size_t times = 1 + p % 3;
    repeated.insert(repeated.end(), times, data.pairs[p]);
    weights.push_back(2.5 * static_cast<double>(times));
  }
  const auto a = fit_canonical_correlation(data.first, data.second, repeated);
  const auto b = fit_canonical_correlation(data.first, data.second, data.pairs, weights);
  EXPECT_LT((a.correlations - b.correlations).cwiseAbs().maxCoeff(), 1e-12);
  for (const std::size_t side : {0, 1}) {
    EXPECT_LT(worst(a.sides[side].projection, b.sides[side].projection), 1e-9);
    EXPECT_LT(worst(a.sides[side].mean, b.sides[side].mean), 1e-12);
  }
  const auto unweighted = fit_canonical_correlation(data.first, data.second, data.pairs);
  EXPECT_GT((unweighted.correlations - b.correlations).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(CanonicalCorrelation, SparseAndDenseFeaturesAreTheSame) {
  const Linked data;
  const Matrix dense = data.first.cast<float>();
  const Sparse sparse = to_sparse(data.first);
  const Matrix other = data.second.cast<float>();
  const auto exact = fit_canonical_correlation(data.first, data.second, data.pairs);
  const auto a = fit_canonical_correlation(dense, other, data.pairs);
  const auto b = fit_canonical_correlation(sparse, other, data.pairs);
  EXPECT_EQ(a.sides[0].projection, exact.sides[0].projection);
  EXPECT_EQ(b.sides[0].projection, exact.sides[0].projection);
  const Matrix all = encode(a, 0, dense, 1);
  EXPECT_EQ(encode(b, 0, sparse, 3), all);
  EXPECT_EQ(encode(a, 0, slice(dense, 7, 1)), Matrix(all.row(7)));
}

/// More columns than the dense solver takes for all directions.
TEST(CanonicalCorrelation, ManyColumns) {
  const Matrix first = random_features(300, 410, 1, 3).cast<float>();
  Matrix second = random_features(300, 405, 1, 4).cast<float>();
  second.leftCols(3) += 3 * first.leftCols(3);
  const std::vector<ItemPair> pairs = same_numbers(300);
  CanonicalCorrelationOptions options = options_of(5, 0.5);
  const auto model = fit_canonical_correlation(first, second, pairs, {}, options, 1);
  const VectorD expected =
      naive_correlations(first.cast<double>(), second.cast<double>(), pairs, 0.5);
  EXPECT_LT((model.correlations - expected.head(5)).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(fit_canonical_correlation(first, second, pairs, {}, options, 2).sides[1].projection,
            model.sides[1].projection);
}

/// Directions of no correlation at all are still of length one and apart.
TEST(CanonicalCorrelation, NoCorrelation) {
  MatrixD first(4, 2);
  first << 1, 1, 1, -1, -1, 1, -1, -1;
  MatrixD second(4, 1);
  second << 1, -1, -1, 1;
  const auto model =
      fit_canonical_correlation(first, second, same_numbers(4), {}, options_of(3, 0));
  ASSERT_EQ(model.dim(), 1);
  EXPECT_NEAR(model.correlations[0], 0, 1e-7);
  EXPECT_NEAR(model.sides[0].projection.norm(), 1, 1e-12);
  EXPECT_NEAR(model.sides[1].projection.norm(), 1, 1e-12);
}

class CanonicalCorrelationOracle : public testing::Test {
 protected:
  void SetUp() override {
    if (test::oracle_directory().empty())
      GTEST_SKIP() << "no outputs of other programs at COMMONPLACE_ORACLES or tests/oracles";
  }
  static MatrixD numbers(const std::string& name) {
    return test::read_numbers(test::oracle_directory() / "proj" / (name + ".csv"));
  }
  /// The greatest difference of a column from the other's, up to length and sign.
  static double worst_direction(const MatrixD& a, const MatrixD& b) {
    double result = 0;
    for (Eigen::Index c = 0; c < b.cols(); ++c) {
      const VectorD x = a.col(c).normalized();
      const VectorD y = b.col(c).normalized();
      result = std::max(result, (x - (x.dot(y) < 0 ? -1 : 1) * y).cwiseAbs().maxCoeff());
    }
    return result;
  }
};

TEST_F(CanonicalCorrelationOracle, Correlations) {
  const auto model =
      fit_canonical_correlation(numbers("X"), numbers("Y"), same_numbers(60), {}, options_of(4, 0));
  const auto difference = [&](const std::string& name) {
    const MatrixD theirs = numbers(name);
    double result = 0;
    for (Eigen::Index i = 0; i < theirs.size(); ++i)
      result = std::max(result, std::abs(theirs.data()[i] - model.correlations[i]));
    return result;
  };
  EXPECT_LT(difference("cca_svd_corr"), 1e-10);
  EXPECT_LT(difference("cca_mw_corr"), 1e-10);
  EXPECT_LT(difference("cca_sklearn_corr"), 1e-8);
}

TEST_F(CanonicalCorrelationOracle, Directions) {
  const auto model =
      fit_canonical_correlation(numbers("X"), numbers("Y"), same_numbers(60), {}, options_of(4, 0));
  EXPECT_LT(worst_direction(model.sides[0].projection, numbers("cca_mw_V1")), 1e-8);
  EXPECT_LT(worst_direction(model.sides[1].projection, numbers("cca_mw_V2")), 1e-8);
  // This program stops when its vectors change by less than 1e-6 in square.
  EXPECT_LT(worst_direction(model.sides[0].projection, numbers("cca_sklearn_Xrot")), 1e-4);
  EXPECT_LT(worst_direction(model.sides[1].projection, numbers("cca_sklearn_Yrot")), 1e-4);
}

TEST(CanonicalCorrelation, RefusesWhatItCannotUse) {
  const Linked data;
  const auto refused = [&](auto spoil, const std::string& hint) {
    Linked bad;
    CanonicalCorrelationOptions options;
    std::vector<double> weights;
    spoil(bad, options, weights);
    const std::string message = message_of(
        [&] { fit_canonical_correlation(bad.first, bad.second, bad.pairs, weights, options); });
    EXPECT_NE(message.find(hint), std::string::npos) << message << " / " << hint;
  };
  using Options = CanonicalCorrelationOptions;
  using Weights = std::vector<double>;
  refused([](Linked&, Options& options, Weights&) { options.dim = 0; }, "dim");
  refused([](Linked&, Options& options, Weights&) { options.ridge = -1; }, "ridge");
  refused([](Linked& bad, Options&, Weights&) { bad.pairs[3].second = 30; }, "30");
  refused([](Linked& bad, Options&, Weights&) { bad.pairs[3].first = -1; }, "-1");
  refused([](Linked& bad, Options&, Weights&) { bad.pairs.resize(1); }, "2 or more");
  refused([](Linked&, Options&, Weights& weights) { weights = {1, 2}; }, "weights");
  refused([](Linked&, Options&, Weights& weights) { weights.assign(80, -1); }, "weight");
  refused([](Linked&, Options&, Weights& weights) { weights.assign(80, 0); }, "weight");
  refused([](Linked& bad, Options&, Weights&) { bad.second.setOnes(); }, "second");
  refused(
      [](Linked& bad, Options& options, Weights&) {
        bad.first.col(2) = bad.first.col(3);
        options.ridge = 0;
      },
      "raise the ridge");
  refused([](Linked& bad, Options&,
             Weights&) { bad.first(3, 3) = std::numeric_limits<double>::quiet_NaN(); },
          "item 4");
  refused([](Linked& bad, Options&, Weights&) { bad.first = MatrixD::Ones(40, 4001); }, "4001");
  const auto model = fit_canonical_correlation(data.first, data.second, data.pairs);
  const Matrix wide = Matrix::Ones(2, 7);
  EXPECT_THROW(encode(model, 0, wide), Error);
  EXPECT_THROW(encode(model, 2, wide), Error);
}

}  // namespace canonical_correlation_test
}  // namespace commonplace

#include "commonplace/relate/rivals/ridge_rows.h"

#include <algorithm>
#include <limits>
#include <string>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace ridge_rows_test {

using namespace relate;

using test::message_of;
using test::random_counts;
using test::random_features;
using test::to_dense;
using test::to_sparse;

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

/// Least squares of the centred rows with rows of √penalty below them, as the definition reads.
MatrixD naive_scores(const MatrixD& rows, const MatrixD& targets, double ridge, const MatrixD& to) {
  const Eigen::RowVectorXd mean = rows.colwise().mean();
  const Eigen::RowVectorXd target_mean = targets.colwise().mean();
  const Eigen::Index n = rows.rows();
  const Eigen::Index d = rows.cols();
  MatrixD x = MatrixD::Zero(n + d, d);
  x.topRows(n) = rows.rowwise() - mean;
  const double penalty = ridge * x.squaredNorm() / static_cast<double>(std::min(n, d));
  x.bottomRows(d).diagonal().setConstant(std::sqrt(penalty));
  MatrixD t = MatrixD::Zero(n + d, targets.cols());
  t.topRows(n) = targets.rowwise() - target_mean;
  const MatrixD weights = x.colPivHouseholderQr().solve(t);
  return ((to.rowwise() - mean) * weights).rowwise() + target_mean;
}

RidgeRowOptions options_of(double ridge) {
  RidgeRowOptions options;
  options.ridge = ridge;
  return options;
}

TEST(RidgeRows, AgreesWithLeastSquares) {
  const Sparse targets = random_counts(40, 9, 0.3, 1);
  for (const Eigen::Index columns : {1, 7, 39, 40, 41, 90})
    for (const double ridge : {0.01, 0.5}) {
      const MatrixD rows = random_features(40, columns, 0.5, 2).cast<float>().cast<double>();
      const MatrixD others = random_features(15, columns, 0.5, 3).cast<float>().cast<double>();
      const MatrixD expected = naive_scores(rows, to_dense(targets.view()), ridge, others);
      const Matrix dense = rows.cast<float>();
      const Matrix dense_others = others.cast<float>();
      const Sparse sparse = to_sparse(rows);
      const Sparse sparse_others = to_sparse(others);
      const auto of_dense = fit_ridge_rows(dense, targets.view(), options_of(ridge));
      const auto of_sparse = fit_ridge_rows(sparse, targets.view(), options_of(ridge));
      EXPECT_LT(worst(score(of_dense, dense_others).cast<double>(), expected), 1e-5) << columns;
      EXPECT_LT(worst(score(of_sparse, sparse_others).cast<double>(), expected), 1e-5) << columns;
    }
}

TEST(RidgeRows, TheResultDoesNotDependOnThreadsNorOnOtherRows) {
  const Sparse targets = random_counts(50, 30, 0.3, 4);
  for (const Eigen::Index columns : {20, 80}) {
    const MatrixD rows = random_features(50, columns, 0.5, 5);
    const Matrix dense = rows.cast<float>();
    const Sparse sparse = to_sparse(rows);
    for (const FeatureRows& features : {FeatureRows(dense), FeatureRows(sparse)}) {
      const auto model = fit_ridge_rows(features, targets.view(), options_of(0.1), 1);
      EXPECT_EQ(fit_ridge_rows(features, targets.view(), options_of(0.1), 3).weights,
                model.weights);
      const Matrix all = score(model, features, 1);
      EXPECT_EQ(score(model, features, 3), all);
      EXPECT_EQ(score(model, slice(features, 11, 1)), Matrix(all.row(11)));
    }
  }
}

/// A part of a larger matrix is learned from as if it stood alone.
TEST(RidgeRows, LearnsFromSlices) {
  const MatrixD rows = random_features(60, 12, 0.5, 6);
  const Sparse sparse = to_sparse(rows);
  const Sparse alone = to_sparse(rows.middleRows(20, 30));
  const Sparse targets = random_counts(60, 5, 0.4, 7);
  const FeatureRows part = slice(targets, 20, 30);
  const auto a = fit_ridge_rows(slice(sparse, 20, 30), part.sparse());
  const auto b = fit_ridge_rows(alone, part.sparse());
  EXPECT_EQ(a.weights, b.weights);
}

/// A weak ridge on features that tell the targets finds them; a strong one gives their means.
TEST(RidgeRows, FromThePlantedFunctionToTheMean) {
  const MatrixD rows = random_features(200, 10, 1, 8);
  const Matrix dense = rows.cast<float>();
  MatrixD wanted = rows.leftCols(3);
  wanted.array() += 2;
  const Sparse targets = to_sparse(wanted);
  EXPECT_LT(
      worst(score(fit_ridge_rows(dense, targets.view(), options_of(1e-6)), dense).cast<double>(),
            wanted),
      1e-4);
  const Matrix flat = score(fit_ridge_rows(dense, targets.view(), options_of(1e6)), dense);
  EXPECT_LT(
      worst(flat.cast<double>().rowwise() - wanted.colwise().mean().eval(), MatrixD::Zero(200, 3)),
      1e-4);
}

TEST(RidgeRows, FeaturesThatAreAllTheSameGiveTheMean) {
  const Sparse targets = random_counts(8, 3, 0.5, 9);
  const Eigen::RowVectorXd mean = to_dense(targets.view()).colwise().mean();
  for (const Eigen::Index columns : {2, 20})
    for (const float value : {0.F, 0.1F, 3e6F}) {
      const Matrix rows = Matrix::Constant(8, columns, value);
      const Matrix others = 2 * rows;
      const Sparse sparse = to_sparse(rows.cast<double>());
      const auto model = fit_ridge_rows(rows, targets.view());
      EXPECT_LT(worst(score(model, rows).row(3).cast<double>(), mean), 1e-6);
      EXPECT_LT(worst(score(model, others).row(3).cast<double>(), mean), 1e-6);
      EXPECT_LT(fit_ridge_rows(sparse, targets.view()).weights.cwiseAbs().maxCoeff(), 1e-6);
    }
}

TEST(RidgeRows, RefusesWhatItCannotUse) {
  Matrix rows = random_features(6, 3, 1, 10).cast<float>();
  Sparse targets = random_counts(6, 2, 0.5, 11);
  const auto refusal = [&](const RidgeRowOptions& options) {
    return message_of([&] { fit_ridge_rows(rows, targets.view(), options); });
  };
  EXPECT_EQ(refusal({}), "");
  for (const double ridge : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_NE(refusal(options_of(ridge)).find("ridge"), std::string::npos);
  const auto model = fit_ridge_rows(rows, targets.view());
  const Matrix wide = Matrix::Ones(2, 4);
  EXPECT_THROW(score(model, wide), Error);
  rows(2, 1) = std::numeric_limits<float>::infinity();
  EXPECT_NE(refusal({}).find("item 3"), std::string::npos);
  rows(2, 1) = 0;
  targets.values[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(refusal({}).find("target"), std::string::npos);
  targets = random_counts(7, 2, 0.5, 11);
  EXPECT_NE(refusal({}).find("7"), std::string::npos);
  rows.resize(0, 3);
  targets = Sparse();
  EXPECT_NE(refusal({}), "");
}

}  // namespace ridge_rows_test
}  // namespace commonplace

#include "commonplace/transfer/rivals/collective_factors.h"

#include <cmath>
#include <functional>
#include <limits>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/learn/one_vs_rest_linear.h"
#include "commonplace/math/sparse_ops.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace collective_factors_test {

using namespace transfer;

using test::message_of;
using test::normal_matrix;
using test::to_dense;
using test::to_sparse;

struct Data {
  Sparse z = test::random_counts(14, 20, 0.3, 1);
  Sparse f = test::random_counts(25, 20, 0.2, 2);
};

CollectiveFactorOptions options_for_test() {
  CollectiveFactorOptions options;
  options.rank = 4;
  options.balance = 0.3;
  options.ridge = 0.5;
  options.tolerance = 0;
  return options;
}

double naive_objective(const Data& data, const CollectiveFactors& factors,
                       const CollectiveFactorOptions& options) {
  const MatrixD z = to_dense(data.z.view()) - factors.features * factors.words.transpose();
  const MatrixD f = to_dense(data.f.view()) - factors.documents * factors.words.transpose();
  return options.balance * z.squaredNorm() + (1 - options.balance) * f.squaredNorm() +
         options.ridge * (factors.features.squaredNorm() + factors.words.squaredNorm() +
                          factors.documents.squaredNorm());
}

/// The ridge regression of one column of numbers on `rows`, each row with a weight of its own.
Eigen::RowVectorXd regression(const MatrixD& rows, const VectorD& numbers, const VectorD& weights,
                              double ridge) {
  Eigen::MatrixXd system = ridge * Eigen::MatrixXd::Identity(rows.cols(), rows.cols());
  VectorD right = VectorD::Zero(rows.cols());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    system += weights(i) * rows.row(i).transpose() * rows.row(i);
    right += weights(i) * numbers(i) * rows.row(i).transpose();
  }
  return system.partialPivLu().solve(right).transpose();
}

TEST(CollectiveFactors, ObjectiveIsAsWrittenAndNeverRises) {
  const Data data;
  for (const double balance : {0.0, 0.3, 1.0}) {
    CollectiveFactorOptions options = options_for_test();
    options.balance = balance;
    options.iterations = 40;
    const auto factors = fit_collective_factors(data.z.view(), data.f.view(), options);
    const auto& objective = factors.report.objective;
    EXPECT_NEAR(objective.back(), naive_objective(data, factors, options), 1e-9);
    EXPECT_LT(objective.back(), objective.front());
    for (std::size_t i = 1; i < objective.size(); ++i)
      EXPECT_LE(objective[i], objective[i - 1] * (1 + 1e-13));
  }
}

TEST(CollectiveFactors, StopWhenTheObjectiveHardlyFalls) {
  const Data data;
  CollectiveFactorOptions options = options_for_test();
  options.tolerance = 1e-3;
  const auto factors = fit_collective_factors(data.z.view(), data.f.view(), options);
  EXPECT_TRUE(factors.report.converged);
  const auto& objective = factors.report.objective;
  ASSERT_EQ(std::ssize(objective), factors.report.iterations);
  ASSERT_GE(objective.size(), 3u);
  for (std::size_t i = 1; i < objective.size(); ++i)
    EXPECT_EQ(objective[i - 1] - objective[i] <= 1e-3 * objective[i - 1],
              i + 1 == objective.size());
  options.iterations = 2;
  EXPECT_FALSE(fit_collective_factors(data.z.view(), data.f.view(), options).report.converged);
}

TEST(CollectiveFactors, EachHalfStepIsARidgeRegression) {
  const Data data;
  CollectiveFactorOptions options = options_for_test();
  for (const int rounds : {1, 2, 7}) {
    options.iterations = rounds;
    const auto before = fit_collective_factors(data.z.view(), data.f.view(), options);
    options.iterations = rounds + 1;
    const auto after = fit_collective_factors(data.z.view(), data.f.view(), options);
    ASSERT_EQ(after.report.iterations, rounds + 1);
    MatrixD sides(39, 4);
    sides << before.features, before.documents;
    MatrixD numbers(39, 20);
    numbers << to_dense(data.z.view()), to_dense(data.f.view());
    VectorD weights(39);
    weights << VectorD::Constant(14, 0.3), VectorD::Constant(25, 0.7);
    for (Eigen::Index word = 0; word < 20; ++word)
      EXPECT_LT((after.words.row(word) - regression(sides, numbers.col(word), weights, 0.5))
                    .cwiseAbs()
                    .maxCoeff(),
                1e-11);
    for (Eigen::Index row = 0; row < 39; ++row) {
      const Eigen::RowVectorXd expected = regression(after.words, numbers.row(row).transpose(),
                                                     VectorD::Constant(20, weights(row)), 0.5);
      const Eigen::RowVectorXd found =
          row < 14 ? after.features.row(row) : after.documents.row(row - 14);
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-11) << row;
    }
  }
}

TEST(CollectiveFactors, PlantedFactorsComeBack) {
  const MatrixD words = normal_matrix(30, 3, 1);
  const MatrixD z = normal_matrix(20, 3, 2) * words.transpose();
  const MatrixD f = normal_matrix(40, 3, 3) * words.transpose();
  CollectiveFactorOptions options = options_for_test();
  options.rank = 3;
  options.ridge = 1e-6;
  options.iterations = 200;
  const auto factors = fit_collective_factors(to_sparse(z).view(), to_sparse(f).view(), options);
  EXPECT_LT((factors.features * factors.words.transpose() - z).norm(), 1e-3 * z.norm());
  EXPECT_LT((factors.documents * factors.words.transpose() - f).norm(), 1e-3 * f.norm());
}

/// Pictures that tell classes by faint features among noise, captions of subjects that documents
/// are about: few labelled pictures do better with the factors.
TEST(CollectiveFactors, HelpFewLabelledPictures) {
  constexpr Eigen::Index kFeatures = 60;
  constexpr Eigen::Index kWords = 30;
  const VectorD direction = normal_matrix(kFeatures, 1, 1);
  auto pictures = [&](Eigen::Index count, std::uint64_t seed) {
    MatrixD result = normal_matrix(count, kFeatures, seed);
    for (Eigen::Index i = 0; i < count; ++i)
      result.row(i) += (i % 2 == 0 ? 0.25 : -0.25) * direction.transpose();
    return result;
  };
  auto texts = [&](Eigen::Index count, std::uint64_t seed) {
    MatrixD result = 0.3 * normal_matrix(count, kWords, seed);
    for (Eigen::Index i = 0; i < count; ++i)
      result.row(i).segment(i % 2 == 0 ? 0 : kWords / 2, kWords / 2).array() += 1;
    return result;
  };
  const MatrixD captioned = pictures(300, 2);
  const MatrixD captions = texts(300, 3);
  const MatrixD z = captioned.transpose() * captions / 300;
  CollectiveFactorOptions options = options_for_test();
  options.rank = 2;
  options.ridge = 0.1;
  const auto factors =
      fit_collective_factors(to_sparse(z).view(), to_sparse(texts(80, 4)).view(), options);
  const Matrix all = pictures(406, 5).cast<float>();
  const Matrix encoded = encode(factors, all);
  MatrixD labels(6, 1);
  labels << 1, -1, 1, -1, 1, -1;
  auto share_right = [&](const Matrix& rows) {
    const Matrix scores = score(fit_one_vs_rest(Matrix(rows.topRows(6)), labels), rows);
    int right = 0;
    for (Eigen::Index i = 6; i < rows.rows(); ++i)
      if ((scores(i, 0) > 0) == (i % 2 == 0)) ++right;
    return right / 400.0;
  };
  EXPECT_GT(share_right(encoded), 0.9);
  EXPECT_GT(share_right(encoded), share_right(all) + 0.05);
}

TEST(CollectiveFactors, EncodingIsTheRowAndItsFactorsOfTheSameLength) {
  const Data data;
  const auto factors = fit_collective_factors(data.z.view(), data.f.view(), options_for_test());
  MatrixD rows = normal_matrix(6, 14, 5).cast<float>().cast<double>();
  rows.row(2).setZero();
  const Matrix dense = rows.cast<float>();
  const Matrix found = encode(factors, dense);
  ASSERT_EQ(found.cols(), 18);
  EXPECT_EQ(Matrix(found.leftCols(14)), dense);
  for (Eigen::Index i = 0; i < 6; ++i) {
    const Eigen::RowVectorXd latent = rows.row(i) * factors.features;
    const Eigen::RowVectorXd expected =
        i == 2 ? Eigen::RowVectorXd(Eigen::RowVectorXd::Zero(4))
               : Eigen::RowVectorXd(latent / latent.norm() * rows.row(i).norm());
    EXPECT_LT((found.row(i).tail(4).cast<double>() - expected).cwiseAbs().maxCoeff(), 1e-5) << i;
  }
  const Sparse sparse = to_sparse(rows);
  const Matrix from_sparse = encode(factors, sparse, 3);
  EXPECT_LT((from_sparse - found).cwiseAbs().maxCoeff(), 1e-5F);
  EXPECT_EQ(encode(factors, slice(dense, 4, 1)), Matrix(found.row(4)));
  EXPECT_EQ(encode(factors, slice(sparse, 4, 1)), Matrix(from_sparse.row(4)));
  const Matrix narrow = Matrix::Ones(2, 13);
  EXPECT_THROW(encode(factors, narrow), Error);
}

TEST(CollectiveFactors, DoNotDependOnJobs) {
  const Data data;
  CollectiveFactorOptions options = options_for_test();
  const auto once = fit_collective_factors(data.z.view(), data.f.view(), options, {.jobs = 1});
  const auto again = fit_collective_factors(data.z.view(), data.f.view(), options, {.jobs = 3});
  EXPECT_EQ(once.features, again.features);
  EXPECT_EQ(once.words, again.words);
  EXPECT_EQ(once.documents, again.documents);
  options.seed = 2;
  EXPECT_NE(fit_collective_factors(data.z.view(), data.f.view(), options).words, once.words);
}

TEST(CollectiveFactors, BadInputIsRefused) {
  struct Case {
    const char* hint;
    std::function<void(Data&, CollectiveFactorOptions&)> spoil;
  };
  for (const auto& [hint, spoil] : std::vector<Case>{
           {"rank is 0", [](Data&, auto&options) { options.rank = 0; }},
           {"balance is 1.5", [](Data&, auto&options) { options.balance = 1.5; }},
           {"balance is -0.5", [](Data&, auto&options) { options.balance = -0.5; }},
           {"ridge is 0", [](Data&, auto&options) { options.ridge = 0; }},
           {"tolerance is -1", [](Data&, auto&options) { options.tolerance = -1; }},
           {"iterations is 0", [](Data&, auto&options) { options.iterations = 0; }},
           {"20 words and the documents 21", [](Data&data, auto&) { data.f.columns = 21; }},
           {"0 documents", [](Data&data, auto&) { data.f = Sparse(); }},
           {"row 0 of the features",
            [](Data&data, auto&) { data.z.values[0] = std::numeric_limits<float>::infinity(); }}}) {
    Data data;
    CollectiveFactorOptions options = options_for_test();
    spoil(data, options);
    const std::string message =
        message_of([&] { fit_collective_factors(data.z.view(), data.f.view(), options); });
    EXPECT_NE(message.find(hint), std::string::npos) << message << " / " << hint;
  }
  const Data data;
  EXPECT_THROW(fit_collective_factors(
                   data.z.view(), data.f.view(), options_for_test(),
                   {.jobs = 1, .progress = [](const ProgressStep&) { throw Cancelled(); }}),
               Cancelled);
}

}  // namespace collective_factors_test
}  // namespace commonplace

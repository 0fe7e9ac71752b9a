#include "commonplace/relate/rivals/kernel_regression.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "commonplace/base/earth.h"
#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/learn/feature_rows.h"
#include "tests/support/naive_associations.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace kernel_regression_test {

using namespace relate;

using test::message_of;
using test::random_counts;
using test::to_dense;
using test::to_sparse;

Matrix places_at(const std::vector<std::pair<double, double>>& where) {
  Matrix result(std::ssize(where), 3);
  for (std::size_t i = 0; i < where.size(); ++i) {
    const auto place = on_sphere(where[i].first, where[i].second);
    result.row(static_cast<Eigen::Index>(i)) << place[0], place[1], place[2];
  }
  return result;
}

Matrix random_places(std::uint64_t count, std::uint64_t seed) {
  std::vector<std::pair<double, double>> where;
  for (std::uint64_t i = 0; i < count; ++i)
    where.emplace_back(40 + 10 * random_uniform(seed, i, 0), 10 + 10 * random_uniform(seed, i, 1));
  return places_at(where);
}

TEST(KernelRegression, AgreesWithANaiveLoop) {
  const Matrix places = random_places(50, 1);
  const Matrix others = random_places(20, 2);
  const Sparse targets = random_counts(50, 8, 0.3, 3);
  const MatrixD dense = to_dense(targets.view());
  for (const double width : {0.05, 0.5, 5.0}) {
    const KernelRegression model = fit_kernel_regression(places, targets.view(), {width, 0.2});
    const Matrix scores = score(model, others);
    for (Eigen::Index row = 0; row < others.rows(); ++row) {
      Eigen::RowVectorXd expected = 0.2 * dense.colwise().mean();
      for (Eigen::Index item = 0; item < places.rows(); ++item) {
        const double distance =
            (others.row(row).cast<double>() - places.row(item).cast<double>()).norm();
        expected += std::exp(-distance / width) * dense.row(item);
      }
      for (Eigen::Index t = 0; t < expected.size(); ++t)
        EXPECT_NEAR(static_cast<double>(scores(row, t)), expected[t], 1e-6 * (1 + expected[t]));
    }
  }
}

TEST(KernelRegression, NearItemsDecideAndFarAwayWhatIsCommon) {
  const Matrix places = places_at({{48.2, 16.4}, {48.2, 16.5}, {35.7, 139.7}, {35.6, 139.8}});
  MatrixD has = MatrixD::Zero(4, 3);
  has(0, 0) = has(1, 0) = has(2, 1) = has(3, 1) = has(0, 2) = has(1, 2) = has(2, 2) = 1;
  const Sparse targets = to_sparse(has);
  const KernelRegression model = fit_kernel_regression(places, targets.view(), {0.5, 0.01});
  const Matrix scores = score(model, places_at({{48.3, 16.4}, {35.7, 139.8}, {-54.8, -68.3}}));
  EXPECT_GT(scores(0, 0), 100 * scores(0, 1));
  EXPECT_GT(scores(1, 1), 100 * scores(1, 0));
  EXPECT_FLOAT_EQ(scores(2, 0), 0.005F);
  EXPECT_FLOAT_EQ(scores(2, 2), 0.0075F);
}

TEST(KernelRegression, APlaceAloneGivesTheBitsThatItGivesAmongOthers) {
  const Matrix places = random_places(60, 4);
  const Sparse targets = random_counts(60, 9, 0.3, 5);
  const KernelRegression model = fit_kernel_regression(places, targets.view());
  const Matrix all = score(model, places, 1);
  EXPECT_EQ(score(model, places, 3), all);
  EXPECT_EQ(score(model, places.middleRows(17, 1)), Matrix(all.row(17)));
  const Sparse twice = random_counts(80, 9, 0.3, 5);
  const FeatureRows part = slice(twice, 20, 60);
  Sparse alone;
  alone.columns = 9;
  for (std::int64_t row = 20; row < 80; ++row) alone.push_row(twice.view(), row);
  EXPECT_EQ(score(fit_kernel_regression(places, part.sparse()), places),
            score(fit_kernel_regression(places, alone.view()), places));
}

TEST(KernelRegression, RefusesWhatItCannotUse) {
  Matrix places = random_places(5, 6);
  Sparse targets = random_counts(5, 3, 0.9, 7);
  const auto refusal = [&](const KernelRegressionOptions& options) {
    return message_of([&] { fit_kernel_regression(places, targets.view(), options); });
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_NE(refusal({0, 0.1}).find("width"), std::string::npos);
  EXPECT_NE(refusal({std::numeric_limits<double>::quiet_NaN(), 0.1}).find("width"),
            std::string::npos);
  EXPECT_NE(refusal({1, -0.1}).find("common"), std::string::npos);
  const KernelRegression model = fit_kernel_regression(places, targets.view());
  EXPECT_THROW(score(model, Matrix::Ones(2, 2)), Error);
  targets.values[0] = std::numeric_limits<float>::infinity();
  EXPECT_NE(refusal({}).find("target"), std::string::npos);
  targets = random_counts(6, 3, 0.9, 7);
  EXPECT_NE(refusal({}).find("6"), std::string::npos);
  targets = random_counts(5, 3, 0.9, 7);
  places(2, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(refusal({}).find("place 3"), std::string::npos);
}

}  // namespace kernel_regression_test
}  // namespace commonplace

#include "commonplace/transfer/rivals/latent_map.h"

#include <cmath>
#include <functional>
#include <limits>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/learn/one_vs_rest_linear.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace latent_map_test {

using namespace transfer;

using test::message_of;
using test::normal_matrix;
using test::to_dense;
using test::to_sparse;

using Collections = std::vector<Sparse>;

std::vector<SparseView> views(const Collections& collections) {
  std::vector<SparseView> result;
  for (const Sparse& collection : collections) result.push_back(collection.view());
  return result;
}

/// Collections of 24 features with holes: the first lacks the last eight, the second the first
/// eight, the third has all but feature 9, and nobody has feature 10.
Collections holed_collections() {
  const MatrixD loadings = normal_matrix(24, 3, 1);
  Collections result;
  const std::vector<Eigen::Index> sizes = {12, 10, 14};
  for (std::size_t c = 0; c < 3; ++c) {
    MatrixD rows = normal_matrix(sizes[c], 3, 10 + c) * loadings.transpose() +
                   0.3 * normal_matrix(sizes[c], 24, 20 + c);
    for (Eigen::Index i = 0; i < rows.size(); ++i)
      if (random_uniform(c, 0, static_cast<std::uint64_t>(i)) < 0.3) rows.data()[i] = 0;
    if (c == 0) rows.rightCols(8).setZero();
    if (c == 1) rows.leftCols(8).setZero();
    if (c == 2) rows.col(9).setZero();
    rows.col(10).setZero();
    result.push_back(to_sparse(rows.cast<float>().cast<double>()));
  }
  return result;
}

LatentMapOptions options_for_test() {
  LatentMapOptions options;
  options.rank = 3;
  return options;
}

/// All collections below each other, and which entries they have.
struct Stacked {
  MatrixD rows;
  Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> has;
};

Stacked stack(const Collections& collections) {
  Eigen::Index items = 0;
  for (const Sparse& collection : collections) items += collection.rows();
  Stacked result{MatrixD(items, collections[0].columns), {}};
  result.has.resize(items, collections[0].columns);
  Eigen::Index first = 0;
  for (const Sparse& collection : collections) {
    const MatrixD rows = to_dense(collection.view());
    result.rows.middleRows(first, rows.rows()) = rows;
    for (Eigen::Index f = 0; f < rows.cols(); ++f)
      result.has.block(first, f, rows.rows(), 1) = (rows.col(f).array() != 0).any();
    first += rows.rows();
  }
  return result;
}

/// The ridge regression of `numbers` on the rows for which `use` holds.
Eigen::RowVectorXd regression(const MatrixD& rows, const VectorD& numbers,
                              const Eigen::Array<bool, Eigen::Dynamic, 1>& use, double penalty) {
  Eigen::MatrixXd system = penalty * Eigen::MatrixXd::Identity(rows.cols(), rows.cols());
  VectorD right = VectorD::Zero(rows.cols());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    if (!use(i)) continue;
    system += rows.row(i).transpose() * rows.row(i);
    right += numbers(i) * rows.row(i).transpose();
  }
  return system.partialPivLu().solve(right).transpose();
}

struct NaiveMap {
  MatrixD filled;
  std::vector<double> objective;
};

/// The same with everything written out: one regression for each item and each feature.
NaiveMap naive_map(const Stacked& x, const LatentMapOptions& options) {
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(Eigen::MatrixXd(x.rows), Eigen::ComputeThinV);
  MatrixD b = svd.matrixV().leftCols(options.rank) *
              svd.singularValues().head(options.rank).cwiseSqrt().asDiagonal();
  MatrixD a(x.rows.rows(), options.rank);
  const double penalty =
      options.ridge * std::sqrt(x.rows.squaredNorm() / static_cast<double>(options.rank));
  NaiveMap result;
  for (int round = 0; round < options.rounds; ++round) {
    if (round > 0)
      for (Eigen::Index f = 0; f < b.rows(); ++f)
        b.row(f) = regression(a, x.rows.col(f), x.has.col(f), penalty);
    for (Eigen::Index i = 0; i < a.rows(); ++i)
      a.row(i) = regression(b, x.rows.row(i).transpose(), x.has.row(i).transpose(), penalty);
    const MatrixD product = a * b.transpose();
    result.filled = x.has.select(x.rows, product);
    result.objective.push_back(x.has.select(x.rows - product, 0).matrix().squaredNorm() +
                               penalty * (a.squaredNorm() + b.squaredNorm()));
  }
  return result;
}

MatrixD stacked_coordinates(const LatentMap& map) {
  Eigen::Index items = 0;
  for (const Matrix& own : map.coordinates) items += own.rows();
  MatrixD result(items, map.axes.cols());
  items = 0;
  for (const Matrix& own : map.coordinates) {
    result.middleRows(items, own.rows()) = own.cast<double>();
    items += own.rows();
  }
  return result;
}

TEST(LatentMap, IsThatOfRegressionsWrittenOut) {
  const Collections collections = holed_collections();
  const Stacked stacked = stack(collections);
  EXPECT_FALSE(stacked.has(0, 23));
  for (const int rounds : {1, 2, 6})
    for (const double ridge : {0.02, 0.3}) {
      LatentMapOptions options = options_for_test();
      options.rounds = rounds;
      options.ridge = ridge;
      const LatentMap found = fit_latent_map(views(collections), options);
      const NaiveMap expected = naive_map(stacked, options);
      ASSERT_EQ(std::ssize(found.report.objective), rounds);
      for (std::size_t round = 0; round < expected.objective.size(); ++round)
        EXPECT_NEAR(found.report.objective[round], expected.objective[round],
                    1e-6 * expected.objective[round]);
      const Eigen::BDCSVD<Eigen::MatrixXd> svd(Eigen::MatrixXd(expected.filled),
                                               Eigen::ComputeThinV);
      EXPECT_LT((found.lengths - svd.singularValues().head(3)).cwiseAbs().maxCoeff(), 1e-5);
      const MatrixD coordinates = expected.filled * svd.matrixV().leftCols(3);
      EXPECT_LT(
          (stacked_coordinates(found) - test::signs_of(coordinates, stacked_coordinates(found)))
              .cwiseAbs()
              .maxCoeff(),
          1e-4);
      const MatrixD identity = MatrixD::Identity(3, 3);
      EXPECT_LT((found.axes.transpose() * found.axes - identity).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT(found.axes.row(10).norm(), 1e-12) << "nobody has feature 10";
    }
}

TEST(LatentMap, ObjectiveNeverRises) {
  LatentMapOptions options = options_for_test();
  options.rounds = 30;
  const auto report = fit_latent_map(views(holed_collections()), options).report;
  EXPECT_EQ(report.iterations, 30);
  for (std::size_t i = 1; i < report.objective.size(); ++i)
    EXPECT_LE(report.objective[i], report.objective[i - 1] * (1 + 1e-12));
  EXPECT_LT(report.objective.back(), 0.995 * report.objective.front());
}

/// One collection has all of its features: nothing to fill in, whatever the regressions are.
TEST(LatentMap, OfOneCollectionAreItsSingularVectors) {
  const Collections collections = {test::random_counts(40, 15, 0.4, 3)};
  LatentMapOptions options = options_for_test();
  options.rank = 5;
  const LatentMap found = fit_latent_map(views(collections), options);
  const Eigen::MatrixXd rows = to_dense(collections[0].view());
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(rows, Eigen::ComputeThinU | Eigen::ComputeThinV);
  EXPECT_LT((found.lengths - svd.singularValues().head(5)).cwiseAbs().maxCoeff(), 1e-6);
  const MatrixD expected = rows * svd.matrixV().leftCols(5);
  const MatrixD coordinates = found.coordinates[0].cast<double>();
  EXPECT_LT((coordinates - test::signs_of(expected, coordinates)).cwiseAbs().maxCoeff(), 1e-4);
  options.rank = 100;
  EXPECT_EQ(fit_latent_map(views(collections), options).axes.cols(), 14) << "column 2 is empty";
}

/// Low-rank data whose class is one of the hidden numbers. The source has the first half of the
/// features, the target the second half, and only the items between have all.
struct Bridge {
  Collections collections;
  std::vector<MatrixD> labels;  ///< items x 1, -1 and 1

  explicit Bridge(Eigen::Index shared) {
    const MatrixD loadings = normal_matrix(80, 4, 1);
    for (std::size_t c = 0; c < 3; ++c) {
      const MatrixD hidden = normal_matrix(120, 4, 30 + c);
      MatrixD rows = hidden * loadings.transpose() + 0.8 * normal_matrix(120, 80, 40 + c);
      if (c == 0) rows.rightCols(40 - shared).setZero();
      if (c == 2) rows.leftCols(40).setZero();
      collections.push_back(to_sparse(rows));
      labels.push_back(hidden.col(0).unaryExpr([](double x) { return x > 0 ? 1.0 : -1.0; }));
    }
  }

  /// Learned from the first, judged on the last.
  double share_right(const Matrix& source, const Matrix& target) const {
    const Matrix scores = score(fit_one_vs_rest(source, labels[0]), target);
    int right = 0;
    for (Eigen::Index i = 0; i < scores.rows(); ++i)
      if ((scores(i, 0) > 0) == (labels[2](i, 0) > 0)) ++right;
    return right / static_cast<double>(scores.rows());
  }
  double share_right_of_raw() const {
    return share_right(to_dense(collections[0].view()).cast<float>(),
                       to_dense(collections[2].view()).cast<float>());
  }
};

TEST(LatentMap, ClassesCrossTheBridge) {
  for (const Eigen::Index shared : {0, 2}) {
    const Bridge bridge(shared);
    LatentMapOptions options = options_for_test();
    options.rank = 4;
    const LatentMap map = fit_latent_map(views(bridge.collections), options);
    EXPECT_GT(bridge.share_right(map.coordinates[0], map.coordinates[2]), 0.9) << shared;
    EXPECT_LT(bridge.share_right_of_raw(), 0.8) << shared;
  }
}

TEST(LatentMap, DoesNotDependOnJobs) {
  const Collections collections = holed_collections();
  LatentMapOptions options = options_for_test();
  const LatentMap once = fit_latent_map(views(collections), options, {.jobs = 1});
  const LatentMap again = fit_latent_map(views(collections), options, {.jobs = 3});
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(once.coordinates[c], again.coordinates[c]);
  EXPECT_EQ(once.axes, again.axes);
  EXPECT_EQ(once.report.objective, again.report.objective);
}

TEST(LatentMap, PermutedItemsAndCollectionsGivePermutedCoordinates) {
  const Collections collections = holed_collections();
  const auto order = test::random_order(12, 5);
  const Collections turned = {collections[2], test::rows_in_order(collections[0].view(), order),
                              collections[1]};
  const LatentMap once = fit_latent_map(views(collections), options_for_test());
  const LatentMap again = fit_latent_map(views(turned), options_for_test());
  const Matrix expected = once.coordinates[0](order, Eigen::all);
  EXPECT_LT((again.coordinates[1] - expected).cwiseAbs().maxCoeff(), 1e-4F);
  EXPECT_LT((again.coordinates[0] - once.coordinates[2]).cwiseAbs().maxCoeff(), 1e-4F);
}

TEST(LatentMap, ACollectionWithoutItemsOrFeatures) {
  Collections collections = holed_collections();
  const LatentMap before = fit_latent_map(views(collections), options_for_test());
  Sparse empty;
  empty.columns = 24;
  collections.push_back(empty);
  empty.end_row();
  collections.push_back(empty);
  const LatentMap found = fit_latent_map(views(collections), options_for_test());
  ASSERT_EQ(found.coordinates.size(), 5u);
  EXPECT_EQ(found.coordinates[3].rows(), 0);
  EXPECT_EQ(found.coordinates[4], Matrix::Zero(1, 3));
  EXPECT_LT((found.coordinates[1] - before.coordinates[1]).cwiseAbs().maxCoeff(), 1e-4F);
}

TEST(LatentMap, BadInputIsRefused) {
  struct Case {
    const char* hint;
    std::function<void(Collections&, LatentMapOptions&)> spoil;
  };
  for (const auto& [hint, spoil] : std::vector<Case>{
           {"rank is 0", [](Collections&, auto&options) { options.rank = 0; }},
           {"rounds is 0", [](Collections&, auto&options) { options.rounds = 0; }},
           {"ridge is 0", [](Collections&, auto&options) { options.ridge = 0; }},
           {"collection 1 has 25", [](Collections&data, auto&) { data[1].columns = 25; }},
           {"no collections", [](Collections&data, auto&) { data.clear(); }},
           {"no entries",
            [](Collections&data, auto&) {
              data.resize(1);
              data[0] = Sparse();
            }},
           {"row 0 of collection 2", [](Collections&data, auto&) {
              data[2].values[0] = std::numeric_limits<float>::quiet_NaN();
            }}}) {
    Collections collections = holed_collections();
    LatentMapOptions options = options_for_test();
    spoil(collections, options);
    const std::string message = message_of([&] { fit_latent_map(views(collections), options); });
    EXPECT_NE(message.find(hint), std::string::npos) << message << " / " << hint;
  }
  EXPECT_THROW(
      fit_latent_map(views(holed_collections()), options_for_test(),
                     {.jobs = 1, .progress = [](const ProgressStep&) { throw Cancelled(); }}),
      Cancelled);
}

}  // namespace latent_map_test
}  // namespace commonplace

#include "commonplace/relate/core/nystrom_features.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "commonplace/base/earth.h"
#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace nystrom_features_test {

using namespace relate;

using test::message_of;
using test::random_features;
using test::to_dense;
using test::to_sparse;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

NystromOptions options_of(const std::string& kernel, double width, std::int64_t landmarks = 1000) {
  NystromOptions options;
  options.kernel = kernel;
  options.width = width;
  options.landmarks = landmarks;
  return options;
}

/// The kernel of every row of `a` with every row of `b`, one number after the other.
MatrixD naive_kernel(const NystromOptions& options, const MatrixD& a, const MatrixD& b) {
  MatrixD result(a.rows(), b.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index j = 0; j < b.rows(); ++j) {
      double square = 0;
      double product = 0;
      for (Eigen::Index c = 0; c < a.cols(); ++c) {
        square += (a(i, c) - b(j, c)) * (a(i, c) - b(j, c));
        product += a(i, c) * b(j, c);
      }
      const double lengths = a.row(i).norm() * b.row(j).norm();
      if (options.kernel == "gaussian")
        result(i, j) = std::exp(-square / (2 * options.width * options.width));
      else if (options.kernel == "laplace")
        result(i, j) = std::exp(-std::sqrt(square) / options.width);
      else
        result(i, j) = lengths > 0 ? product / lengths : 0;
    }
  return result;
}

MatrixD rows_of(const StoredRows& rows) {
  return rows.is_sparse ? to_dense(rows.sparse.view()) : MatrixD(rows.dense.cast<double>());
}

MatrixD products_of(const Matrix& a, const Matrix& b) {
  return a.cast<double>() * b.cast<double>().transpose();
}

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

/// Numbers that are floats, so that float and double rows are the same.
MatrixD float_features(Eigen::Index rows, Eigen::Index columns, double density,
                       std::uint64_t seed) {
  return random_features(rows, columns, density, seed).cast<float>().cast<double>();
}

TEST(NystromFeatures, ProductsAreTheKernelAmongLandmarks) {
  for (const Eigen::Index columns : {3, 8, 9, 40}) {
    const MatrixD rows = float_features(150, columns, 0.7, 1);
    const Matrix dense = rows.cast<float>();
    const Sparse sparse = to_sparse(rows);
    for (const std::string kernel : {"gaussian", "laplace", "cosine"})
      for (const bool is_sparse : {false, true}) {
        const FeatureRows features = is_sparse ? FeatureRows(sparse) : FeatureRows(dense);
        const NystromOptions options = options_of(kernel, 0.8, 60);
        const NystromFeatures model = fit_nystrom_features(features, options);
        ASSERT_EQ(model.count(), 60);
        const MatrixD landmarks = rows_of(model.landmarks);
        const Matrix codes = encode(model, model.landmarks.view());
        EXPECT_LT(worst(products_of(codes, codes), naive_kernel(options, landmarks, landmarks)),
                  1e-5)
            << kernel << " " << columns << " " << is_sparse;
        // By Nyström's rule with every landmark, and with a landmark on either side exactly.
        EXPECT_LT(worst(products_of(encode(model, features), codes),
                        naive_kernel(options, rows, landmarks)),
                  2e-4)
            << kernel << " " << columns << " " << is_sparse;
      }
  }
}

/// k(x, Z) L⁻ᵀ by a plain loop of forward substitution.
TEST(NystromFeatures, AgreesWithANaiveLoop) {
  const MatrixD rows = float_features(80, 5, 1, 2);
  const Matrix dense = rows.cast<float>();
  const NystromFeatures model = fit_nystrom_features(dense, options_of("laplace", 0.9, 30));
  const MatrixD landmarks = rows_of(model.landmarks);
  MatrixD lower = naive_kernel(model.options, landmarks, landmarks);
  lower.diagonal().array() += 1e-8;
  for (Eigen::Index j = 0; j < 30; ++j)
    for (Eigen::Index i = 0; i < 30; ++i) {
      if (i < j) {
        lower(i, j) = 0;
        continue;
      }
      for (Eigen::Index k = 0; k < j; ++k) lower(i, j) -= lower(i, k) * lower(j, k);
      lower(i, j) = i == j ? std::sqrt(lower(i, j)) : lower(i, j) / lower(j, j);
    }
  MatrixD expected = naive_kernel(model.options, rows, landmarks);
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    for (Eigen::Index i = 0; i < 30; ++i) {
      for (Eigen::Index k = 0; k < i; ++k) expected(row, i) -= lower(i, k) * expected(row, k);
      expected(row, i) /= lower(i, i);
    }
  EXPECT_LT(worst(encode(model, dense).cast<double>(), expected), 1e-6);
  EXPECT_LT(worst(model.map * lower, MatrixD::Identity(30, 30)), 1e-9);
}

TEST(NystromFeatures, MoreLandmarksThanColumnsOfTheCosine) {
  const MatrixD rows = float_features(200, 4, 1, 3);
  const Matrix dense = rows.cast<float>();
  const NystromFeatures model = fit_nystrom_features(dense, options_of("cosine", 0, 50));
  const Matrix codes = encode(model, dense);
  // Four directions span all, so that Nyström's rule is exact everywhere.
  EXPECT_LT(worst(products_of(codes, codes), naive_kernel(model.options, rows, rows)), 1e-5);
  EXPECT_EQ(model.options.width, 0);
}

TEST(NystromFeatures, AllDistinctRowsWhenTheyAreFew) {
  for (const Eigen::Index columns : {3, 20}) {
    MatrixD rows(60, columns);
    const MatrixD modalities = float_features(20, columns, 0.8, 4);
    for (Eigen::Index row = 0; row < 60; ++row) rows.row(row) = modalities.row(row % 20);
    const Matrix dense = rows.cast<float>();
    const Sparse sparse = to_sparse(rows);
    for (const FeatureRows& features : {FeatureRows(dense), FeatureRows(sparse)}) {
      const auto model = fit_nystrom_features(features, options_of("gaussian", 1, 20));
      EXPECT_EQ(worst(rows_of(model.landmarks), modalities), 0);
      EXPECT_EQ(fit_nystrom_features(features, options_of("gaussian", 1, 500)).count(), 20);
      EXPECT_EQ(fit_nystrom_features(features, options_of("gaussian", 1, 19)).count(), 19);
    }
  }
}

TEST(NystromFeatures, ZerosOfEitherSignAndStoredZerosAreTheSameRow) {
  Matrix dense(3, 2);
  dense << 1, 0, 1, -0.F, 0, 0;
  EXPECT_EQ(fit_nystrom_features(dense, options_of("gaussian", 1)).count(), 2);
  Sparse sparse;
  sparse.columns = 2;
  sparse.push(0, 1);
  sparse.end_row();
  sparse.push(0, 1);
  sparse.push(1, 0);
  sparse.end_row();
  sparse.push(1, 0);
  sparse.end_row();
  EXPECT_EQ(fit_nystrom_features(sparse, options_of("gaussian", 1)).count(), 2);
  EXPECT_EQ(fit_nystrom_features(sparse, options_of("cosine", 0)).count(), 1);
}

/// Places of a city, a village and a hut; the landmarks must reach all of them.
TEST(NystromFeatures, LandmarksCoverClustersOfVeryDifferentSize) {
  const std::vector<int> sizes = {5000, 20, 2, 300, 1};
  const std::vector<std::pair<double, double>> centres = {
      {48.2, 16.4}, {-33.9, 151.2}, {64.1, -21.9}, {35.7, 139.7}, {-54.8, -68.3}};
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Matrix places(5323, 3);
    std::vector<int> cluster;
    for (std::size_t c = 0; c < sizes.size(); ++c)
      for (int i = 0; i < sizes[c]; ++i) {
        const auto row = static_cast<Eigen::Index>(cluster.size());
        const auto place = on_sphere(
            centres[c].first + 0.2 * random_uniform(seed, static_cast<std::uint64_t>(row), 1),
            centres[c].second + 0.2 * random_uniform(seed, static_cast<std::uint64_t>(row), 2));
        places.row(row) << place[0], place[1], place[2];
        cluster.push_back(static_cast<int>(c));
      }
    NystromOptions options = options_of("gaussian", 1, 12);
    options.seed = seed;
    const NystromFeatures model = fit_nystrom_features(places, options);
    ASSERT_EQ(model.count(), 12);
    std::set<int> covered;
    for (Eigen::Index m = 0; m < model.count(); ++m)
      for (Eigen::Index row = 0; row < places.rows(); ++row)
        if (places.row(row) == model.landmarks.dense.row(m))
          covered.insert(cluster[static_cast<std::size_t>(row)]);
    EXPECT_EQ(covered.size(), sizes.size()) << seed;
  }
}

TEST(NystromFeatures, PlacesAFewMetresApartAreToldApart) {
  Matrix places(2, 3);
  const double step = 20 / (kEarthRadius * std::numbers::pi / 180);
  const auto a = on_sphere(48.2, 16.4);
  const auto b = on_sphere(48.2 + step, 16.4);
  places << a[0], a[1], a[2], b[0], b[1], b[2];
  const NystromFeatures model = fit_nystrom_features(places, options_of("laplace", 10 * step));
  const Matrix codes = encode(model, places);
  EXPECT_NEAR(products_of(codes, codes)(0, 1), std::exp(-0.1), 0.005);
}

TEST(NystromFeatures, TheWidthIsHalfTheMedianDistance) {
  const MatrixD rows = float_features(101, 4, 1, 5);
  MatrixD twice(202, 4);
  twice << rows, rows;
  const Matrix dense = twice.cast<float>();
  std::vector<double> distances;
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) distances.push_back((rows.row(i) - rows.row(j)).norm());
  std::sort(distances.begin(), distances.end());
  const double expected = distances[distances.size() / 2] / 2;
  for (const std::string kernel : {"gaussian", "laplace"})
    EXPECT_NEAR(fit_nystrom_features(dense, options_of(kernel, 0)).options.width, expected, 1e-9);
  const Sparse sparse = to_sparse(twice);
  EXPECT_NEAR(fit_nystrom_features(sparse, options_of("gaussian", 0)).options.width, expected,
              1e-9);
  const Matrix alone = dense.topRows(1);
  EXPECT_EQ(fit_nystrom_features(alone, options_of("gaussian", 0)).options.width, 1);
}

TEST(NystromFeatures, ARowAloneGivesTheBitsThatItGivesAmongOthers) {
  for (const Eigen::Index columns : {3, 30}) {
    const MatrixD rows = float_features(700, columns, 0.4, 6);
    const Matrix dense = rows.cast<float>();
    const Sparse sparse = to_sparse(rows);
    for (const std::string kernel : {"gaussian", "laplace", "cosine"})
      for (const FeatureRows& features : {FeatureRows(dense), FeatureRows(sparse)}) {
        const NystromOptions options = options_of(kernel, 0.7, 300);
        const NystromFeatures model = fit_nystrom_features(features, options, 1);
        const NystromFeatures other = fit_nystrom_features(features, options, 3);
        EXPECT_EQ(model.map, other.map);
        EXPECT_EQ(model.options.width, other.options.width);
        const Matrix all = encode(model, features, 1);
        EXPECT_EQ(encode(model, features, 3), all);
        for (const std::int64_t row : {0, 311, 699})
          EXPECT_EQ(encode(model, slice(features, row, 1), 2), Matrix(all.row(row)));
        EXPECT_EQ(encode(model, slice(features, 5, 0)).rows(), 0);
      }
  }
}

TEST(NystromFeatures, AnotherSeedChoosesOtherLandmarks) {
  for (const Eigen::Index columns : {3, 30}) {
    const Matrix rows = random_features(200, columns, 1, 7).cast<float>();
    NystromOptions options = options_of("gaussian", 1, 20);
    const NystromFeatures first = fit_nystrom_features(rows, options);
    EXPECT_EQ(fit_nystrom_features(rows, options).landmarks.dense, first.landmarks.dense);
    options.seed = 2;
    EXPECT_NE(fit_nystrom_features(rows, options).landmarks.dense, first.landmarks.dense);
  }
}

TEST(NystromFeatures, RowsOfZeros) {
  MatrixD rows = float_features(30, 12, 0.5, 8);
  rows.row(0).setZero();
  rows.row(17).setZero();
  const Sparse sparse = to_sparse(rows);
  const NystromFeatures cosine = fit_nystrom_features(sparse, options_of("cosine", 0));
  EXPECT_EQ(cosine.count(), 28);
  const Matrix codes = encode(cosine, sparse);
  EXPECT_TRUE(codes.allFinite());
  EXPECT_EQ(codes.row(17).cwiseAbs().maxCoeff(), 0);
  EXPECT_NEAR(codes.row(5).norm(), 1, 1e-5);
  const NystromFeatures gaussian = fit_nystrom_features(sparse, options_of("gaussian", 1));
  EXPECT_EQ(gaussian.count(), 29);
  EXPECT_NEAR(encode(gaussian, sparse).row(17).norm(), 1, 1e-5);
  const Matrix nothing = Matrix::Zero(4, 2);
  EXPECT_NE(message_of([&] { fit_nystrom_features(nothing, options_of("cosine", 0)); }).find("0"),
            std::string::npos);
  EXPECT_EQ(fit_nystrom_features(nothing, options_of("laplace", 0)).count(), 1);
}

/// Far from the origin and close to each other: products of floats in float would know nothing.
TEST(NystromFeatures, WideRowsFarFromTheOrigin) {
  MatrixD rows = random_features(50, 12, 1, 9);
  rows.array() += 1000;
  const Matrix dense = rows.cast<float>();
  const NystromFeatures model = fit_nystrom_features(dense, options_of("gaussian", 1.5));
  const Matrix codes = encode(model, dense);
  const MatrixD exact = dense.cast<double>();
  EXPECT_LT(worst(products_of(codes, codes), naive_kernel(model.options, exact, exact)), 1e-5);
}

TEST(NystromFeatures, RefusesWhatItCannotUse) {
  Matrix rows = random_features(10, 3, 1, 10).cast<float>();
  for (const double width : {-1.0, kNaN, std::numeric_limits<double>::infinity(), 1e-200})
    EXPECT_THROW(fit_nystrom_features(rows, options_of("gaussian", width)), Error);
  for (const std::int64_t landmarks : {-1, 0, 1 << 20})
    EXPECT_THROW(fit_nystrom_features(rows, options_of("gaussian", 1, landmarks)), Error);
  EXPECT_NE(message_of([&] { fit_nystrom_features(rows, options_of("linear", 1)); }).find("linear"),
            std::string::npos);
  const Matrix none(0, 3);
  EXPECT_THROW(fit_nystrom_features(none, options_of("gaussian", 1)), Error);
  const Matrix narrow(3, 0);
  EXPECT_THROW(fit_nystrom_features(narrow, options_of("gaussian", 1)), Error);
  const NystromFeatures model = fit_nystrom_features(rows, options_of("gaussian", 1));
  const Matrix wide = Matrix::Ones(2, 5);
  EXPECT_THROW(encode(model, wide), Error);
  const Sparse sparse = to_sparse(MatrixD::Ones(2, 3));
  EXPECT_THROW(encode(model, sparse), Error);
  rows(4, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(encode(model, rows), Error);
  EXPECT_NE(message_of([&] { fit_nystrom_features(rows, options_of("gaussian", 1)); }).find("5"),
            std::string::npos);
}

TEST(NystromFeaturesFile, KeepsEveryBit) {
  const MatrixD rows = float_features(40, 12, 0.5, 11);
  const Matrix dense = rows.cast<float>();
  const Sparse sparse = to_sparse(rows);
  const test::TemporaryDirectory folder;
  for (const FeatureRows& features : {FeatureRows(dense), FeatureRows(sparse)}) {
    const NystromFeatures model = fit_nystrom_features(features, options_of("laplace", 0, 25));
    save(model, folder / "model.safetensors");
    EXPECT_EQ(test::slurp(folder / "model.safetensors"), to_bytes(model));
    const NystromFeatures loaded = load_nystrom_features(TensorFile(folder / "model.safetensors"));
    EXPECT_EQ(loaded.options.kernel, "laplace");
    EXPECT_EQ(loaded.options.width, model.options.width);
    EXPECT_EQ(loaded.options.landmarks, 25);
    EXPECT_EQ(loaded.map, model.map);
    EXPECT_EQ(encode(loaded, features), encode(model, features));
  }
}

TEST(NystromFeaturesFile, DamageIsRefused) {
  const Sparse rows = to_sparse(float_features(5, 6, 0.5, 12));
  const std::string whole = to_bytes(fit_nystrom_features(rows, options_of("gaussian", 1)));
  EXPECT_NO_THROW(load_nystrom_features(TensorFile(whole, "whole")));
  for (std::size_t size = 0; size < whole.size(); size += 7)
    EXPECT_THROW(load_nystrom_features(TensorFile(whole.substr(0, size), "cut")), Error) << size;
  for (std::size_t at = 0; at < whole.size(); at += 5) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    EXPECT_THROW(load_nystrom_features(TensorFile(flipped, "flipped")), Error) << at;
  }
}

TEST(NystromFeaturesFile, PartsThatDoNotFitAreRefused) {
  const Matrix rows = random_features(6, 3, 1, 13).cast<float>();
  const NystromFeatures good = fit_nystrom_features(rows, options_of("gaussian", 1));
  const auto refused = [&](auto spoil) {
    NystromFeatures bad = good;
    spoil(bad);
    EXPECT_NE(message_of([&] { load_nystrom_features(TensorFile(to_bytes(bad), "bad")); }), "");
  };
  EXPECT_NO_THROW(load_nystrom_features(TensorFile(to_bytes(good), "good")));
  refused([](NystromFeatures& model) { model.map.conservativeResize(6, 5); });
  refused([](NystromFeatures& model) { model.map.conservativeResize(5, 5); });
  refused([](NystromFeatures& model) { model.map(3, 1) = kNaN; });
  refused([](NystromFeatures& model) { model.map(1, 3) = 1; });
  refused([](NystromFeatures& model) { model.map(2, 2) = 0; });
  refused([](NystromFeatures& model) {
    model.landmarks.dense(1, 1) = std::numeric_limits<float>::infinity();
  });
  refused([](NystromFeatures& model) { model.options.width = 0; });
  refused([](NystromFeatures& model) { model.options.width = -2; });
  refused([](NystromFeatures& model) { model.options.kernel = "another"; });
}

}  // namespace nystrom_features_test
}  // namespace commonplace

#include "commonplace/detect/core/anchor_eigenmaps.h"

#include <cmath>
#include <functional>
#include <limits>
#include <mutex>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/detect/core/lap_rls.h"
#include "commonplace/io/options_json.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace anchor_eigenmaps_test {

using namespace detect;

using test::message_of;
using test::normal_matrix;

template <class A, class B>
double worst(const A& a, const B& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  return (a.template cast<double>() - b.template cast<double>()).cwiseAbs().maxCoeff();
}

AnchorEigenmapOptions options_for_test() {
  AnchorEigenmapOptions options;
  options.anchors = 30;
  options.count = 12;
  return options;
}

AnchorEigenmapFit fit_alone(const Matrix& rows, const AnchorEigenmapOptions& options,
                            int jobs = 1) {
  return fit_anchor_eigenmaps(rows, options, {.jobs = jobs});
}

Matrix moons(Eigen::Index items, std::uint64_t seed = 1) {
  return test::two_moons(items, 0.08, seed).cast<float>();
}

MatrixD dense(const Sparse& sparse) {
  MatrixD result = MatrixD::Zero(sparse.rows(), sparse.columns);
  for (std::int64_t row = 0; row < sparse.rows(); ++row)
    for (std::size_t i = 0; i < sparse.view().row_indices(row).size(); ++i)
      result(row, sparse.view().row_indices(row)[i]) +=
          static_cast<double>(sparse.view().row_values(row)[i]);
  return result;
}

TEST(AnchorEigenmaps, WeightsAreThoseOfTheNearestAnchors) {
  const Matrix rows = moons(200);
  const AnchorEigenmaps model = fit_alone(rows, options_for_test()).model;
  const MatrixD expected = test::naive_anchor_weights(
      rows.cast<double>(), model.anchors.cast<double>(), 3, model.bandwidth);
  EXPECT_LT(worst(dense(anchor_weights(model, rows)), expected), 1e-5);
  double reach = 0;
  for (Eigen::Index i = 0; i < 200; ++i) {
    VectorD distances = (model.anchors.rowwise() - rows.row(i)).cast<double>().rowwise().norm();
    std::sort(distances.begin(), distances.end());
    reach += distances(2) / 200;
  }
  EXPECT_NEAR(model.bandwidth, reach, 1e-5);
}

/// The eigenvectors are those of the whole graph, items x items.
TEST(AnchorEigenmaps, AreEigenvectorsOfTheGraph) {
  const Matrix rows = moons(300);
  for (const char* weights : {"rbf", "lae"}) {
    AnchorEigenmapOptions options = options_for_test();
    options.weights = weights;
    const AnchorEigenmaps model = fit_alone(rows, options).model;
    const MatrixD z = dense(anchor_weights(model, rows));
    const test::NaiveGraph graph = test::naive_anchor_graph(z);
    ASSERT_EQ(model.count(), 12);
    EXPECT_NEAR(graph.eigenvalues(0), 1, 1e-5);
    EXPECT_LT(worst(model.eigenvalues, VectorD(1 - graph.eigenvalues.segment(1, 12).array())),
              1e-5);
    const MatrixD u = encode(model, rows).cast<double>();
    EXPECT_LT(worst(MatrixD(u.transpose() * u), MatrixD(MatrixD::Identity(12, 12))), 1e-4);
    EXPECT_LT(u.colwise().sum().cwiseAbs().maxCoeff(), 1e-3) << "all are apart from the constant";
    const MatrixD applied = z * z.colwise().sum().cwiseInverse().asDiagonal() * (z.transpose() * u);
    EXPECT_LT(worst(applied, MatrixD(u * (1 - model.eigenvalues.array()).matrix().asDiagonal())),
              1e-5);
  }
}

TEST(AnchorEigenmaps, EmbeddingIsTheNearestConvexCombination) {
  const Matrix rows = moons(100);
  AnchorEigenmapOptions options = options_for_test();
  options.weights = "lae";
  const AnchorEigenmaps model = fit_alone(rows, options).model;
  const Sparse z = anchor_weights(model, rows);
  for (std::int64_t row = 0; row < 100; ++row) {
    const auto anchors = z.view().row_indices(row);
    const auto weights = z.view().row_values(row);
    const auto distance = [&](double a, double b, double c) {
      return (a * model.anchors.row(anchors[0]).cast<double>() +
              b * model.anchors.row(anchors[1]).cast<double>() +
              c * model.anchors.row(anchors[2]).cast<double>() - rows.row(row).cast<double>())
          .norm();
    };
    const double found = distance(weights[0], weights[1], weights[2]);
    EXPECT_NEAR(weights[0] + weights[1] + weights[2], 1, 1e-5);
    for (int a = 0; a <= 50; ++a)
      for (int b = 0; a + b <= 50; ++b)
        EXPECT_LE(found, distance(a / 50.0, b / 50.0, (50 - a - b) / 50.0) + 1e-4);
  }
}

/// Three labels a moon are enough on the graph and not for a straight line.
TEST(AnchorEigenmaps, TwoMoonsNeedThreeLabelsEach) {
  const Matrix rows = moons(1000, 5);
  AnchorEigenmapOptions options = options_for_test();
  options.anchors = 100;
  options.count = 20;
  const AnchorEigenmaps model = fit_alone(rows, options).model;
  const Matrix encoded = encode(model, rows);
  MatrixD labels(6, 1);
  for (Eigen::Index i = 0; i < 6; ++i) labels(i, 0) = i % 2 == 0 ? 1 : -1;
  const auto right = [&](const Matrix& features, const VectorD& penalty) {
    VectorD bias;
    const MatrixD alpha = fit_lap_rls(features.topRows(6), labels, penalty, {}, {}, &bias);
    const Matrix scores = lap_rls_scores(features, alpha);
    int count = 0;
    for (Eigen::Index i = 0; i < 1000; ++i)
      count += ((scores(i, 0) + bias(0)) > 0) == (i % 2 == 0) ? 1 : 0;
    return count;
  };
  EXPECT_GT(right(encoded, model.eigenvalues), 980);
  EXPECT_LT(right(rows, constant_penalty(2)), 920);
}

TEST(AnchorEigenmaps, ApartGroupsAreToldApart) {
  Matrix rows = (0.1 * normal_matrix(90, 3, 2)).cast<float>();
  for (Eigen::Index i = 0; i < 90; ++i) rows(i, 0) += static_cast<float>(100 * (i % 3));
  AnchorEigenmapOptions options = options_for_test();
  options.anchors = 12;
  const AnchorEigenmaps model = fit_alone(rows, options).model;
  EXPECT_LT(model.eigenvalues(1), 1e-6);
  EXPECT_GT(model.eigenvalues(2), 1e-3);
  const Matrix u = encode(model, rows).leftCols(2);
  for (Eigen::Index i = 0; i < 90; ++i)
    for (Eigen::Index j = 0; j < 3; ++j)
      EXPECT_EQ((u.row(i) - u.row(j)).norm() < 1e-3, i % 3 == j) << i << ' ' << j;
}

TEST(AnchorEigenmaps, RanksAgree) {
  const Matrix rows = moons(403);
  for (const std::int64_t sample : {20000, 150}) {
    AnchorEigenmapOptions options = options_for_test();
    options.sample = sample;
    const AnchorEigenmaps alone = fit_alone(rows, options).model;
    for (int ranks = 1; ranks <= 4; ++ranks) {
      std::mutex mutex;
      std::vector<AnchorEigenmaps> models;
      run_as_threads(ranks, [&](Comm& comm) {
        const RowRange range = rows_of_rank(rows.rows(), comm.rank(), comm.size());
        auto fit = fit_anchor_eigenmaps(rows.middleRows(range.begin, range.end - range.begin),
                                        options, {comm, 1});
        const std::scoped_lock lock(mutex);
        models.push_back(std::move(fit.model));
      });
      for (const AnchorEigenmaps& model : models) {
        EXPECT_EQ(model.anchors, alone.anchors);
        EXPECT_EQ(model.projection, models[0].projection);
        EXPECT_EQ(model.items, 403);
      }
      EXPECT_LT(worst(encode(models[0], rows), encode(alone, rows)), 1e-5);
    }
  }
}

TEST(AnchorEigenmaps, NeitherJobsNorCompanyMatter) {
  const Matrix rows = normal_matrix(700, 20, 3).cast<float>();
  for (const char* weights : {"rbf", "lae"}) {
    AnchorEigenmapOptions options = options_for_test();
    options.weights = weights;
    const AnchorEigenmaps once = fit_alone(rows, options).model;
    const Matrix encoded = encode(once, rows, 1);
    EXPECT_EQ(fit_alone(rows, options, 3).model.projection, once.projection);
    EXPECT_EQ(encode(once, rows, 3), encoded);
    for (const Eigen::Index row : {0, 255, 256, 699})
      EXPECT_EQ(encode(once, rows.row(row)), encoded.row(row));
  }
}

TEST(AnchorEigenmaps, FewItemsAndEqualOnes) {
  AnchorEigenmapOptions options = options_for_test();
  for (const Eigen::Index items : {2, 3, 10}) {
    const AnchorEigenmaps model = fit_alone(moons(items), options).model;
    EXPECT_LE(model.anchors.rows(), items);
    EXPECT_LT(model.count(), model.anchors.rows());
    EXPECT_TRUE(encode(model, moons(items)).allFinite());
  }
  Matrix rows = moons(60);
  for (Eigen::Index i = 0; i < 60; ++i) rows.row(i) = rows.row(i % 5).eval();
  const AnchorEigenmaps model = fit_alone(rows, options).model;
  EXPECT_TRUE(model.projection.allFinite());
  EXPECT_TRUE(encode(model, rows).allFinite());
  EXPECT_TRUE(encode(model, Matrix(Matrix::Constant(1, 2, 1e15F))).allFinite()) << "far from all";
}

TEST(AnchorEigenmaps, BadInputIsRefused) {
  Matrix rows = moons(50);
  const AnchorEigenmaps good = fit_alone(rows, options_for_test()).model;
  struct Case {
    const char* name;
    std::function<void(AnchorEigenmapOptions&)> spoil;
  };
  for (const auto& [name, spoil] :
       std::vector<Case>{{"count", [](auto& options) { options.count = 0; }},
                         {"anchors", [](auto& options) { options.anchors = 1; }},
                         {"anchors", [](auto& options) { options.anchors = 1'000'000; }},
                         {"nearest", [](auto& options) { options.nearest = 0; }},
                         {"weights", [](auto& options) { options.weights = "equal"; }},
                         {"sample", [](auto& options) { options.sample = 1; }},
                         {"iterations", [](auto& options) { options.iterations = 0; }}}) {
    AnchorEigenmapOptions options = options_for_test();
    spoil(options);
    const std::string message = message_of([&] { fit_alone(rows, options); });
    EXPECT_TRUE(message.starts_with(std::string(name) + " is ")) << message;
  }
  EXPECT_THROW(fit_alone(rows.topRows(1), options_for_test()), Error);
  EXPECT_THROW(fit_alone(Matrix(5, 0), options_for_test()), Error);
  EXPECT_THROW(encode(good, Matrix(1, 3)), Error);
  rows(30, 1) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(message_of([&] { encode(good, rows); }).starts_with("row 31 "));
  const std::string message = message_of([&] {
    run_as_threads(2, [&](Comm& comm) {
      fit_anchor_eigenmaps(rows.middleRows(25 * comm.rank(), 25), options_for_test(), {comm, 1});
    });
  });
  EXPECT_TRUE(message.starts_with("row 31 ")) << message;
}

TEST(AnchorEigenmapsFile, KeepsEveryBitAndRefusesDamage) {
  const Matrix rows = moons(60);
  const AnchorEigenmaps good = fit_alone(rows, options_for_test()).model;
  const test::TemporaryDirectory folder;
  save(good, folder / "m.safetensors");
  const AnchorEigenmaps again = load_anchor_eigenmaps(TensorFile(folder / "m.safetensors"));
  EXPECT_EQ(encode(again, rows), encode(good, rows));
  EXPECT_EQ(again.eigenvalues, good.eigenvalues);
  EXPECT_EQ(again.items, 60);
  EXPECT_EQ(options_to_json(again.options), options_to_json(good.options));
  const std::string bytes = test::slurp(folder / "m.safetensors");
  for (std::size_t size = 0; size < bytes.size(); size += 11)
    EXPECT_THROW(load_anchor_eigenmaps(TensorFile(bytes.substr(0, size), "cut")), Error) << size;
  using Spoil = std::function<void(AnchorEigenmaps&)>;
  for (const auto& spoil : std::vector<Spoil>{
           [](auto& model) { model.bandwidth = 0; }, [](auto& model) { model.items = -3; },
           [](auto& model) { model.anchors.conservativeResize(3, 2); },
           [](auto& model) { model.eigenvalues.conservativeResize(3); },
           [](auto& model) { model.eigenvalues(0) = -1; },
           [](auto& model) { model.projection(0, 0) = std::nan(""); },
           [](auto& model) { model.options.weights = ""; }}) {
    AnchorEigenmaps bad = good;
    spoil(bad);
    save(bad, folder / "bad.safetensors");
    EXPECT_THROW(load_anchor_eigenmaps(TensorFile(folder / "bad.safetensors")), Error);
  }
}

}  // namespace anchor_eigenmaps_test
}  // namespace commonplace

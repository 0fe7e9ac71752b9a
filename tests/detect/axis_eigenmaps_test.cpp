#include "commonplace/detect/core/axis_eigenmaps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/detect/core/axis_eigenmaps_file.h"
#include "commonplace/detect/core/axis_encoder.h"
#include "commonplace/detect/core/axis_functions.h"
#include "commonplace/detect/core/lap_rls.h"
#include "commonplace/io/options_json.h"
#include "tests/support/naive_eigenmaps.h"
#include "tests/support/naive_gp.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace axis_eigenmaps_test {

using namespace detect;

using test::message_of;
using test::normal_matrix;
using test::signs_of;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class A, class B>
double worst(const A& a, const B& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  return (a.template cast<double>() - b.template cast<double>()).cwiseAbs().maxCoeff();
}

AxisEigenmapOptions options_for_test(std::int64_t count = 20) {
  AxisEigenmapOptions options = authors_axis_eigenmaps();
  options.count = count;
  return options;
}

template <class Rows>
AxisEigenmapFit fit_alone(const Rows& rows, const AxisEigenmapOptions& options, int jobs = 1) {
  return fit_axis_eigenmaps(rows, options, {.jobs = jobs});
}

/// Groups on a few axes that are then mixed, of unequal width and far from zero.
MatrixD grouped_items(Eigen::Index items, Eigen::Index features, std::uint64_t seed) {
  MatrixD result = normal_matrix(items, features, seed);
  for (Eigen::Index i = 0; i < items; ++i)
    for (Eigen::Index j = 0; j < features; ++j)
      result(i, j) = (0.15 * result(i, j) + (j < 2 ? static_cast<double>((i >> j) % 2) : 0.0)) /
                     (1 + static_cast<double>(j));
  const MatrixD mix = test::naive_principal_axes(normal_matrix(50, features, seed + 1));
  MatrixD mixed = result * mix;
  mixed.array() += 3;
  return mixed;
}

class AxisEigenmapsOracle : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::oracle_directory() / "ale";
    if (test::oracle_directory().empty() || !std::filesystem::exists(folder_))
      GTEST_SKIP() << "the other programs' outputs are not here";
    options_ = options_for_test(12);
    options_.rotate = false;
  }
  MatrixD read(const std::string& name) const {
    return test::read_numbers(folder_ / (name + ".csv"));
  }

  std::filesystem::path folder_;
  AxisEigenmapOptions options_;
};

TEST_F(AxisEigenmapsOracle, DensitiesAndEigenvaluesAreTheirs) {
  const auto found = fit_alone(read("X"), options_);
  const MatrixD centres = read("bins");
  const MatrixD densities = read("density_pp");
  const MatrixD eigenvalues = read("lambdas_all");
  const MatrixD clips = read("clip");
  EXPECT_LT(worst(found.model.clip_low.transpose().eval(), clips.row(0).eval()), 1e-12);
  EXPECT_LT(worst(found.model.clip_high.transpose().eval(), clips.row(1).eval()), 1e-12);
  for (Eigen::Index axis = 0; axis < 8; ++axis) {
    EXPECT_LT(worst(bin_centres(found.model, axis), centres.col(axis).eval()), 1e-12);
    const VectorD density =
        smoothed_density(found.statistics.histogram.row(axis), options_.smoothing);
    EXPECT_LT(worst(density, densities.col(axis).eval()), 1e-12);
    const DensityFunctions functions =
        density_functions(density, centres(1, axis) - centres(0, axis), 0.2);
    VectorD theirs = eigenvalues.col(axis);
    std::sort(theirs.begin(), theirs.end());
    EXPECT_LT(worst(functions.eigenvalues, theirs), 1e-10);
    if (axis > 1) continue;
    const MatrixD g = read(axis == 0 ? "g_dim1" : "g_dim2");
    for (Eigen::Index i = 0; i < 12; ++i) {
      const MatrixD ours = functions.functions.row(i).transpose();
      const MatrixD other = g.col(49 - i);
      EXPECT_LT(worst(signs_of(ours, other), other), 1e-10 * other.cwiseAbs().maxCoeff())
          << axis << ' ' << i;
    }
  }
}

TEST_F(AxisEigenmapsOracle, ChoosesAndEncodesAsTheyDo) {
  const MatrixD items = read("X");
  const auto found = fit_alone(items, options_);
  const MatrixD chosen = read("sel_ii_jj");
  ASSERT_EQ(found.model.count(), 12);
  for (Eigen::Index i = 0; i < 12; ++i)
    EXPECT_EQ(found.model.axis[static_cast<std::size_t>(i)] + 1,
              static_cast<std::int64_t>(chosen(i, 1)));
  EXPECT_LT(worst(found.model.eigenvalues, read("lambda_out").col(0).eval()), 1e-10);
  const MatrixD functions = found.model.functions.transpose();
  EXPECT_LT(worst(signs_of(functions, read("g_selected")), read("g_selected")),
            1e-10 * functions.cwiseAbs().maxCoeff());
  EXPECT_LT(worst(found.model.norms.transpose().eval(), read("U_norms")), 1e-10 * 72);
  const MatrixD u = read("U");
  EXPECT_LT(worst(signs_of(encode(found.model, items), u), u), 1e-10);
  const MatrixD u_new = read("Unew_trainnorm");
  EXPECT_LT(worst(signs_of(encode(found.model, read("X_new")), u_new), u_new), 1e-10);
}

TEST_F(AxisEigenmapsOracle, LapRlsIsTheirs) {
  const MatrixD items = read("X");
  const auto found = fit_alone(items, options_);
  const MatrixD theirs = read("U");
  MatrixD encoded = encode(found.model, items);
  LapRlsOptions head;
  head.bias = false;
  const MatrixD labels = 2 * read("Y").topRows(60).array() - 1;
  MatrixD alpha = fit_lap_rls(encoded.topRows(60), labels, found.model.eigenvalues, head);
  EXPECT_LT(worst(MatrixD(encoded * alpha), read("smooth_scores_all")), 1e-10);
  for (Eigen::Index i = 0; i < 12; ++i)
    if (encoded.col(i).dot(theirs.col(i)) < 0) alpha.row(i) *= -1;
  const MatrixD expected = read("smooth_alpha");
  EXPECT_LT(worst(alpha, expected), 1e-10 * expected.cwiseAbs().maxCoeff());
}

TEST_F(AxisEigenmapsOracle, FloatsComeNear) {
  const Matrix items = read("X").cast<float>();
  const auto found = fit_alone(items, options_);
  const MatrixD u = read("U");
  EXPECT_LT(worst(signs_of(encode(found.model, items).cast<double>(), u), u), 1e-4);
}

VectorD deviations(const MatrixD& items) {
  return ((items.rowwise() - items.colwise().mean()).colwise().squaredNorm() /
          static_cast<double>(items.rows()))
      .cwiseSqrt();
}

void expect_naive(const AxisEigenmapFit& found, const MatrixD& items, const MatrixD& on_axes,
                  const test::NaiveAxisEigenmaps& naive) {
  const AxisEigenmaps& model = found.model;
  ASSERT_EQ(model.count(), naive.eigenvalues.size());
  EXPECT_EQ(model.axis, naive.axis);
  EXPECT_LT(worst(model.eigenvalues, naive.eigenvalues), 1e-9);
  EXPECT_LT(worst(model.clip_low.transpose().eval(), naive.clips.row(0).eval()), 1e-9);
  EXPECT_LT(worst(model.clip_high.transpose().eval(), naive.clips.row(1).eval()), 1e-9);
  EXPECT_LT(worst(model.norms, naive.norms), 1e-8 * naive.norms.maxCoeff());
  const MatrixD encoded = encode(model, items);
  EXPECT_LT(worst(signs_of(encoded, naive.encoded), naive.encoded), 1e-8);
  EXPECT_LT((encoded.colwise().norm().array() - 1).abs().maxCoeff(), 1e-9);
  EXPECT_EQ(found.statistics.histogram.rowwise().sum().minCoeff(),
            static_cast<double>(on_axes.rows()));
  EXPECT_EQ(found.statistics.between.rowwise().sum().maxCoeff(),
            static_cast<double>(on_axes.rows()));
}

TEST(AxisEigenmaps, AgreeWithTheFormulasAsLoops) {
  const MatrixD items = grouped_items(401, 5, 3);
  for (const bool rotate : {false, true})
    for (const char* unit : {"one", "widest", "axis"}) {
      AxisEigenmapOptions options = options_for_test();
      options.rotate = rotate;
      options.bandwidth = 0.3;
      options.bandwidth_unit = unit;
      options.clip = 0.04;
      const auto found = fit_alone(items, options);
      MatrixD on_axes = items;
      if (rotate)
        on_axes = (items.rowwise() - items.colwise().mean()) * found.model.rotation.transpose();
      VectorD bandwidths = VectorD::Constant(5, 0.3);
      const VectorD deviation = deviations(on_axes);
      if (std::string(unit) == "axis") bandwidths = 0.3 * deviation;
      if (std::string(unit) == "widest") bandwidths.setConstant(0.3 * deviation.maxCoeff());
      expect_naive(found, items, on_axes,
                   test::naive_axis_eigenmaps(on_axes, 40, bandwidths, 0.1, 0.04, 20));
    }
}

TEST(AxisEigenmaps, RotateToThePrincipalAxes) {
  const MatrixD items = grouped_items(300, 6, 4);
  const auto found = fit_alone(items, options_for_test());
  const MatrixD expected = test::naive_principal_axes(items).transpose();
  const MatrixD axes = found.model.rotation.transpose();
  EXPECT_LT(worst(signs_of(axes, expected), expected), 1e-9);
  EXPECT_LT(worst(found.model.mean, VectorD(items.colwise().mean())), 1e-12);
  const auto floats = fit_alone(Matrix(items.cast<float>()), options_for_test());
  EXPECT_LT(worst(floats.model.rotation, found.model.rotation), 1e-4);
}

TEST(AxisEigenmaps, FloatsComeNearDoubles) {
  const MatrixD items = grouped_items(700, 6, 5);
  const Matrix floats = items.cast<float>();
  const auto expected = fit_alone(items, options_for_test());
  const auto found = fit_alone(floats, options_for_test());
  EXPECT_EQ(found.model.axis, expected.model.axis);
  EXPECT_LT(worst(encode(found.model, floats), encode(expected.model, items)), 2e-4);
  EXPECT_LT(worst(encode(expected.model, floats), encode(expected.model, items)), 2e-5);
}

/// Columns that are hard to take quantiles of.
MatrixD awkward_items(Eigen::Index items) {
  MatrixD result(items, 8);
  for (Eigen::Index i = 0; i < items; ++i) {
    const auto row = static_cast<std::uint64_t>(i);
    const double normal = test::random_normal(1, row, 0);
    const double uniform = random_uniform(2, row, 0);
    result.row(i) << normal, uniform < 0.9 ? 0.0 : normal, i == 7 ? 1e6 : normal,
        i % 3 == 0 ? -1e-9 * uniform : 1e-9 * uniform, 5.0, std::floor(4 * uniform),
        std::exp(3 * normal), 1e5 + 1e-3 * normal;
  }
  return result;
}

TEST(AxisEigenmaps, ClipsAreExactQuantiles) {
  for (const Eigen::Index count : {21, 400, 5000})
    for (const double clip : {0.0, 0.001, 0.025, 0.2, 0.45}) {
      const MatrixD items = awkward_items(count);
      AxisEigenmapOptions options = options_for_test();
      options.rotate = false;
      options.clip = clip;
      const Matrix floats = items.cast<float>();
      const auto exact = fit_alone(items, options);
      const auto found = fit_alone(floats, options);
      for (Eigen::Index axis = 0; axis < items.cols(); ++axis) {
        const auto expect_quantiles = [&](std::vector<double> sorted, const AxisEigenmaps& model) {
          std::sort(sorted.begin(), sorted.end());
          const double place = std::max(0.0, clip * static_cast<double>(count) - 1);
          const auto at = [&](double where) {
            const double low = sorted[static_cast<std::size_t>(std::floor(where))];
            const double high = sorted[static_cast<std::size_t>(std::ceil(where))];
            return low + (where - std::floor(where)) * (high - low);
          };
          EXPECT_EQ(model.low(axis), sorted.front());
          EXPECT_EQ(model.high(axis), sorted.back());
          const double near = 1e-12 * std::max(std::abs(sorted.front()), std::abs(sorted.back()));
          EXPECT_NEAR(model.clip_low(axis), at(place), near) << axis << ' ' << clip;
          EXPECT_NEAR(model.clip_high(axis), at(static_cast<double>(count - 1) - place), near);
        };
        expect_quantiles({items.col(axis).begin(), items.col(axis).end()}, exact.model);
        expect_quantiles({floats.col(axis).begin(), floats.col(axis).end()}, found.model);
      }
      for (const std::int64_t axis : found.model.axis) EXPECT_NE(axis, 4) << "it is constant";
    }
}

TEST(AxisEigenmaps, StatisticsAreThoseOfTheItems) {
  const MatrixD items = awkward_items(3000);
  for (const bool rotate : {false, true}) {
    AxisEigenmapOptions options = options_for_test();
    options.rotate = rotate;
    const auto found = fit_alone(items, options);
    AxisStatistics again = found.statistics;
    again.items = 0;
    for (MatrixD* part :
         {&again.scatter, &again.histogram, &again.between, &again.moment, &again.second})
      part->setZero();
    again.sum.setZero();
    add_rows(again, found.model, items, {});
    EXPECT_EQ(again.items, 3000);
    EXPECT_EQ(again.histogram, found.statistics.histogram);
    EXPECT_EQ(again.between, found.statistics.between);
    EXPECT_LT(worst(again.moment, found.statistics.moment), 1e-6);
    EXPECT_LT(worst(again.second, found.statistics.second), 1e-6);
    EXPECT_LT(worst(again.sum, found.statistics.sum), 1e-6 * found.statistics.sum.maxCoeff());
    if (!rotate) continue;
    EXPECT_LT(worst(again.scatter, found.statistics.scatter),
              1e-12 * found.statistics.scatter.maxCoeff());
  }
}

/// New items update the model as if all had been counted at once.
TEST(AxisEigenmaps, OnlineIsAllAtOnce) {
  const MatrixD all = grouped_items(900, 5, 6);
  const Matrix rows = all.cast<float>();
  const auto start = fit_alone(Matrix(rows.topRows(500)), options_for_test());
  AxisStatistics online = start.statistics;
  for (Eigen::Index first = 500; first < 900; first += 80)
    add_rows(online, start.model, rows.middleRows(first, 80), {});
  AxisStatistics at_once = start.statistics;
  add_rows(at_once, start.model, rows.bottomRows(400), {});
  const AxisEigenmaps a = refresh(start.model, online);
  const AxisEigenmaps b = refresh(start.model, at_once);
  EXPECT_EQ(a.items, 900);
  EXPECT_EQ(a.axis, b.axis);
  EXPECT_LT(worst(encode(a, rows), encode(b, rows)), 1e-6);
  const MatrixD encoded = encode(a, all);
  EXPECT_LT((encoded.colwise().norm().array() - 1).abs().maxCoeff(), 1e-5)
      << "norms are those of all items";
  EXPECT_GT(worst(encode(start.model, rows), encode(a, rows)), 1e-3) << "and it did change";
  const MatrixD centred = all.rowwise() - all.colwise().mean();
  EXPECT_LT(worst(online.scatter, MatrixD(centred.transpose() * centred)), 1e-3);
}

TEST(AxisEigenmaps, RefreshingWithTheSameItemsChangesNothing) {
  const auto start = fit_alone(grouped_items(300, 4, 7), options_for_test());
  const AxisEigenmaps again = refresh(start.model, start.statistics);
  EXPECT_EQ(again.functions, start.model.functions);
  EXPECT_EQ(again.norms, start.model.norms);
}

TEST(AxisEigenmaps, RanksAgree) {
  const Matrix rows = grouped_items(903, 6, 8).cast<float>();
  const auto alone = fit_alone(rows, options_for_test());
  const Matrix expected = encode(alone.model, rows);
  for (int ranks = 1; ranks <= 4; ++ranks) {
    std::mutex mutex;
    std::vector<AxisEigenmapFit> fits;
    run_as_threads(ranks, [&](Comm& comm) {
      const RowRange range = rows_of_rank(rows.rows(), comm.rank(), comm.size());
      auto fit = fit_axis_eigenmaps(rows.middleRows(range.begin, range.end - range.begin),
                                    options_for_test(), {comm, 1});
      add_rows(fit.statistics, fit.model, rows.middleRows(range.begin, 10), {comm});
      const std::scoped_lock lock(mutex);
      fits.push_back(std::move(fit));
    });
    for (const auto& fit : fits) {
      EXPECT_EQ(fit.model.functions, fits[0].model.functions);
      EXPECT_EQ(fit.model.rotation, fits[0].model.rotation);
      EXPECT_EQ(fit.statistics.second, fits[0].statistics.second);
      EXPECT_EQ(fit.statistics.items, 903 + 10 * ranks);
    }
    EXPECT_EQ(fits[0].model.axis, alone.model.axis);
    EXPECT_LT(worst(encode(fits[0].model, rows), expected), 1e-4) << ranks;
  }
}

TEST(AxisEigenmaps, RanksWithoutRowsHelp) {
  const Matrix rows = grouped_items(60, 4, 9).cast<float>();
  const auto alone = fit_alone(rows, options_for_test());
  run_as_threads(3, [&](Comm& comm) {
    const auto fit =
        fit_axis_eigenmaps(comm.rank() == 1 ? rows : Matrix(0, 4), options_for_test(), {comm, 1});
    EXPECT_EQ(fit.model.functions, alone.model.functions);
  });
}

TEST(AxisEigenmaps, PermutedItemsGiveThePermutedAnswer) {
  const MatrixD items = grouped_items(5000, 5, 10);
  std::vector<Eigen::Index> order(5000);
  std::iota(order.begin(), order.end(), 0);
  Rng rng(3);
  std::shuffle(order.begin(), order.end(), rng);
  const MatrixD permuted = items(order, Eigen::all);
  const MatrixD a = encode(fit_alone(items, options_for_test()).model, items);
  const MatrixD b = encode(fit_alone(permuted, options_for_test()).model, permuted);
  EXPECT_LT(worst(MatrixD(a(order, Eigen::all)), b), 1e-9);
}

TEST(AxisEigenmaps, JobsDoNotMatter) {
  const Matrix rows = grouped_items(5000, 40, 11).cast<float>();
  AxisEigenmapOptions options = options_for_test(60);
  const auto once = fit_alone(rows, options);
  const Matrix encoded = encode(once.model, rows, 1);
  for (const int jobs : {2, 3, 0}) {
    const auto again = fit_alone(rows, options, jobs);
    EXPECT_EQ(again.model.functions, once.model.functions);
    EXPECT_EQ(again.model.norms, once.model.norms);
    EXPECT_EQ(again.model.clip_low, once.model.clip_low);
    EXPECT_EQ(encode(again.model, rows, jobs), encoded);
  }
}

TEST(AxisEigenmaps, ARowAloneGetsTheSameBits) {
  const Matrix rows = grouped_items(600, 40, 12).cast<float>();
  const auto fit = fit_alone(rows, options_for_test(60));
  const Matrix together = encode(fit.model, rows);
  const AxisEncoder encoder(fit.model);
  for (const Eigen::Index row : {0, 1, 17, 599})
    EXPECT_EQ(encoder.encode(rows.row(row)), together.row(row));
}

/// Three groups along one of many directions, three labels each.
TEST(AxisEigenmaps, PlantedGroupsNeedFewLabels) {
  MatrixD items = 0.05 * normal_matrix(900, 6, 13);
  for (Eigen::Index i = 0; i < 900; ++i) items(i, 2) += static_cast<double>(i % 3);
  const MatrixD mixed = items * test::naive_principal_axes(normal_matrix(40, 6, 14));
  AxisEigenmapOptions options;
  options.count = 8;
  const auto fit = fit_alone(mixed, options);
  const Matrix encoded = encode(fit.model, mixed).cast<float>();
  MatrixD labels = MatrixD::Constant(9, 3, -1);
  for (Eigen::Index i = 0; i < 9; ++i) labels(i, i % 3) = 1;
  const Matrix scores =
      lap_rls_scores(encoded, fit_lap_rls(encoded.topRows(9), labels, fit.model.eigenvalues));
  int right = 0;
  for (Eigen::Index i = 0; i < 900; ++i) {
    Eigen::Index best = 0;
    scores.row(i).maxCoeff(&best);
    right += best == i % 3 ? 1 : 0;
  }
  EXPECT_GT(right, 890);
}

TEST(AxisEigenmaps, FewItemsAndManyFunctions) {
  AxisEigenmapOptions options = options_for_test(100000);
  for (const Eigen::Index count : {2, 3, 9, 31, 200}) {
    const MatrixD items = grouped_items(count, 4, 15);
    const auto fit = fit_alone(items, options);
    EXPECT_EQ(fit.model.bins(), std::max<Eigen::Index>(3, std::min<Eigen::Index>(50, count / 10)));
    EXPECT_LE(fit.model.axes(), std::min<Eigen::Index>(4, count - 1));
    EXPECT_GE(fit.model.count(), 1);
    EXPECT_LE(fit.model.count(), fit.model.axes() * (fit.model.bins() - 1));
    EXPECT_LT(fit.model.eigenvalues.maxCoeff(), 1);
    EXPECT_TRUE(encode(fit.model, items).allFinite());
  }
}

TEST(AxisEigenmaps, ItemsFarOutsideAreAtTheEnds) {
  const MatrixD items = grouped_items(300, 4, 16);
  const auto fit = fit_alone(items, options_for_test());
  MatrixD far = items.topRows(1);
  far.array() += 1e30;
  const Matrix floats = far.cast<float>();
  EXPECT_TRUE(encode(fit.model, far).allFinite());
  EXPECT_TRUE(encode(fit.model, floats).allFinite());
  AxisStatistics statistics = fit.statistics;
  add_rows(statistics, fit.model, floats, {});
  EXPECT_EQ(statistics.histogram.sum(), fit.statistics.histogram.sum() + 4);
}

TEST(AxisEigenmaps, RowsThatAreNoNumbersAreNamed) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Matrix rows = grouped_items(100, 4, 17).cast<float>();
    const auto good = fit_alone(rows, options_for_test());
    rows(41, 2) = bad;
    const std::string message = message_of([&] {
      run_as_threads(2, [&](Comm& comm) {
        const RowRange range = rows_of_rank(100, comm.rank(), comm.size());
        fit_axis_eigenmaps(rows.middleRows(range.begin, range.end - range.begin),
                           options_for_test(), {comm, 1});
      });
    });
    EXPECT_TRUE(message.starts_with("row 42 ")) << message;
    EXPECT_TRUE(message_of([&] { encode(good.model, rows); }).starts_with("row 42 "));
    AxisStatistics statistics = good.statistics;
    EXPECT_THROW(add_rows(statistics, good.model, rows, {}), Error);
    EXPECT_EQ(statistics.histogram, good.statistics.histogram);
  }
}

TEST(AxisEigenmaps, BadInputIsRefused) {
  const MatrixD items = grouped_items(100, 4, 18);
  struct Case {
    const char* name;
    std::function<void(AxisEigenmapOptions&)> spoil;
  };
  for (const auto& [name, spoil] : std::vector<Case>{
           {"count", [](auto& options) { options.count = 0; }},
           {"bins", [](auto& options) { options.bins = 2; }},
           {"bins", [](auto& options) { options.bins = 1'000'000; }},
           {"bandwidth", [](auto& options) { options.bandwidth = 0; }},
           {"bandwidth", [](auto& options) { options.bandwidth = kNaN; }},
           {"bandwidth_unit", [](auto& options) { options.bandwidth_unit = "metre"; }},
           {"smoothing", [](auto& options) { options.smoothing = 0; }},
           {"smoothing", [](auto& options) { options.smoothing = kInfinity; }},
           {"clip", [](auto& options) { options.clip = -0.1; }},
           {"clip", [](auto& options) { options.clip = 0.5; }}}) {
    AxisEigenmapOptions options = options_for_test();
    spoil(options);
    const std::string message = message_of([&] { fit_alone(items, options); });
    EXPECT_TRUE(message.starts_with(std::string(name) + " is ")) << name << ": " << message;
  }
  EXPECT_THROW(fit_alone(MatrixD(items.topRows(1)), options_for_test()), Error);
  EXPECT_THROW(fit_alone(MatrixD(0, 4), options_for_test()), Error);
  EXPECT_THROW(fit_alone(MatrixD(9, 0), options_for_test()), Error);
  EXPECT_THROW(fit_alone(MatrixD(MatrixD::Constant(50, 4, 2.5)), options_for_test()), Error);
  const auto fit = fit_alone(items, options_for_test());
  EXPECT_THROW(encode(fit.model, MatrixD(items.leftCols(3))), Error);
  EXPECT_THROW(encode(fit.model, Matrix(items.leftCols(3).cast<float>())), Error);
  const auto other = fit_alone(grouped_items(100, 5, 1), options_for_test());
  EXPECT_THROW(refresh(fit.model, other.statistics), Error);
  EXPECT_THROW(run_as_threads(2,
                              [&](Comm& comm) {
                                fit_axis_eigenmaps(MatrixD(items.leftCols(3 + comm.rank())),
                                                   options_for_test(), {comm, 1});
                              }),
               Error);
  EXPECT_THROW(
      {
        SelfComm comm;
        fit_axis_eigenmaps(items, options_for_test(),
                           {comm, 1, [](const ProgressStep&) { throw Cancelled(); }});
      },
      Cancelled);
}

TEST(AxisEigenmapsFile, KeepsEveryBit) {
  const Matrix rows = grouped_items(300, 5, 19).cast<float>();
  for (const bool rotate : {false, true}) {
    AxisEigenmapOptions options = options_for_test();
    options.rotate = rotate;
    const auto fit = fit_alone(rows, options);
    const test::TemporaryDirectory folder;
    save(fit.model, folder / "m.safetensors");
    save(fit.statistics, folder / "s.safetensors");
    const AxisEigenmaps model = load_axis_eigenmaps(TensorFile(folder / "m.safetensors"));
    const AxisStatistics statistics =
        load_axis_statistics(TensorFile(folder / "s.safetensors"), model);
    EXPECT_EQ(encode(model, rows), encode(fit.model, rows));
    EXPECT_EQ(options_to_json(model.options), options_to_json(fit.model.options));
    EXPECT_EQ(model.eigenvalues, fit.model.eigenvalues);
    EXPECT_EQ(model.items, 300);
    const AxisEigenmaps again = refresh(model, statistics);
    EXPECT_EQ(again.functions, fit.model.functions);
    EXPECT_EQ(again.norms, fit.model.norms);
    EXPECT_EQ(statistics.sum, fit.statistics.sum);
    EXPECT_EQ(statistics.scatter, fit.statistics.scatter);
    EXPECT_THROW(load_axis_statistics(TensorFile(folder / "m.safetensors"), model), Error);
    EXPECT_THROW(load_axis_eigenmaps(TensorFile(folder / "s.safetensors")), Error);
  }
}

TEST(AxisEigenmapsFile, DamageIsRefused) {
  const auto good = fit_alone(grouped_items(60, 3, 20), options_for_test(4));
  const test::TemporaryDirectory folder;
  save(good.model, folder / "m.safetensors");
  const std::string bytes = test::slurp(folder / "m.safetensors");
  for (std::size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_THROW(load_axis_eigenmaps(TensorFile(bytes.substr(0, size), "cut")), Error) << size;
  using Spoil = std::function<void(AxisEigenmaps&)>;
  for (const auto& spoil : std::vector<Spoil>{
           [](auto& model) { model.axis[0] = 3; }, [](auto& model) { model.axis[1] = -1; },
           [](auto& model) { model.axis.pop_back(); }, [](auto& model) { model.norms(0) = 0; },
           [](auto& model) { model.norms(0) = kNaN; },
           [](auto& model) { model.eigenvalues.conservativeResize(2); },
           [](auto& model) { model.functions(1, 1) = kInfinity; },
           [](auto& model) { model.functions.conservativeResize(4, 2); },
           [](auto& model) { model.rotation.conservativeResize(2, 3); },
           [](auto& model) { model.mean.conservativeResize(2); },
           [](auto& model) { model.high(0) = model.low(0) - 1; },
           [](auto& model) { model.clip_low(0) = model.low(0) - 1; },
           [](auto& model) { model.bandwidths(0) = 0; }, [](auto& model) { model.items = -1; },
           [](auto& model) { model.options.bins = 0; }}) {
    AxisEigenmaps bad = good.model;
    spoil(bad);
    save(bad, folder / "bad.safetensors");
    EXPECT_THROW(load_axis_eigenmaps(TensorFile(folder / "bad.safetensors")), Error);
  }
  using SpoilStatistics = std::function<void(AxisStatistics&)>;
  for (const auto& spoil : std::vector<SpoilStatistics>{
           [](auto& sums) { sums.items = 59; }, [](auto& sums) { sums.items = 61; },
           [](auto& sums) { sums.sum.conservativeResize(2); },
           [](auto& sums) { sums.sum(1) = kNaN; },
           [](auto& sums) { sums.scatter.conservativeResize(2, 3); },
           [](auto& sums) { sums.scatter(0, 1) = kInfinity; },
           [](auto& sums) { sums.scatter.resize(0, 0); },
           [](auto& sums) { sums.histogram.row(0).setZero(); },
           [](auto& sums) { sums.histogram.conservativeResize(2, sums.histogram.cols()); },
           [](auto& sums) { sums.histogram(0, 0) = -1; },
           [](auto& sums) { sums.between(0, 0) += 1; },
           [](auto& sums) { sums.moment.conservativeResize(3, 2); },
           [](auto& sums) { sums.moment(0, 0) = kNaN; },
           [](auto& sums) { sums.second(2, 1) = kInfinity; }}) {
    AxisStatistics bad = good.statistics;
    spoil(bad);
    save(bad, folder / "bad.safetensors");
    EXPECT_THROW(load_axis_statistics(TensorFile(folder / "bad.safetensors"), good.model), Error);
  }
}

}  // namespace axis_eigenmaps_test
}  // namespace commonplace

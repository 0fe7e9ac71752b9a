#include "commonplace/transfer/core/coupled_factors.h"

#include <limits>
#include <mutex>
#include <string>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/transfer/core/naive_bayes.h"
#include "tests/support/naive_coupled_factors.h"
#include "tests/support/naive_gp.h"
#include "tests/support/planted_chain.h"
#include "tests/support/small_matrices.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace coupled_factors_test {

using namespace transfer;

using Ends = std::vector<std::array<int, 2>>;

MatrixD dense_of(const Sparse& sparse) {
  MatrixD result = MatrixD::Zero(sparse.rows(), sparse.columns);
  for (std::int64_t row = 0; row < sparse.rows(); ++row)
    for (std::size_t i = 0; i < sparse.view().row_indices(row).size(); ++i)
      result(row, sparse.view().row_indices(row)[i]) =
          static_cast<double>(sparse.view().row_values(row)[i]);
  return result;
}

MatrixD random_classes(Eigen::Index items, Eigen::Index classes, std::uint64_t seed) {
  return MatrixD::NullaryExpr(items, classes, [=](Eigen::Index row, Eigen::Index column) {
    return 0.2 + random_uniform(seed, static_cast<std::uint64_t>(row),
                                static_cast<std::uint64_t>(column));
  });
}

/// A chain whose first collection is labelled and the others start at random; of the second the
/// first five items are labelled too.
struct Chain {
  test::PlantedChain planted;
  std::vector<Sparse> rows;
  std::vector<MatrixD> classes;
  std::vector<std::vector<std::uint8_t>> given;
  Ends ends;

  explicit Chain(test::PlantedChain from) : planted(from) {
    for (std::int64_t which = 0; which < planted.collections; ++which) {
      const auto items = static_cast<std::size_t>(planted.items);
      rows.push_back(planted.rows(which));
      MatrixD start =
          random_classes(planted.items, planted.classes, 17 + static_cast<std::uint64_t>(which));
      std::vector<std::uint8_t> marks(items, which == 0 ? 1 : 0);
      if (which == 1) std::fill_n(marks.begin(), 5, std::uint8_t{1});
      const MatrixD known = class_indicators(planted.labels(), planted.classes);
      for (std::size_t item = 0; item < items; ++item)
        if (marks[item] != 0)
          start.row(static_cast<Eigen::Index>(item)) = known.row(static_cast<Eigen::Index>(item));
      classes.push_back(start);
      given.push_back(marks);
      if (which > 0) ends.push_back({static_cast<int>(which) - 1, static_cast<int>(which)});
    }
  }
  std::vector<CoupledCollection> collections() const {
    std::vector<CoupledCollection> result;
    for (std::size_t which = 0; which < rows.size(); ++which)
      result.push_back({rows[which].view(), classes[which], given[which]});
    return result;
  }
  std::vector<CoupledPair> start(const CoupledFactorOptions& options) const {
    return start_coupled_pairs(ends, planted.features(), planted.classes, options);
  }
};

CoupledFactorOptions quick(int iterations) {
  CoupledFactorOptions options;
  options.clusters = 9;
  options.iterations = iterations;
  options.tolerance = 0;
  return options;
}

CoupledFit fit_alone(const Chain& chain, const CoupledFactorOptions& options, int jobs = 1) {
  return fit_coupled_factors(chain.collections(), chain.start(options), options, {.jobs = jobs});
}

void expect_near(const MatrixD& found, const MatrixD& expected, double tolerance) {
  ASSERT_EQ(found.rows(), expected.rows());
  ASSERT_EQ(found.cols(), expected.cols());
  EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), tolerance);
}

TEST(CoupledFactors, AgreeWithWholeMatrices) {
  for (const std::int64_t classes : {2, 5}) {
    const Chain chain({.collections = 4, .classes = classes, .items = 41, .words = 5});
    const CoupledFactorOptions options = quick(30);
    test::NaiveCoupled naive{{}, chain.start(options)};
    for (std::size_t which = 0; which < chain.rows.size(); ++which) {
      const MatrixD x = dense_of(chain.rows[which]);
      naive.collections.push_back({x / x.sum(), chain.classes[which], chain.given[which]});
    }
    const CoupledFit fit = fit_alone(chain, options);
    for (int iteration = 0; iteration < 30; ++iteration) {
      naive.step();
      EXPECT_NEAR(fit.report.objective[static_cast<std::size_t>(iteration)], naive.objective(),
                  1e-10 * naive.objective());
    }
    for (std::size_t which = 0; which < chain.rows.size(); ++which)
      expect_near(fit.classes[which], naive.collections[which].g, 1e-10);
    for (std::size_t pair = 0; pair < fit.pairs.size(); ++pair)
      expect_near(fit.pairs[pair].common.features, naive.pairs[pair].common.features, 1e-10);
  }
}

TEST(CoupledFactors, ObjectiveNeverRisesAndKnownClassesStay) {
  const Chain chain({.collections = 3, .classes = 3, .noise = 0.5});
  const CoupledFit fit = fit_alone(chain, quick(100));
  for (std::size_t i = 1; i < fit.report.objective.size(); ++i)
    EXPECT_LE(fit.report.objective[i], fit.report.objective[i - 1] * (1 + 1e-12)) << i;
  for (std::size_t which = 0; which < chain.rows.size(); ++which)
    for (std::size_t item = 0; item < chain.given[which].size(); ++item) {
      const auto row = static_cast<Eigen::Index>(item);
      EXPECT_NEAR(fit.classes[which].row(row).sum(), 1, 1e-12);
      if (chain.given[which][item] == 0) continue;
      EXPECT_EQ(fit.classes[which].row(row), chain.classes[which].row(row));
    }
}

TEST(CoupledFactors, StopWhenClassesNoLongerMove) {
  const Chain chain({.noise = 0.1});
  CoupledFactorOptions options = quick(500);
  options.tolerance = 1e-3;
  const CoupledFit fit = fit_alone(chain, options);
  EXPECT_TRUE(fit.report.converged);
  EXPECT_LT(fit.report.iterations, 500);
  EXPECT_FALSE(fit_alone(chain, quick(3)).report.converged);
}

TEST(CoupledFactors, PermutedItemsGiveThePermutedClasses) {
  const Chain chain({.items = 50});
  Chain reversed = chain;
  for (std::size_t which = 0; which < chain.rows.size(); ++which) {
    reversed.rows[which] = Sparse{chain.rows[which].columns, {0}, {}, {}};
    for (std::int64_t row = 49; row >= 0; --row)
      reversed.rows[which].push_row(chain.rows[which].view(), row);
    reversed.classes[which] = chain.classes[which].colwise().reverse();
    std::reverse(reversed.given[which].begin(), reversed.given[which].end());
  }
  const CoupledFit one = fit_alone(chain, quick(40));
  const CoupledFit other = fit_alone(reversed, quick(40));
  for (std::size_t which = 0; which < chain.rows.size(); ++which)
    expect_near(other.classes[which].colwise().reverse(), one.classes[which], 1e-9);
}

TEST(CoupledFactors, ThreadsChangeNothingAndRanksAgree) {
  const Chain chain({.classes = 3, .items = 70});
  CoupledFactorOptions options = quick(25);
  const CoupledFit one = fit_alone(chain, options);
  const CoupledFit threads = fit_alone(chain, options, 3);
  for (std::size_t which = 0; which < chain.rows.size(); ++which)
    EXPECT_EQ(threads.classes[which], one.classes[which]);

  for (const int ranks : {2, 3, 4}) {
    std::mutex lock;
    std::vector<MatrixD> clusters;
    run_as_threads(ranks, [&](Comm& comm) {
      std::vector<Sparse> rows;
      std::vector<CoupledCollection> collections;
      const RowRange range = rows_of_rank(70, comm.rank(), comm.size());
      for (std::int64_t which = 0; which < 3; ++which)
        rows.push_back(chain.planted.rows(which, range.begin, range.end));
      for (std::size_t which = 0; which < rows.size(); ++which)
        collections.push_back(
            {rows[which].view(),
             chain.classes[which].middleRows(range.begin, range.end - range.begin),
             {chain.given[which].begin() + range.begin, chain.given[which].begin() + range.end}});
      const CoupledFit fit =
          fit_coupled_factors(collections, chain.start(options), options, {comm, 1});
      const std::lock_guard guard(lock);
      for (std::size_t which = 0; which < rows.size(); ++which)
        expect_near(fit.classes[which],
                    one.classes[which].middleRows(range.begin, range.end - range.begin), 1e-9);
      clusters.push_back(fit.pairs[0].common.features);
    });
    for (const MatrixD& of_rank : clusters) EXPECT_EQ(of_rank, clusters[0]);
  }
}

TEST(CoupledFactors, RefuseWhatDoesNotFit) {
  const Chain chain({.items = 10});
  const CoupledFactorOptions options = quick(2);
  const auto expect_error = [&](auto&& change, const std::string& text) {
    std::vector<CoupledCollection> collections = chain.collections();
    std::vector<CoupledPair> pairs = chain.start(options);
    change(collections, pairs);
    try {
      fit_coupled_factors(collections, pairs, options, {.jobs = 1});
      FAIL() << "expected: " << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  expect_error([](auto& collections, auto&) { collections[1].classes(0, 0) = -1; }, "below 0");
  expect_error([](auto& collections, auto&) { collections[1].classes.resize(3, 2); },
               "needs a start");
  expect_error([](auto& collections, auto&) { collections[1].given.pop_back(); },
               "a mark for each");
  expect_error([](auto&, auto& pairs) { pairs.pop_back(); }, "is in no pair");
  expect_error([](auto&, auto& pairs) { pairs[0].ends[0] = 7; }, "names collection 7");
  expect_error([](auto&, auto& pairs) { pairs[0].own[0].weights.resize(1, 1); }, "do not fit");
  Sparse negative = chain.rows[0];
  negative.values[0] = -1;
  expect_error([&](auto& collections, auto&) { collections[0].items = negative.view(); },
               "0 or more");
  Sparse empty{chain.rows[0].columns, {0}, {}, {}};
  for (int item = 0; item < 10; ++item) empty.end_row();
  expect_error([&](auto& collections, auto&) { collections[0].items = empty.view(); },
               "no features");
  CoupledFactorOptions bad;
  bad.shared = 1;
  EXPECT_THROW(chain.start(bad), Error);
}

/// Outputs of another program, which had doubles where we have floats.
TEST(CoupledFactors, AgreeWithAnotherProgram) {
  const std::filesystem::path folder = test::oracle_directory() / "ttl";
  if (test::oracle_directory().empty() || !std::filesystem::exists(folder))
    GTEST_SKIP() << "no outputs of other programs at COMMONPLACE_ORACLES or tests/oracles";
  const auto read = [&](const std::string& name) {
    return test::read_numbers(folder / (name + ".csv"));
  };
  const auto clusters = [&](const std::string& f, const std::string& a) {
    return FeatureClusters{read("init_" + f), read("init_" + a).transpose()};
  };
  const std::vector<CoupledPair> start = {
      {{0, 1}, clusters("F1h", "A1h"), {clusters("F2s", "A2s"), clusters("F2ih", "A2ih")}},
      {{1, 2}, clusters("F1t", "A1t"), {clusters("F2it", "A2it"), clusters("F2t", "A2t")}}};
  const std::vector<MatrixD> x = {read("Xs").transpose(), read("Xi").transpose(),
                                  read("Xt").transpose()};
  const std::vector<MatrixD> classes = {read("Gs"), read("init_Gi"), read("init_Gt")};
  const MatrixD objective = read("obj_mode1");
  const std::vector<std::uint8_t> all(static_cast<std::size_t>(classes[0].rows()), 1);

  test::NaiveCoupled twin{{{x[0], classes[0], all}, {x[1], classes[1], {}}, {x[2], classes[2], {}}},
                          start};
  for (Eigen::Index iteration = 1; iteration <= 100; ++iteration) {
    twin.step();
    ASSERT_NEAR(twin.objective(), objective(iteration, 0), 1e-12 * objective(iteration, 0));
  }
  expect_near(twin.collections[1].g, read("Gi_mode1"), 1e-12);
  expect_near(twin.collections[2].g, read("Gt_mode1"), 1e-12);

  const std::vector<Sparse> rows = {nonzeros_of(x[0]), nonzeros_of(x[1]), nonzeros_of(x[2])};
  const std::vector<CoupledCollection> collections = {{rows[0].view(), classes[0], all},
                                                      {rows[1].view(), classes[1], {}},
                                                      {rows[2].view(), classes[2], {}}};
  CoupledFactorOptions options;
  options.tolerance = 0;
  const CoupledFit fit = fit_coupled_factors(collections, start, options, {.jobs = 1});
  expect_near(fit.classes[1], read("Gi_mode1"), 1e-5);
  expect_near(fit.classes[2], read("Gt_mode1"), 1e-5);
  for (Eigen::Index iteration = 1; iteration <= 100; ++iteration)
    EXPECT_NEAR(fit.report.objective[static_cast<std::size_t>(iteration - 1)],
                objective(iteration, 0), 1e-5 * objective(iteration, 0));
}

}  // namespace coupled_factors_test
}  // namespace commonplace

#include "commonplace/transfer/core/transitive_transfer.h"

#include <mutex>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/eval/calibration.h"
#include "tests/support/planted_chain.h"
#include "tests/support/planted_opinions.h"

namespace commonplace {
namespace transitive_transfer_test {

using namespace transfer;

/// The collections of a chain with the labels of the first.
struct Chain {
  test::PlantedChain planted;
  std::vector<Sparse> rows;

  explicit Chain(test::PlantedChain from) : planted(from) {
    for (std::int64_t which = 0; which < planted.collections; ++which)
      rows.push_back(planted.rows(which));
  }
  TransferCollection source(std::size_t which = 0) const {
    return {rows[which].view(), planted.labels()};
  }
  /// Those in between and the last, or some of them.
  std::vector<TransferCollection> path(const std::vector<std::size_t>& which) const {
    std::vector<TransferCollection> result;
    for (const std::size_t one : which) result.push_back({rows[one].view(), {}});
    return result;
  }
};

Transfer run(const Chain& chain, const std::vector<std::size_t>& path,
             const transfer::Options& options = {}) {
  const std::vector<TransferCollection> sources = {chain.source()};
  return transfer_classes(sources, chain.path(path), chain.planted.classes, options, {});
}

TEST(TransitiveTransfer, ReachesThroughABridgeWhatDirectTransferCannot) {
  const Chain chain({.items = 200, .noise = 0.5});
  const std::vector<std::int32_t> labels = chain.planted.labels();
  double worst_direct = 1;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    transfer::Options options;
    options.factors.seed = seed;
    const Transfer direct = run(chain, {2}, options);
    EXPECT_EQ(direct.stages[0].shared_features, 0);
    worst_direct = std::min(worst_direct, test::share_right(direct.classes[0], labels));
  }
  EXPECT_LT(worst_direct, 0.6) << "nothing tells which group is which, so some are named wrongly";
  const Transfer through = run(chain, {1, 2});
  EXPECT_GT(test::share_right(through.classes[0], labels), 0.93);
  EXPECT_GT(test::share_right(through.classes[1], labels), 0.93);
  EXPECT_NEAR(through.stages[1].shared_features, 0.5, 0.01);
  EXPECT_GT(through.stages[1].agreement, 0.8);
}

TEST(TransitiveTransfer, WalksTwoBridges) {
  const Chain chain({.collections = 4, .classes = 3, .items = 210, .noise = 0.4});
  const Transfer found = run(chain, {1, 2, 3});
  ASSERT_EQ(found.classes.size(), 3U);
  EXPECT_GT(test::share_right(found.classes[2], chain.planted.labels()), 0.93);
}

/// Whatever the noise, a class is never taken for another where the evidence can tell.
TEST(TransitiveTransfer, NeverSwapsTheNamesOfClasses) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Chain chain({.classes = static_cast<std::int64_t>(2 + seed % 2),
                       .items = 180,
                       .noise = 0.55,
                       .seed = seed});
    EXPECT_GT(test::share_right(run(chain, {1, 2}).classes[1], chain.planted.labels()), 0.8)
        << "seed " << seed;
  }
}

/// What the evidence of shared words is needed for.
TEST(TransitiveTransfer, RandomStartsExchangeTheNamesOfClasses) {
  const Chain chain({.items = 200, .noise = 0.3});
  transfer::Options options;
  options.evidence = false;
  options.refine = false;
  int swapped = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    options.factors.seed = seed;
    swapped +=
        test::share_right(run(chain, {1, 2}, options).classes[1], chain.planted.labels()) < 0.5 ? 1
                                                                                                : 0;
  }
  EXPECT_GT(swapped, 0) << "the test is too easy: random starts are never swapped";
}

TEST(TransitiveTransfer, TakesSeveralSources) {
  // Both ends of the chain are sources of its middle; the first knows too little by itself.
  const Chain chain({.collections = 3, .items = 120, .noise = 0.5});
  const std::vector<TransferCollection> sources = {chain.source(0), chain.source(2)};
  const Transfer found = transfer_classes(sources, chain.path({1}), 2, {}, {});
  EXPECT_GT(test::share_right(found.classes[0], chain.planted.labels()), 0.93);
}

TEST(TransitiveTransfer, UsesLabelsOfTheTarget) {
  const Chain chain({.items = 120, .noise = 0.3});
  const std::vector<TransferCollection> sources = {chain.source()};
  std::vector<TransferCollection> path = chain.path({2});
  path[0].labels.assign(120, -1);
  for (std::size_t item = 0; item < 12; ++item)
    path[0].labels[item] = chain.planted.label(static_cast<std::int64_t>(item));
  const Transfer found = transfer_classes(sources, path, 2, {}, {});
  EXPECT_GT(test::share_right(found.classes[0], chain.planted.labels()), 0.9);
  EXPECT_EQ(found.classes[0](0, 0), 1);
}

TEST(TransitiveTransfer, ProbabilitiesAreHonestAndWatched) {
  const Chain chain({.items = 300, .noise = 0.75});
  const std::vector<TransferCollection> sources = {chain.source()};
  int calls = 0;
  double last = 1e9;
  bool falls = true;
  transfer::Options options;
  options.cluster_assumption = "yes";
  const Transfer found = transfer_classes(
      sources, chain.path({1, 2}), 2, options, {},
      [&](std::size_t stage, int iteration, double objective, const MatrixD& classes) {
        ++calls;
        EXPECT_EQ(classes.rows(), 300);
        if (stage == 1 && iteration > 1) falls = falls && objective <= last * (1 + 1e-12);
        last = objective;
      });
  EXPECT_GT(calls, 10);
  EXPECT_TRUE(falls);
  const double right = test::share_right(found.classes[1], chain.planted.labels());
  const double sure = found.classes[1].rowwise().maxCoeff().mean();
  EXPECT_NEAR(sure, right, 0.1);
  EXPECT_LT(found.inverse_temperature, 1);
}

TEST(TransitiveTransfer, DoesNotGroupItemsThatGroupByAnythingElse) {
  const std::vector<Sparse> rows = {test::opinions(1), test::opinions(2), test::opinions(3)};
  const std::vector<std::int32_t> labels = test::labels_of_opinions();
  const std::vector<TransferCollection> sources = {{rows[0].view(), labels}};
  const std::vector<TransferCollection> path = {{rows[1].view(), {}}, {rows[2].view(), {}}};
  transfer::Options options;
  const Transfer found = transfer_classes(sources, path, 2, options, {});
  for (const transfer::Stage& stage : found.stages) {
    EXPECT_FALSE(stage.clustered);
    EXPECT_LT(stage.simulation.refined, stage.simulation.self_trained - 0.1);
  }
  const double right = test::share_right(found.classes[1], labels);
  EXPECT_GT(right, 0.85);
  options.cluster_assumption = "yes";
  const Transfer forced = transfer_classes(sources, path, 2, options, {});
  EXPECT_GT(test::share_right(forced.classes[1], labels), right - 0.03)
      << "a step that leads away from what the shared words say is undone";
  options.cluster_assumption = "maybe";
  EXPECT_THROW(transfer_classes(sources, path, 2, options, {}), Error);
}

/// The source clusters as its labels say, so that the simulated transfer allows it; the target does
/// not.
TEST(TransitiveTransfer, UndoesWhatCollapsesAndIsNotSureOfIt) {
  const std::vector<std::int32_t> labels = test::labels_of_opinions();
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const std::vector<Sparse> rows = {test::opinions(seed, 0.9), test::opinions(seed + 10, 0.15)};
    const std::vector<TransferCollection> sources = {{rows[0].view(), labels}};
    const std::vector<TransferCollection> path = {{rows[1].view(), {}}};
    const Transfer found = transfer_classes(sources, path, 2, {}, {});
    const transfer::Stage& stage = found.stages[0];
    EXPECT_TRUE(stage.clustered) << "the test is too easy: the simulation tells";
    EXPECT_TRUE(stage.collapsed);
    EXPECT_NE(stage.answer, "refinement");
    EXPECT_GT(test::share_right(found.classes[0], labels), 0.75);
    std::vector<double> sure;
    std::vector<std::uint8_t> right;
    double first = 0;
    for (Eigen::Index item = 0; item < 400; ++item) {
      Eigen::Index best = 0;
      sure.push_back(found.classes[0].row(item).maxCoeff(&best));
      right.push_back(static_cast<std::uint8_t>(best == item % 2));
      first += best == 0 ? 1 : 0;
    }
    EXPECT_LT(expected_calibration_error(sure, right), 0.1);
    EXPECT_NEAR(first / 400, 0.5, 0.15) << "one class took the other's items";
  }
}

/// Nine items in ten are of one class, in the source and in the target, whose words hardly say
/// which. Were both classes taken for as common, half of the items would be called the rare one.
TEST(TransitiveTransfer, ClassesAreAsCommonAsInTheSource) {
  const Chain chain({.collections = 2, .classes = 10, .items = 600, .noise = 0.85, .length = 6});
  std::vector<std::int32_t> labels = chain.planted.labels();
  for (std::int32_t& label : labels) label = label == 0 ? 0 : 1;
  const std::vector<TransferCollection> sources = {{chain.rows[0].view(), labels}};
  const std::vector<TransferCollection> path = {{chain.rows[1].view(), {}}};
  const Transfer found = transfer_classes(sources, path, 2, {}, {});
  EXPECT_GT(test::share_right(found.classes[0], labels), 0.85);
  EXPECT_NEAR(found.classes[0].col(0).mean(), 0.1, 0.07);
}

/// Refined classes are nearly certain by themselves. What they are worth is simulated.
TEST(TransitiveTransfer, IsNotSurerThanTheSimulatedTransferWasRight) {
  const Chain chain({.classes = 3, .items = 300, .noise = 0.72});
  const Transfer found = run(chain, {1, 2});
  const transfer::Stage& last = found.stages.back();
  ASSERT_EQ(last.answer, "refinement") << "the test is too hard";
  ASSERT_LT(last.simulation.refined, 0.97) << "the test is too easy";
  EXPECT_LE(found.classes.back().rowwise().maxCoeff().mean(), last.simulation.refined);
}

/// However easy it is: nothing learned from n labels is surer than (n + 1) / (n + 2), or 0.99.
TEST(TransitiveTransfer, IsNeverCertain) {
  for (const std::int64_t items : {20, 300}) {
    const Chain chain({.classes = 2, .items = items, .noise = 0});
    for (const std::vector<std::size_t>& path : {std::vector<std::size_t>{1}, {1, 2}}) {
      const Transfer found = run(chain, path, {});
      const double most =
          std::min(0.99, static_cast<double>(items + 1) / static_cast<double>(items + 2));
      EXPECT_LE(found.classes.back().maxCoeff(), most + 1e-12);
      EXPECT_GT(found.classes.back().maxCoeff(), 0.8);
      EXPECT_NEAR(found.classes.back().rowwise().sum().maxCoeff(), 1, 1e-12);
    }
  }
}

TEST(TransitiveTransfer, KnowsItemsThatStandInTheSourceToo) {
  const Chain chain({.items = 200});
  Sparse source = chain.rows[0];
  Sparse target = chain.rows[1];
  std::vector<std::int32_t> labels = chain.planted.labels();
  // Ten items of the same features in other shares, so that only the items themselves tell.
  for (std::int32_t item = 0; item < 10; ++item) {
    for (Sparse* rows : {&source, &target}) {
      for (std::int32_t feature = 0; feature < 10; ++feature)
        rows->push(feature, feature == item ? 0.5F : 0.25F);
      rows->end_row();
    }
    labels.push_back(item % 2);
  }
  const std::vector<TransferCollection> sources = {{source.view(), labels}};
  const std::vector<TransferCollection> path = {{target.view(), {}}};
  const Transfer found = transfer_classes(sources, path, 2, {}, {});
  EXPECT_EQ(found.same_items, 10);
  for (Eigen::Index item = 0; item < 10; ++item)
    EXPECT_GT(found.classes[0](200 + item, item % 2), 0.85) << item;
  transfer::Options published;
  published.refine = false;
  EXPECT_EQ(transfer_classes(sources, path, 2, published, {}).same_items, 0);
}

TEST(TransitiveTransfer, RanksAgree) {
  const Chain chain({.classes = 3, .items = 100, .noise = 0.3});
  transfer::Options told;
  told.factors.iterations = 20;
  transfer::Options random = told;  // starts are draws
  random.evidence = false;
  random.cluster_assumption = "yes";
  for (const transfer::Options& options : {told, random}) {
    const Transfer one = run(chain, {1, 2}, options);
    for (const int ranks : {2, 3, 4}) {
      std::mutex lock;
      run_as_threads(ranks, [&](Comm& comm) {
        const RowRange range = rows_of_rank(100, comm.rank(), comm.size());
        std::vector<Sparse> rows;
        for (std::int64_t which = 0; which < 3; ++which)
          rows.push_back(chain.planted.rows(which, range.begin, range.end));
        const std::vector<TransferCollection> sources = {
            {rows[0].view(), chain.planted.labels(range.begin, range.end)}};
        const std::vector<TransferCollection> path = {{rows[1].view(), {}}, {rows[2].view(), {}}};
        const Transfer found = transfer_classes(sources, path, 3, options, {comm});
        const std::lock_guard guard(lock);
        for (const std::size_t step : {0, 1})
          EXPECT_LT((found.classes[step] -
                     one.classes[step].middleRows(range.begin, range.end - range.begin))
                        .cwiseAbs()
                        .maxCoeff(),
                    1e-7);
      });
    }
  }
}

TEST(TransitiveTransfer, RefusesWhatDoesNotFit) {
  const Chain chain({.items = 20});
  std::vector<TransferCollection> sources = {chain.source()};
  EXPECT_THROW(transfer_classes(sources, {}, 2, {}, {}), Error);
  EXPECT_THROW(transfer_classes({}, chain.path({1}), 2, {}, {}), Error);
  EXPECT_THROW(transfer_classes(sources, chain.path({1}), 1, {}, {}), Error);
  EXPECT_THROW(transfer_classes(sources, chain.path({1}), 3, {}, {}), Error) << "no class 2";
  sources[0].labels[0] = 5;
  EXPECT_THROW(transfer_classes(sources, chain.path({1}), 2, {}, {}), Error);
  sources[0].labels.assign(20, -1);
  EXPECT_THROW(transfer_classes(sources, chain.path({1}), 2, {}, {}), Error);
}

}  // namespace transitive_transfer_test
}  // namespace commonplace

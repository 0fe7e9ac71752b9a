#include "commonplace/transfer/core/simulated_transfer.h"

#include <mutex>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/comm/comm.h"
#include "tests/support/planted_chain.h"
#include "tests/support/planted_opinions.h"

namespace commonplace {
namespace simulated_transfer_test {

using namespace transfer;

const std::vector<double> kHalves = {0.5, 0.5};

ClassifierPool pool_of(const Sparse& rows, const std::vector<std::int32_t>& labels,
                       const Run& run = {}) {
  return choose_pool(rows.view(), class_indicators(labels, 2),
                     features_in_use(rows.view(), run.comm), "auto", {}, run);
}

SimulatedTransfer simulate(const Sparse& rows, const std::vector<std::int32_t>& labels,
                           double accuracy, const Run& run = {}) {
  return simulate_transfer(rows.view(), labels, kHalves, accuracy, pool_of(rows, labels, run), {},
                           run);
}

TEST(SimulatedTransfer, StartsAsPoorlyAsIsExpected) {
  const test::PlantedChain planted{.collections = 1, .items = 600, .words = 60, .noise = 0.5};
  double before = 0;
  for (const double accuracy : {0.65, 0.75, 0.85}) {
    const SimulatedTransfer found = simulate(planted.rows(0), planted.labels(), accuracy);
    EXPECT_EQ(found.items, 600);
    EXPECT_NEAR(found.start, accuracy, 0.08);
    EXPECT_GT(found.start, before);
    before = found.start;
  }
}

TEST(SimulatedTransfer, ItemsThatClusterAsTheirLabelsSayAreRefinedFromAPoorStart) {
  const test::PlantedChain planted{.collections = 1, .items = 600, .words = 60, .noise = 0.5};
  const SimulatedTransfer found = simulate(planted.rows(0), planted.labels(), 0.75);
  EXPECT_TRUE(found.clusters());
  EXPECT_GT(found.refined, found.start + 0.1);
}

TEST(SimulatedTransfer, ThoseThatClusterOtherwiseAreNot) {
  const SimulatedTransfer found = simulate(test::opinions(1), test::labels_of_opinions(), 0.8);
  EXPECT_FALSE(found.clusters());
  EXPECT_GT(found.self_trained, found.refined + 0.1);
  EXPECT_GE(found.self_trained, found.start - 0.03);
}

TEST(SimulatedTransfer, ItemsWithoutLabelsAreLeftOutAndNoneIsNothing) {
  std::vector<std::int32_t> labels = test::labels_of_opinions();
  for (std::size_t item = 0; item < 100; ++item) labels[item] = -1;
  EXPECT_EQ(simulate(test::opinions(1), labels, 0.8).items, 300);
  labels.assign(labels.size(), -1);
  const SimulatedTransfer none =
      simulate_transfer(test::opinions(1).view(), labels, kHalves, 0.8, {}, {}, {});
  EXPECT_EQ(none.items, 0);
  EXPECT_TRUE(none.clusters());
  labels.pop_back();
  EXPECT_THROW(simulate_transfer(test::opinions(1).view(), labels, kHalves, 0.8, {}, {}, {}),
               Error);
}

TEST(SimulatedTransfer, RanksAgree) {
  const test::PlantedChain planted{.collections = 1, .items = 201, .noise = 0.5};
  const SimulatedTransfer one = simulate(planted.rows(0), planted.labels(), 0.8);
  for (const int ranks : {2, 3}) {
    std::mutex lock;
    run_as_threads(ranks, [&](Comm& comm) {
      const RowRange range = rows_of_rank(201, comm.rank(), comm.size());
      const SimulatedTransfer found = simulate(planted.rows(0, range.begin, range.end),
                                               planted.labels(range.begin, range.end), 0.8, {comm});
      const std::lock_guard guard(lock);
      EXPECT_NEAR(found.start, one.start, 1e-12);
      EXPECT_NEAR(found.self_trained, one.self_trained, 1e-12);
      EXPECT_NEAR(found.refined, one.refined, 1e-12);
      EXPECT_NEAR(found.error, one.error, 1e-12);
      EXPECT_EQ(found.items, one.items);
    });
  }
}

}  // namespace simulated_transfer_test
}  // namespace commonplace

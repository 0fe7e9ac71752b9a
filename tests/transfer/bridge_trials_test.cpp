#include "commonplace/transfer/core/bridge_trials.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/sparse_ops.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_graphs.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace bridge_trials_test {

using namespace transfer;

using test::message_of;

constexpr std::int32_t kWords = 8;  ///< of a class in a language
constexpr std::int32_t kSource = 0;
constexpr std::int32_t kBridge = 1;
constexpr std::int32_t kTarget = 2;
constexpr std::int32_t kDecoy = 3;

/// Items with six words of their class in each of the `languages`, and two that say nothing, of ten
/// that all collections have.
LabelledCollection speakers(const std::string& name, const std::vector<int>& languages, int classes,
                            std::int64_t items, std::uint64_t seed) {
  LabelledCollection result{name, {}, {}};
  const std::int32_t common = 3 * classes * kWords;
  result.rows.columns = common + 10;
  Rng rng(seed);
  for (std::int64_t item = 0; item < items; ++item) {
    const auto label = static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(classes)));
    std::vector<float> row(static_cast<std::size_t>(result.rows.columns));
    for (const int language : languages)
      for (int i = 0; i < 6; ++i)
        row[static_cast<std::size_t>((language * classes + label) * kWords) + rng.below(kWords)] +=
            1;
    for (int i = 0; i < 2; ++i) row[static_cast<std::size_t>(common) + rng.below(10)] += 1;
    for (std::int32_t word = 0; word < result.rows.columns; ++word)
      if (const float value = row[static_cast<std::size_t>(word)]; value > 0)
        result.rows.push(word, value);
    result.rows.end_row();
    result.labels.push_back(label);
  }
  return result;
}

/// Source and target speak different languages, the bridge both, the decoy neither.
std::vector<LabelledCollection> planted(int classes = 2) {
  return {speakers("source", {0}, classes, 120, 1), speakers("bridge", {0, 1}, classes, 120, 2),
          speakers("target", {1}, classes, 120, 3), speakers("decoy", {2}, classes, 120, 4)};
}

const BridgeTrial& find_trial(const BridgeTrials& trials, std::int32_t source, std::int32_t bridge,
                              std::int32_t target) {
  for (const BridgeTrial& trial : trials.trials)
    if (trial.source == source && trial.bridge == bridge && trial.target == target) return trial;
  throw Error("there is no such trial");
}

void expect_same(const BridgeTrials& a, const BridgeTrials& b) {
  ASSERT_EQ(a.trials.size(), b.trials.size());
  for (std::size_t i = 0; i < a.trials.size(); ++i) {
    EXPECT_EQ(a.trials[i].direct, b.trials[i].direct);
    EXPECT_EQ(a.trials[i].bridged, b.trials[i].bridged);
    EXPECT_EQ(values(a.trials[i].traits), values(b.trials[i].traits));
  }
}

/// All features above 0, so that all items are alike enough to be neighbours.
LabelledCollection noisy(std::int64_t items, std::uint64_t seed) {
  LabelledCollection result{concat("noisy ", seed), {}, {}};
  result.rows.columns = 12;
  Rng rng(seed);
  for (std::int64_t item = 0; item < items; ++item) {
    const auto label = static_cast<std::int32_t>(rng.uniform() < 0.4 ? 1 : 0);
    for (std::int32_t word = 0; word < 12; ++word)
      result.rows.push(word, static_cast<float>(0.1 + rng.uniform() + (word == label ? 0.5 : 0)));
    result.rows.end_row();
    result.labels.push_back(label);
  }
  return result;
}

/// The graph of `among` each: for each part by itself the nearest items of every item.
MatrixD naive_graph_of_each(const MatrixD& unit, const std::vector<Eigen::Index>& first,
                            std::size_t count) {
  const MatrixD squared = (2 - 2 * (unit * unit.transpose()).array()).max(0).matrix();
  MatrixD near = MatrixD::Zero(unit.rows(), unit.rows());
  double farthest = 0;
  for (Eigen::Index i = 0; i < unit.rows(); ++i) {
    double last = 0;
    for (std::size_t part = 0; part + 1 < first.size(); ++part) {
      std::vector<Eigen::Index> others;
      for (Eigen::Index j = first[part]; j < first[part + 1]; ++j)
        if (j != i) others.push_back(j);
      std::sort(others.begin(), others.end(),
                [&](Eigen::Index a, Eigen::Index b) { return squared(i, a) < squared(i, b); });
      for (std::size_t n = 0; n < count; ++n) {
        near(i, others[n]) = 1;
        last = std::max(last, std::sqrt(squared(i, others[n])));
      }
    }
    farthest += last / static_cast<double>(unit.rows());
  }
  near = near.cwiseMax(near.transpose().eval());
  return near.cwiseProduct((squared.array() / (-2 * farthest * farthest)).exp().matrix());
}

/// The accuracy on the last member when the labels of the first spread over all of them.
double naive_accuracy(const std::vector<LabelledCollection>& members,
                      const BridgeTrialOptions& options) {
  std::vector<Eigen::Index> first{0};
  for (const LabelledCollection& one : members) first.push_back(first.back() + one.rows.rows());
  MatrixD rows(first.back(), members[0].rows.columns);
  MatrixD labels = MatrixD::Zero(rows.rows(), 1);
  for (std::size_t m = 0; m < members.size(); ++m)
    rows.middleRows(first[m], first[m + 1] - first[m]) = test::to_dense(members[m].rows.view());
  rows.rowwise().normalize();
  const auto& known = members[0].labels;
  const auto with = static_cast<double>(std::count(known.begin(), known.end(), 1));
  const double without = static_cast<double>(known.size()) - with;
  for (std::size_t i = 0; i < known.size(); ++i)
    labels(static_cast<Eigen::Index>(i), 0) = known[i] == 1 ? 1 : -with / without;
  double bandwidth = 0;
  const MatrixD graph =
      options.among == "all"
          ? test::naive_neighbour_graph(rows, options.neighbours, true, bandwidth)
          : naive_graph_of_each(rows, first, static_cast<std::size_t>(options.neighbours));
  const MatrixD scores = test::naive_propagation(graph, labels, options.alpha);
  double right = 0;
  const auto& truth = members.back().labels;
  for (std::size_t i = 0; i < truth.size(); ++i)
    right +=
        (scores(first[members.size() - 1] + static_cast<Eigen::Index>(i), 0) > 0) == (truth[i] == 1)
            ? 1
            : 0;
  return right / static_cast<double>(truth.size());
}

BridgeTrials try_alone(std::span<const LabelledCollection> collections,
                       const BridgeTrialOptions& options = {}, const Run& run = {.jobs = 1}) {
  return run_bridge_trials(collections, options, run);
}

TEST(BridgeTrials, ABridgeHelpsWhereTheWayWithoutItIsAGuess) {
  for (const int classes : {2, 3}) {
    const auto collections = planted(classes);
    const BridgeTrials found = try_alone(collections);
    EXPECT_EQ(found.trials.size(), 24U);
    const BridgeTrial& good = find_trial(found, kSource, kBridge, kTarget);
    EXPECT_LT(good.direct, 1.0 / classes + 0.2);
    EXPECT_GT(good.bridged, 0.9);
    const BridgeTrial& bad = find_trial(found, kSource, kDecoy, kTarget);
    EXPECT_EQ(bad.direct, good.direct);
    EXPECT_LT(bad.bridged, 1.0 / classes + 0.2);
    EXPECT_GT(find_trial(found, kSource, kDecoy, kBridge).direct, 0.9);
    EXPECT_LT(good.traits.source_bridge, good.traits.source_target + 1e-9);
  }
}

TEST(BridgeTrials, AgreesWithItsNaiveTwin) {
  const std::vector<LabelledCollection> collections{noisy(40, 1), noisy(30, 2), noisy(35, 3)};
  BridgeTrialOptions options;
  options.neighbours = 5;
  options.alpha = 0.8;
  options.tolerance = 1e-9;
  for (const char* among : {"each", "all"}) {
    options.among = among;
    const BridgeTrials found = try_alone(collections, options);
    ASSERT_EQ(found.trials.size(), 6U);
    for (const BridgeTrial& trial : found.trials) {
      const auto& source = collections[static_cast<std::size_t>(trial.source)];
      const auto& bridge = collections[static_cast<std::size_t>(trial.bridge)];
      const auto& target = collections[static_cast<std::size_t>(trial.target)];
      EXPECT_NEAR(trial.direct, naive_accuracy({source, target}, options), 1e-9) << among;
      EXPECT_NEAR(trial.bridged, naive_accuracy({source, bridge, target}, options), 1e-9) << among;
    }
  }
}

TEST(BridgeTrials, BridgeAndTargetKeepTheirLabelsToThemselves) {
  auto collections = planted();
  const BridgeTrials before = try_alone(collections);
  std::fill(collections[kBridge].labels.begin(), collections[kBridge].labels.end(), -1);
  for (std::int32_t& label : collections[kTarget].labels) label = 1 - label;
  const BridgeTrials after = try_alone(collections);
  EXPECT_EQ(after.trials.size(), 12U) << "without labels it can only be a bridge";
  const BridgeTrial& one = find_trial(before, kSource, kBridge, kTarget);
  const BridgeTrial& other = find_trial(after, kSource, kBridge, kTarget);
  EXPECT_NEAR(other.bridged, 1 - one.bridged, 1e-12);
  EXPECT_NEAR(other.direct, 1 - one.direct, 1e-12);
  EXPECT_EQ(values(one.traits), values(other.traits));
}

TEST(BridgeTrials, ItemsThatNoLabelReachesAreGuesses) {
  std::vector<LabelledCollection> collections;
  for (int which = 0; which < 3; ++which) {
    LabelledCollection one{concat("island ", which), {}, {}};
    one.rows.columns = 3;
    for (std::int32_t item = 0; item < 6; ++item) {
      one.rows.push(which, 1);
      one.rows.end_row();
      one.labels.push_back(item % 3);
    }
    collections.push_back(one);
  }
  for (const BridgeTrial& trial : try_alone(collections).trials) {
    EXPECT_DOUBLE_EQ(trial.direct, 1.0 / 3);
    EXPECT_DOUBLE_EQ(trial.bridged, 1.0 / 3);
    EXPECT_DOUBLE_EQ(trial.traits.source_target, 2);
  }
}

TEST(BridgeTrials, DoesNotDependOnTheThreads) {
  const auto collections = planted();
  BridgeTrialOptions options;
  options.items = 90;
  const BridgeTrials one = try_alone(collections, options);
  expect_same(try_alone(collections, options, {.jobs = 3}), one);
}

TEST(BridgeTrials, DoesNotDependOnTheRanks) {
  const auto collections = planted();
  BridgeTrialOptions options;
  options.items = 90;
  const BridgeTrials one = try_alone(collections, options);
  for (const int ranks : {2, 3, 4})
    run_as_threads(ranks, [&](Comm& comm) {
      expect_same(run_bridge_trials(collections, options, {comm, 1}), one);
    });
}

TEST(BridgeTrials, ScalesRowsItself) {
  auto collections = planted();
  const BridgeTrials before = try_alone(collections);
  for (LabelledCollection& one : collections) normalise_rows(one.rows);
  const BridgeTrials after = try_alone(collections);
  for (std::size_t i = 0; i < before.trials.size(); ++i)
    EXPECT_NEAR(after.trials[i].bridged, before.trials[i].bridged, 0.02);
}

TEST(BridgeTrials, MeasuresAreThoseOfTheTrials) {
  const auto collections = planted();
  const CollectionMeasures measures = measure_collections(collections, {}, {.jobs = 1});
  const BridgeTrials trials = try_alone(collections);
  EXPECT_EQ(measures.distance, measures.distance.transpose());
  EXPECT_EQ(measures.complexity, trials.measures.complexity);
  for (const BridgeTrial& trial : trials.trials)
    EXPECT_EQ(values(traits_of(measures, trial.source, trial.bridge, trial.target)),
              values(trial.traits));
  const BridgeTraits traits = traits_of(measures, kSource, kBridge, kTarget);
  EXPECT_EQ(traits.source_bridge, measures.distance(kSource, kBridge));
  EXPECT_EQ(traits.source_target, measures.distance(kSource, kTarget));
  EXPECT_EQ(traits.bridge_target, measures.distance(kBridge, kTarget));
  EXPECT_EQ(traits.bridge_complexity, measures.complexity[kBridge]);
}

TEST(BridgeTrials, BecomeExamplesGroupedByTarget) {
  const BridgeTrials trials = try_alone(planted());
  const auto examples = bridge_examples(trials);
  ASSERT_EQ(examples.size(), trials.trials.size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    EXPECT_EQ(examples[i].target_group, trials.trials[i].target);
    EXPECT_EQ(examples[i].bridged, trials.trials[i].bridged);
    EXPECT_EQ(examples[i].direct, trials.trials[i].direct);
  }
  EXPECT_NO_THROW(fit_bridge_choice(examples));
}

TEST(BridgeTrials, HidingLeavesTheSidesWithoutCommonFeatures) {
  const LabelledCollection whole = noisy(5, 1);
  const auto columns = [](const LabelledCollection& one) {
    std::vector<bool> seen(12);
    for (const std::int32_t column : one.rows.indices)
      seen[static_cast<std::size_t>(column)] = true;
    return seen;
  };
  const auto left = columns(hide_features(whole, 0, 1, 3));
  const auto right = columns(hide_features(whole, 1, 1, 3));
  EXPECT_GT(std::count(left.begin(), left.end(), true), 0);
  for (std::size_t column = 0; column < 12; ++column) EXPECT_NE(left[column], right[column]);
  EXPECT_EQ(hide_features(whole, 0, 0, 3).rows.values, whole.rows.values);
  EXPECT_THROW(hide_features(whole, 2, 1, 3), Error);
  EXPECT_THROW(hide_features(whole, 1, 1.5, 3), Error);
}

TEST(BridgeTrials, TellsHowFarItIsAndStopsWhenTold) {
  const auto collections = planted();
  std::vector<std::string> stages;
  try_alone(collections, {}, {.jobs = 1, .progress = [&](const ProgressStep& step) {
                                EXPECT_LE(step.done, step.total);
                                if (stages.empty() || stages.back() != step.stage)
                                  stages.emplace_back(step.stage);
                              }});
  EXPECT_EQ(stages.size(), 3U);
  EXPECT_THROW(try_alone(collections, {},
                         {.jobs = 1,
                          .progress =
                              [](const ProgressStep& step) {
                                if (step.stage == "trying bridges") throw Cancelled();
                              }}),
               Cancelled);
}

TEST(BridgeTrials, SaysWhatIsWrong) {
  const auto good = planted();
  auto collections = good;
  BridgeTrialOptions options;
  const auto refuses = [&](const char* part) {
    EXPECT_NE(message_of([&] { try_alone(collections, options); }).find(part), std::string::npos)
        << part;
  };
  options.neighbours = 0;
  refuses("neighbours is 0");
  options = {};
  options.among = "some";
  refuses("among is \"some\"");
  options = {};
  options.alpha = 1;
  refuses("alpha is 1");
  options = {};
  options.bandwidth = -1;
  refuses("bandwidth is -1");
  options = {};
  options.items = 1;
  refuses("items is 1");
  options = {};
  collections[1].labels.pop_back();
  refuses("bridge has 119 labels for 120 items");
  collections = good;
  collections[2].labels[0] = -2;
  refuses("target has a label below -1");
  collections = good;
  collections[2].rows.values[0] = std::nanf("");
  refuses("target has a feature that is not a number");
  collections = good;
  ++collections[3].rows.columns;
  refuses("decoy has 59 features");
  collections.resize(2);
  refuses("there are 2 collections");
}

}  // namespace bridge_trials_test
}  // namespace commonplace

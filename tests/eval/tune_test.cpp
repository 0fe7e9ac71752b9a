#include "commonplace/eval/tune.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/comm/comm.h"

namespace commonplace {
namespace tune_test {

using Gains = std::vector<double>;

Tuner::Judge saying(Gains gains) {
  return [gains] { return gains; };
}

TEST(Tuner, TakesWhatGainsMoreThanItsStandardError) {
  Tuner tuner({});
  EXPECT_TRUE(tuner.attempt("simple", saying({0.5, 0.5, 0.5, 0.5})));
  // A gain of 0.05 on average, that one item alone makes.
  EXPECT_FALSE(tuner.attempt("lucky", saying({0.5, 0.5, 0.5, 0.7})));
  EXPECT_TRUE(tuner.attempt("better", saying({0.6, 0.6, 0.5, 0.6})));
  EXPECT_FALSE(tuner.attempt("the same", saying({0.6, 0.6, 0.5, 0.6})));
  const std::vector<TuningTrial> expected = {{"simple", 0.5, true},
                                             {"lucky", 0.55, false},
                                             {"better", 0.575, true},
                                             {"the same", 0.575, false}};
  ASSERT_EQ(tuner.trials().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(tuner.trials()[i].setting, expected[i].setting);
    EXPECT_NEAR(tuner.trials()[i].quality, expected[i].quality, 1e-12);
    EXPECT_EQ(tuner.trials()[i].taken, expected[i].taken);
  }
  EXPECT_NEAR(tuner.quality(), 0.575, 1e-12);
  tuner.begin();
  EXPECT_TRUE(tuner.attempt("of another parameter", saying({0, 0, 0, 0})));
}

TEST(Tuner, TakesTheGreatestIfThatIsTheRule) {
  Tuner tuner({}, {.one_standard_error = false, .least_gain = 0.1});
  EXPECT_TRUE(tuner.attempt("first", saying({-5})));
  EXPECT_FALSE(tuner.attempt("hardly better", saying({-4.95})));
  EXPECT_TRUE(tuner.attempt("better", saying({-4.8})));
}

TEST(Tuner, HasNothingToTryWithoutItems) {
  Tuner tuner({});
  EXPECT_THROW(tuner.attempt("anything", saying({})), Error);
}

TEST(Tuner, EndsWithItsBudgetButNotBeforeTheFirst) {
  Tuner tuner({}, {}, {.seconds = 1e-9, .begin = Clock::now() - std::chrono::seconds(1)});
  EXPECT_FALSE(tuner.has_time());
  EXPECT_TRUE(tuner.attempt("first", saying({1})));
  EXPECT_FALSE(tuner.attempt("better", saying({2})));
  EXPECT_EQ(tuner.trials().size(), 1U) << "what there is no time for is not tried";
  EXPECT_EQ(tuner.quality(), 1);
}

TEST(Tuner, TellsWhatItTries) {
  std::vector<std::string> told;
  Tuner tuner({.progress = [&](const ProgressStep& step) { told.emplace_back(step.stage); }});
  tuner.attempt("a", saying({1}));
  tuner.attempt("b", saying({2}));
  EXPECT_EQ(told, (std::vector<std::string>{"choosing: a", "choosing: b"}));
}

TEST(Tuner, AllRanksDecideByTheFirst) {
  run_as_threads(3, [](Comm& comm) {
    Tuner tuner({comm});
    tuner.attempt("a", saying({1}));
    const double own = comm.rank() == 0 ? 0.0 : 2.0;
    EXPECT_FALSE(tuner.attempt("b", saying({own})));
    EXPECT_EQ(tuner.trials().back().quality, 0);
  });
}

/// Settings whose quality on a sample comes nearer to what it is on all.
TEST(HalveSettings, KeepsTheBetterHalfForLargerSamples) {
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  const Gains quality = {0.1, 0.5, 0.3, 0.9, 0.2};
  std::vector<std::pair<std::size_t, std::int64_t>> asked;
  Tuner tuner({});
  const std::vector<std::int64_t> sizes = {10, 20, 40};
  const std::size_t best =
      halve_settings(tuner, names, sizes, [&](std::size_t setting, std::int64_t size) {
        asked.emplace_back(setting, size);
        return Gains{quality[setting], quality[setting]};
      });
  EXPECT_EQ(best, 3U);
  const std::vector<std::pair<std::size_t, std::int64_t>> expected = {
      {0, 10}, {1, 10}, {2, 10}, {3, 10}, {4, 10}, {1, 20}, {2, 20}, {3, 20}, {1, 40}, {3, 40}};
  EXPECT_EQ(asked, expected);
}

TEST(HalveSettings, OfTheLastTheSimplerIsTakenInDoubt) {
  const std::vector<std::string> names = {"simple", "rich"};
  Tuner tuner({});
  const std::vector<std::int64_t> sizes = {4};
  EXPECT_EQ(halve_settings(tuner, names, sizes,
                           [](std::size_t setting, std::int64_t) {
                             return setting == 0 ? Gains{0.5, 0.5, 0.5} : Gains{0.5, 0.5, 0.6};
                           }),
            0U);
}

TEST(HalveSettings, WithoutTimeTakesWhatIsBestSoFar) {
  const std::vector<std::string> names = {"a", "b"};
  const std::vector<std::int64_t> sizes = {1, 2};
  Tuner tuner({}, {}, {.seconds = 1e-9, .begin = Clock::now() - std::chrono::seconds(1)});
  EXPECT_EQ(halve_settings(tuner, names, sizes,
                           [](std::size_t setting, std::int64_t) {
                             return Gains{static_cast<double>(setting)};
                           }),
            0U);
  EXPECT_EQ(tuner.trials().size(), 1U);
}

/// Each held-out item gains by how near the weights are to (0.5, 0).
Gains near(const std::vector<double>& weights) {
  const double gain = -std::abs(weights[0] - 0.5) - weights[1];
  return {gain, gain, gain};
}

TEST(StackWays, FindsTheWeights) {
  const StackedWay ways[] = {{"a", {0, 0.5, 2}}, {"b", {0, 0.5}}};
  for (const bool over_start : {false, true}) {
    Tuner tuner({});
    EXPECT_EQ(stack_ways(tuner, {1, 1}, ways, {.rounds = 2, .over_start = over_start}, near),
              (std::vector<double>{0.5, 0}));
    EXPECT_EQ(tuner.trials().front().setting, "the usual weights");
    EXPECT_EQ(tuner.trials()[2].setting, "a 0.5");
    EXPECT_TRUE(tuner.trials()[2].taken);
  }
}

TEST(StackWays, MayTryFactorsOfTheStart) {
  const StackedWay ways[] = {{"a", {0.25, 4}, true}, {"b", {4}, true}};
  Tuner tuner({});
  EXPECT_EQ(stack_ways(tuner, {2, 0}, ways, {}, near), (std::vector<double>{0.5, 0}));
  EXPECT_THROW(stack_ways(tuner, {2}, ways, {}, near), Error);
}

TEST(StackWays, StaysWhereNothingIsClearlyBetter) {
  const StackedWay ways[] = {{"a", {0, 2}}};
  Tuner tuner({});
  const auto noisy = [](const std::vector<double>& weights) {
    return weights[0] == 1 ? Gains{0.5, 0.5, 0.5, 0.5} : Gains{0.9, 0.2, 0.3, 0.65};
  };
  EXPECT_EQ(stack_ways(tuner, {1}, ways, {}, noisy), std::vector<double>{1});
}

TEST(Tuning, IsWrittenAsJson) {
  const std::vector<TuningTrial> trials = {{"a", 0.5, true}, {"b", 0.25, false}};
  EXPECT_EQ(to_json(trials, "map"),
            R"([{"setting":"a","map":0.5,"taken":true},{"setting":"b","map":0.25,"taken":false}])");
}

}  // namespace tune_test
}  // namespace commonplace

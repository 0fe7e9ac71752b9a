#include "commonplace/transfer/core/bridge_choice.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace bridge_choice_test {

using namespace transfer;

using test::message_of;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// What makes the gain of a planted example, of traits in 0 .. 1.
using Rule = std::function<double(const BridgeTraits&)>;

/// Triples of `collections` with random complexities and distances, as real ones share them.
std::vector<BridgeExample> planted(std::int32_t collections, double noise, const Rule& gain,
                                   std::uint64_t seed = 1) {
  std::vector<BridgeExample> result;
  const auto complexity = [&](std::int32_t a) {
    return random_uniform(seed, static_cast<std::uint64_t>(a), 1000);
  };
  const auto distance = [&](std::int32_t a, std::int32_t b) {
    return 2 * random_uniform(seed, static_cast<std::uint64_t>(std::min(a, b)),
                              static_cast<std::uint64_t>(std::max(a, b)));
  };
  for (std::int32_t s = 0; s < collections; ++s)
    for (std::int32_t d = 0; d < collections; ++d)
      for (std::int32_t t = 0; t < collections; ++t) {
        if (s == d || s == t || d == t) continue;
        BridgeExample one;
        one.traits = {complexity(s),  complexity(d),  complexity(t),
                      distance(s, d), distance(s, t), distance(d, t)};
        const double chance = random_uniform(seed + 1, result.size(), 7) - 0.5;
        one.direct = 0.6;
        one.bridged = one.direct + gain(one.traits) + noise * chance;
        one.target_group = t;
        result.push_back(one);
      }
  return result;
}

/// A bridge pays where it is nearer to both than they are to each other.
double linear_gain(const BridgeTraits& traits) {
  return 0.05 * (traits.source_target - traits.source_bridge) - 0.05 * traits.bridge_target + 0.02;
}

BridgeChoiceOptions plain_traits() {
  BridgeChoiceOptions options;
  options.inputs = "traits";
  return options;
}

/// Only products tell: both ends must be near.
double product_gain(const BridgeTraits& traits) {
  return 0.08 * (traits.source_bridge - 1) * (traits.bridge_target - 1);
}

/// A bridge pays by as much as the farther of its ends is nearer than the two are, in logarithms of
/// the error of telling collections apart.
double log_gain(const BridgeTraits& traits) {
  const auto far = [](double distance) { return -std::log((2 - distance) / 4 + 0.005); };
  return 0.03 * (far(traits.source_target) -
                 std::max(far(traits.source_bridge), far(traits.bridge_target)));
}

double no_gain(const BridgeTraits&) { return 0; }

void expect_same(const BridgeChoice& a, const BridgeChoice& b) {
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.scale, b.scale);
  EXPECT_EQ(a.lowest, b.lowest);
  EXPECT_EQ(a.highest, b.highest);
  EXPECT_EQ(a.precision, b.precision);
  EXPECT_EQ(a.success, b.success);
  EXPECT_EQ(a.gain, b.gain);
  EXPECT_EQ(a.quality.examples, b.quality.examples);
  EXPECT_EQ(a.quality.target_auc, b.quality.target_auc);
  EXPECT_EQ(a.quality.gain_error, b.quality.gain_error);
  EXPECT_EQ(a.quality.gain_ridge, b.quality.gain_ridge);
  EXPECT_EQ(a.options.margin, b.options.margin);
  EXPECT_EQ(a.options.inputs, b.options.inputs);
  EXPECT_EQ(a.options.quadratic, b.options.quadratic);
  EXPECT_EQ(a.options.seed, b.options.seed);
}

TEST(BridgeChoice, TraitsComeInTheOrderOfTheStruct) {
  const BridgeTraits traits{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(values(traits), (std::array<double, 6>{1, 2, 3, 4, 5, 6}));
}

TEST(BridgeChoice, FindsAPlantedLinearRule) {
  const auto examples = planted(8, 0.01, linear_gain);
  const BridgeChoice choice = fit_bridge_choice(examples, plain_traits()).choice;
  EXPECT_GT(choice.quality.gain_correlation, 0.97);
  EXPECT_LT(choice.quality.gain_error, 0.005);
  EXPECT_GT(choice.quality.target_auc, 0.97);
  EXPECT_GT(choice.quality.target_accuracy, 0.9);
  EXPECT_GT(choice.quality.balanced_accuracy, 0.9);
  EXPECT_LT(choice.quality.balanced_deviation, 0.1);
  const BridgeTraits good{0.5, 0.5, 0.5, 0.3, 1.8, 0.3};
  const BridgeTraits bad{0.5, 0.5, 0.5, 1.8, 0.3, 1.8};
  EXPECT_GT(predict(choice, good).success, 0.9);
  EXPECT_LT(predict(choice, bad).success, 0.05);
  EXPECT_NEAR(predict(choice, good).gain, linear_gain(good), 0.01);
  EXPECT_NEAR(predict(choice, bad).gain, linear_gain(bad), 0.01);
}

TEST(BridgeChoice, TakesProductsWhereTheyHelp) {
  const auto products = planted(8, 0.01, product_gain);
  const BridgeChoice found = fit_bridge_choice(products, plain_traits()).choice;
  EXPECT_EQ(found.gain.size(), 28U);
  EXPECT_GT(found.quality.gain_correlation, 0.9);
  BridgeChoiceOptions options = plain_traits();
  options.quadratic = "no";
  const BridgeChoice without = fit_bridge_choice(products, options).choice;
  EXPECT_EQ(without.gain.size(), 7U);
  EXPECT_EQ(without.success.size(), 7U);
  EXPECT_LT(without.quality.gain_correlation, 0.5);
  options.quadratic = "yes";
  EXPECT_EQ(fit_bridge_choice(products, options).choice.success.size(), 28U);
}

TEST(BridgeChoice, LogsTellWhereDistancesComeNearTwo) {
  const auto examples = planted(8, 0.01, log_gain);
  BridgeChoiceOptions options;
  options.quadratic = "no";
  const BridgeChoice logs = fit_bridge_choice(examples, options).choice;
  EXPECT_EQ(logs.gain.size(), 7U);
  EXPECT_GT(logs.quality.gain_correlation, 0.99);
  options.inputs = "traits";
  const BridgeChoice plain = fit_bridge_choice(examples, options).choice;
  EXPECT_GT(plain.quality.gain_error, 3 * logs.quality.gain_error);
  const BridgeTraits apart{0.5, 0.5, 0.5, 1, 2, 1};
  EXPECT_TRUE(std::isfinite(predict(logs, apart).gain));
}

// Each target collection has a gain of its own that no trait tells. Random folds see the target in
// both parts and take its complexity for a name; targets held out show that nothing was learned.
TEST(BridgeChoice, TargetsHeldOutShowWhatRandomFoldsHide) {
  auto examples = planted(9, 0.002, no_gain);
  for (BridgeExample& one : examples) one.bridged += one.target_group % 2 == 0 ? 0.05 : -0.05;
  const BridgeQuality quality = fit_bridge_choice(examples).choice.quality;
  EXPECT_GT(quality.balanced_accuracy, quality.target_accuracy + 0.1);
  EXPECT_LT(quality.target_auc, 0.7);
  EXPECT_LT(quality.gain_correlation, 0.5);
}

TEST(BridgeChoice, SaysNothingOfNoise) {
  const BridgeQuality quality = fit_bridge_choice(planted(8, 0.1, no_gain)).choice.quality;
  EXPECT_NEAR(quality.target_auc, 0.5, 0.15);
  EXPECT_GT(quality.gain_error, 0.9 * quality.gain_deviation);
}

TEST(BridgeChoice, ProbabilitiesFollowTheShareOfSuccesses) {
  const auto examples = planted(8, 0.08, linear_gain);
  const BridgeChoice choice = fit_bridge_choice(examples).choice;
  double sum = 0;
  for (const BridgeExample& one : examples) sum += predict(choice, one.traits).success;
  EXPECT_NEAR(sum, choice.quality.successes, 1e-3 * static_cast<double>(examples.size()));
  EXPECT_GT(choice.quality.successes, 20);
}

// At the optimum of sum -ln p + ridge |w|² / 2 the gradient is 0, and likewise for the gain.
TEST(BridgeChoice, WeightsAreWhereTheGradientsVanish) {
  const auto examples = planted(7, 0.1, linear_gain);
  BridgeChoiceOptions options = plain_traits();
  options.quadratic = "no";
  options.ridge = 3;
  const BridgeChoice choice = fit_bridge_choice(examples, options).choice;
  std::vector<double> success_slope(7);
  std::vector<double> gain_slope(7);
  for (std::size_t i = 1; i < 7; ++i) {
    success_slope[i] = options.ridge * choice.success[i];
    gain_slope[i] = options.ridge * choice.gain[i];
  }
  for (const BridgeExample& one : examples) {
    std::vector<double> x{1};
    for (std::size_t i = 0; i < 6; ++i)
      x.push_back((values(one.traits)[i] - choice.mean[i]) / choice.scale[i]);
    double log_odds = 0;
    double gain = 0;
    for (std::size_t i = 0; i < 7; ++i) {
      log_odds += choice.success[i] * x[i];
      gain += choice.gain[i] * x[i];
    }
    const double success = one.bridged > 1.03 * one.direct ? 1 : 0;
    for (std::size_t i = 0; i < 7; ++i) {
      success_slope[i] += (1 / (1 + std::exp(-log_odds)) - success) * x[i];
      gain_slope[i] += (gain - (one.bridged - one.direct)) * x[i];
    }
    EXPECT_NEAR(predict(choice, one.traits).gain, gain, 1e-12);
    EXPECT_NEAR(predict(choice, one.traits).success, 1 / (1 + std::exp(-log_odds)), 1e-12);
  }
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_NEAR(success_slope[i], 0, 1e-4);
    EXPECT_NEAR(gain_slope[i], 0, 1e-6);
  }
}

TEST(BridgeChoice, HeldOutForecastsAreThoseOfTheOtherTargets) {
  const auto examples = planted(6, 0.02, linear_gain);
  BridgeChoiceOptions options = plain_traits();
  options.quadratic = "no";
  options.ridge = 1e-6;  // then the standardisation, which sees all examples, makes no difference
  const BridgeChoiceFit all = fit_bridge_choice(examples, options);
  std::vector<BridgeExample> others;
  for (const BridgeExample& one : examples)
    if (one.target_group != 2) others.push_back(one);
  BridgeChoice other = fit_bridge_choice(others, options).choice;
  other.lowest.assign(6, -10);
  other.highest.assign(6, 10);
  ASSERT_EQ(all.held_out.size(), examples.size());
  for (std::size_t i = 0; i < examples.size(); ++i)
    if (examples[i].target_group == 2) {
      EXPECT_NEAR(all.held_out[i].gain, predict(other, examples[i].traits).gain, 1e-5);
    }
}

TEST(BridgeChoice, DoesNotExtrapolateButDoubts) {
  const BridgeChoice choice =
      fit_bridge_choice(planted(8, 0.05, product_gain), plain_traits()).choice;
  const BridgeTraits far{0.5, 0.5, 0.5, 40, 1, 40};
  BridgeTraits edge = far;
  edge.source_bridge = choice.highest[3];
  edge.bridge_target = choice.highest[5];
  EXPECT_EQ(predict(choice, far).gain, predict(choice, edge).gain);
  EXPECT_EQ(predict(choice, far).success, predict(choice, edge).success);
  EXPECT_GT(predict(choice, far).gain_error, 3 * predict(choice, edge).gain_error);
  const BridgeTraits usual{choice.mean[0], choice.mean[1], choice.mean[2],
                           choice.mean[3], choice.mean[4], choice.mean[5]};
  EXPECT_DOUBLE_EQ(predict(choice, usual).gain_error, choice.quality.gain_error);
}

TEST(BridgeChoice, LearnsTheConstantWhereNothingSucceeds) {
  const BridgeChoice choice = fit_bridge_choice(planted(5, 0.001, no_gain)).choice;
  EXPECT_EQ(choice.quality.successes, 0);
  EXPECT_EQ(choice.quality.balanced_accuracy, 0.5);
  EXPECT_EQ(choice.quality.target_auc, 0.5);
  const double success = predict(choice, {0.1, 0.2, 0.3, 1, 1, 1}).success;
  EXPECT_GT(success, 0);
  EXPECT_LT(success, 0.05);
}

TEST(BridgeChoice, TakesTraitsThatNeverVary) {
  auto examples = planted(6, 0.01, linear_gain);
  for (BridgeExample& one : examples) one.traits.source_complexity = 0.98;
  const BridgeChoice choice = fit_bridge_choice(examples, plain_traits()).choice;
  EXPECT_GT(choice.quality.gain_correlation, 0.9);
  EXPECT_TRUE(std::isfinite(predict(choice, examples[0].traits).gain_error));
}

TEST(BridgeChoice, MarginDecidesWhatASuccessIs) {
  const auto examples = planted(6, 0.02, linear_gain);
  BridgeChoiceOptions options;
  double last = static_cast<double>(examples.size()) + 1;
  for (const double margin : {0.9, 1.0, 1.03, 1.1}) {
    options.margin = margin;
    const double found = fit_bridge_choice(examples, options).choice.quality.successes;
    EXPECT_LT(found, last);
    last = found;
  }
}

TEST(BridgeChoice, ComesBackFromAFileAndFromText) {
  const test::TemporaryDirectory directory;
  std::vector<BridgeChoice> choices;
  for (const Rule& rule : {Rule(linear_gain), Rule(log_gain)}) {
    BridgeChoiceOptions options;
    options.inputs = choices.empty() ? "traits" : "logs";
    options.seed = 7;
    const auto examples = planted(6, 0.03, rule);
    const BridgeChoice choice = fit_bridge_choice(examples, options).choice;
    save(choice, directory.path() / "bridge.safetensors");
    expect_same(load_bridge_choice(TensorFile(directory.path() / "bridge.safetensors")), choice);
    const std::string text = to_json(choice);
    const BridgeChoice back = bridge_choice_from_json(text);
    expect_same(back, choice);
    EXPECT_EQ(to_json(back), text);
    choices.push_back(choice);
    EXPECT_EQ(predict(back, examples[3].traits).gain, predict(choice, examples[3].traits).gain);
  }
  EXPECT_EQ(choices[0].options.inputs, "traits");
  EXPECT_EQ(choices[1].options.inputs, "logs");
}

TEST(BridgeChoice, RefusesDamagedText) {
  const BridgeChoice choice = fit_bridge_choice(planted(5, 0.03, linear_gain)).choice;
  const std::string text = to_json(choice);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const auto at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    changed.replace(at, from.size(), to);
    return changed;
  };
  for (const std::string& damaged :
       {std::string(), std::string("[]"), std::string("{}"), text.substr(0, text.size() / 2),
        with("bridge-choice", "plsa"), with("\"layout\": 1", "\"layout\": 2"),
        with("\"mean\": [", "\"mean\": [1, "), with("\"mean\": [", "\"mean\": [\"x\", "),
        with("\"scale\"", "\"skale\""), with("\"scale\": [", "\"scale\": [-"),
        with("\"gain\": [", "\"gain\": [1e999, "), with("\"targets\":", "\"targets\":-"),
        with("\"options\": {", "\"options\": 3, \"x\": {"), with("\"auto\"", "\"maybe\"")})
    EXPECT_THROW(bridge_choice_from_json(damaged), Error) << damaged;
  BridgeChoice broken = choice;
  broken.success.pop_back();
  EXPECT_THROW(to_json(broken), Error);
  broken = choice;
  broken.precision[3] = kNaN;
  const test::TemporaryDirectory directory;
  EXPECT_THROW(save(broken, directory.path() / "bridge.safetensors"), Error);
}

TEST(BridgeChoice, SaysWhatIsWrong) {
  auto examples = planted(5, 0.03, linear_gain);
  const auto refuses = [&](BridgeChoiceOptions options, const char* part) {
    EXPECT_NE(message_of([&] { fit_bridge_choice(examples, options); }).find(part),
              std::string::npos)
        << part;
  };
  BridgeChoiceOptions options;
  options.margin = 0;
  refuses(options, "margin is 0");
  options = {};
  options.quadratic = "perhaps";
  refuses(options, "quadratic is \"perhaps\"");
  options = {};
  options.inputs = "square roots";
  refuses(options, "inputs is \"square roots\"");
  options = {};
  options.ridge = -1;
  refuses(options, "ridge is -1");
  options = {};
  options.samples = 0;
  refuses(options, "samples is 0");
  options = {};
  options.folds = 1;
  refuses(options, "folds is 1");
  examples[7].traits.bridge_target = kNaN;
  refuses({}, "not a number");
  examples[7].traits.bridge_target = 1;
  examples[7].direct = 60;
  refuses({}, "expected 0 .. 1");
  examples.resize(9);
  refuses({}, "there are 9 examples");
  examples = planted(5, 0.03, linear_gain);
  for (BridgeExample& one : examples) one.target_group = 3;
  refuses({}, "one target");
  const BridgeChoice choice = fit_bridge_choice(planted(5, 0.03, linear_gain)).choice;
  EXPECT_THROW(predict(choice, {kNaN, 0, 0, 0, 0, 0}), Error);
}

}  // namespace bridge_choice_test
}  // namespace commonplace

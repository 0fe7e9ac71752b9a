#include <cmath>
#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/suggest/evaluate_classify_report.h"
#include "tests/support/naive_gp.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace evaluate_classify_test {

using namespace suggest;

ClassifiedItems ring(Eigen::Index items, Eigen::Index classes, double spread) {
  const test::LabelledItems data = test::ring_of_classes(items, classes, spread, 3);
  ClassifiedItems result{100 * data.features.cast<float>(), data.labels, {}};
  for (Eigen::Index c = 0; c < classes; ++c) result.classes.push_back(std::to_string(c));
  return result;
}

ClassifyOptions options_for_test() {
  ClassifyOptions options;
  options.prototypes = "8,10%";
  options.repeat = 2;
  return options;
}

ClassifyEvaluation evaluate(const ClassifiedItems& items, const ClassifyOptions& options,
                            Comm& comm) {
  HyperparameterOptions tuning;
  tuning.evaluations = 12;
  tuning.items = 100;
  tuning.prototypes = 10;
  return evaluate_classify(items, options, PrototypeOptions{}, tuning, {comm, 1});
}
ClassifyEvaluation evaluate(const ClassifiedItems& items, const ClassifyOptions& options) {
  SelfComm comm;
  return evaluate(items, options, comm);
}

TEST(ReadClassified, TakesNumbersAndTheClassOfTheLastColumn) {
  const test::TemporaryDirectory folder;
  const auto path = folder.write("a.csv", "width,high,class\n1, 2.5,b\n-3,4e1,a\n\n5,6, b\n");
  const ClassifiedItems items = read_classified(path);
  ASSERT_EQ(items.features.rows(), 3);
  EXPECT_EQ(items.features, (Matrix{{1, 2.5F}, {-3, 40}, {5, 6}}));
  EXPECT_EQ(items.classes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(items.labels, (std::vector<std::int32_t>{1, 0, 1}));
  const auto bare = folder.write("b.csv", "1;2;x\n3;4;y\n");
  EXPECT_EQ(read_classified(bare).features, (Matrix{{1, 2}, {3, 4}}));
}

TEST(ReadClassified, SaysWhereItIsWrong) {
  const test::TemporaryDirectory folder;
  const auto refused = [&](const std::string& content, const std::string& part) {
    const auto path = folder.write("bad.csv", content);
    const std::string message = test::message_of([&] { read_classified(path); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  refused("1,2,a\n3,x,b\n", "bad.csv:2: 'x' is not a number");
  refused("1,2,a\n3,b\n", "bad.csv:2: 2 cells");
  refused("1,2,a\n3,4,\n", "bad.csv:2: the last cell");
  refused("1,2,a\n3,nan,b\n", "bad.csv:2: 'nan'");
  refused("a\nb\n", "one column");
  refused("x,y,class\n", "no items");
  refused("", "no items");
  EXPECT_THROW(read_classified(folder / "missing.csv"), Error);
}

TEST(EvaluateClassify, ComparesTheWays) {
  const ClassifyEvaluation found = evaluate(ring(300, 4, 0.7), options_for_test());
  EXPECT_EQ(found.items, 300);
  EXPECT_EQ(found.features, 2);
  EXPECT_EQ(found.classes, 4);
  EXPECT_NEAR(static_cast<double>(found.train_items), 180, 30);
  ASSERT_EQ(found.methods.size(), 9U);
  for (const ClassifierQuality& each : found.methods) {
    EXPECT_LT(each.error.value, 0.25) << each.method << ' ' << each.selection << ' ' << each.asked;
    EXPECT_LE(each.error.interval.low, each.error.value);
    EXPECT_GE(each.error.interval.high, each.error.value);
    EXPECT_LT(each.log_likelihood.value, 0);
    EXPECT_GT(each.log_likelihood.value, -std::log(4.0));
    EXPECT_GE(each.calibration_error.value, 0);
    EXPECT_LE(each.calibration_error.value, 1);
    if (each.method == "sgp") {
      EXPECT_EQ(each.prototypes, each.asked == "8" ? 8 : std::llround(0.1 * found.train_items));
    }
  }
  EXPECT_EQ(found.methods.back().method, "full");
  ASSERT_EQ(found.descent_over_random.size(), 2U);
  EXPECT_NEAR(found.descent_over_random[0].difference.value,
              found.methods[0].error.value - found.methods[1].error.value, 1e-12);
  EXPECT_EQ(found.surface.values.rows(), std::ssize(found.surface.length_scales));
  EXPECT_EQ(found.surface.values.cols(), std::ssize(found.surface.variances));
}

TEST(EvaluateClassify, DependsOnTheSeedAlone) {
  ClassifyOptions options = options_for_test();
  options.repeat = 1;
  options.surface = false;
  options.full = false;
  const ClassifiedItems items = ring(200, 3, 0.9);
  const ClassifyEvaluation a = evaluate(items, options);
  const ClassifyEvaluation b = evaluate(items, options);
  for (std::size_t i = 0; i < a.methods.size(); ++i) {
    EXPECT_EQ(a.methods[i].error.value, b.methods[i].error.value);
    EXPECT_EQ(a.methods[i].log_likelihood.value, b.methods[i].log_likelihood.value);
  }
  options.seed = 2;
  EXPECT_NE(evaluate(items, options).train_items, 0);
  EXPECT_NE(evaluate(items, options).kernel, a.kernel);
  EXPECT_EQ(a.surface.values.size(), 0);
}

/// Without what differs from run to run.
std::string untimed(ClassifyEvaluation evaluation) {
  for (ClassifierQuality& each : evaluation.methods) each.train_seconds = each.predict_seconds = 0;
  return to_json(evaluation);
}

TEST(EvaluateClassify, RanksFindWhatOneProcessFinds) {
  const ClassifiedItems items = ring(150, 3, 0.8);
  ClassifyOptions options = options_for_test();
  for (const int repeat : {1, 3}) {
    options.repeat = repeat;
    const ClassifyEvaluation alone = evaluate(items, options);
    for (const int ranks : {1, 2, 3, 4}) {
      std::vector<ClassifyEvaluation> found(static_cast<std::size_t>(ranks));
      run_as_threads(ranks, [&](Comm& comm) {
        found[static_cast<std::size_t>(comm.rank())] = evaluate(items, options, comm);
      });
      for (const ClassifyEvaluation& each : found)
        EXPECT_EQ(to_json(each), to_json(found[0])) << "the times too";
      EXPECT_EQ(untimed(found[0]), untimed(alone)) << ranks;
    }
  }
}

TEST(EvaluateClassify, ComesOutAsJsonAndAsAPicture) {
  ClassifyOptions options = options_for_test();
  options.repeat = 1;
  options.selection = "random";
  const ClassifyEvaluation found = evaluate(ring(120, 3, 0.9), options);
  const auto json = nlohmann::json::parse(to_json(found));
  EXPECT_EQ(json["items"], 120);
  EXPECT_EQ(json["methods"].size(), found.methods.size());
  EXPECT_EQ(json["methods"][0]["error"]["value"], found.methods[0].error.value);
  EXPECT_EQ(json["likelihood_surface"]["log_likelihood"].size(),
            found.surface.length_scales.size());
  EXPECT_TRUE(json["descent_minus_random"].empty());
  const std::string picture = evaluation_plot(found);
  EXPECT_NE(picture.find("<svg"), std::string::npos);
  EXPECT_NE(picture.find("random"), std::string::npos);
}

TEST(EvaluateClassify, BadOptionsAreNamed) {
  const auto refused = [](const std::string& part,
                          const std::function<void(ClassifyOptions&)>& spoil) {
    ClassifyOptions options = options_for_test();
    spoil(options);
    const std::string message = test::message_of([&] { evaluate(ring(60, 3, 0.9), options); });
    EXPECT_NE(message.find(part), std::string::npos) << part << ": " << message;
  };
  refused("no kernel 'gauss'", [](auto& options) { options.kernel = "gauss"; });
  refused("prototypes has '0'", [](auto& options) { options.prototypes = "0"; });
  refused("prototypes has '5.5'", [](auto& options) { options.prototypes = "5.5"; });
  refused("prototypes has '101%'", [](auto& options) { options.prototypes = "101%"; });
  refused("prototypes has 'few'", [](auto& options) { options.prototypes = "10,few"; });
  refused("prototypes is '10,'", [](auto& options) { options.prototypes = "10,"; });
  refused("selection has 'best'", [](auto& options) { options.selection = "best"; });
  refused("train_share is 1", [](auto& options) { options.train_share = 1; });
  refused("repeat is 0", [](auto& options) { options.repeat = 0; });
  refused("ivm_active is 0", [](auto& options) { options.ivm_active = 0; });
  ClassifiedItems one = ring(30, 2, 0.9);
  one.classes.pop_back();
  EXPECT_THROW(evaluate(one, options_for_test()), Error);
}

}  // namespace evaluate_classify_test
}  // namespace commonplace

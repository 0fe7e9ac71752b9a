#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/suggest/evaluate_report.h"
#include "tests/support/naive_associations.h"
#include "tests/support/planted_tags.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace evaluate_test {

using namespace suggest;

using test::planted_tags;
using test::to_dense;

StoredRows sparse_rows(Sparse rows) { return {{}, std::move(rows), true}; }

suggest::Trial planted_trial(std::int64_t train = 160, std::int64_t test = 60) {
  test::PlantedTags first = planted_tags(train, 4);
  test::PlantedTags second = planted_tags(test, 4, 2);
  return {sparse_rows(first.words), first.tags, sparse_rows(second.words), second.tags, {}};
}

suggest::Evaluation evaluate(const suggest::Trial& trial, const suggest::EvaluationOptions& options,
                             int jobs = 1) {
  return suggest::evaluate(trial, {}, options, {.jobs = jobs});
}

/// Three of four items have tag 0, two have tag 1, one has tag 2; asked for are an item of tag 0,
/// one of 1 and 2, and one of a tag that nobody could know.
suggest::Trial small_trial() {
  const MatrixD words = MatrixD::Identity(4, 4);
  suggest::Trial trial;
  trial.train = sparse_rows(test::to_sparse(words));
  trial.train_tags =
      test::to_sparse((MatrixD(4, 3) << 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0).finished());
  trial.test = sparse_rows(test::to_sparse(words.topRows(3)));
  trial.test_tags = test::to_sparse((MatrixD(3, 3) << 1, 0, 0, 0, 1, 1, 0, 0, 0).finished());
  return trial;
}

TEST(EvaluateSuggest, ItemsWithoutTagsAreCounted) {
  suggest::Trial trial = small_trial();
  trial.untagged = 2;
  const suggest::Evaluation evaluation =
      evaluate(trial, {.methods = "tags", .baselines = "popular"});
  EXPECT_EQ(evaluation.test_items, 3);
  EXPECT_EQ(evaluation.untagged, 2);
  const auto json = nlohmann::json::parse(to_json(evaluation));
  EXPECT_EQ(json["untagged_test_items"], 2);
  EXPECT_EQ(json["methods"][0]["settings"]["prototypes"], json["methods"][0]["prototypes"]);
  EXPECT_FALSE(json["methods"][1].contains("settings")) << "popular tags have none";
}

TEST(EvaluateSuggest, MeasuresOfASmallCase) {
  // The popular tags are 0, 1, 2 for everyone, with probabilities 3/4, 1/2 and 1/4.
  const suggest::Evaluation evaluation =
      evaluate(small_trial(), {.methods = "", .baselines = "popular"});
  EXPECT_EQ(evaluation.train_items, 4);
  EXPECT_EQ(evaluation.test_items, 3);
  EXPECT_EQ(evaluation.features, 4);
  EXPECT_EQ(evaluation.tags, 3);
  ASSERT_EQ(evaluation.methods.size(), 1u);
  const suggest::MethodQuality& found = evaluation.methods[0];
  EXPECT_EQ(found.method, "popular");
  EXPECT_EQ(found.prototypes, 0);
  EXPECT_NEAR(found.precision[0], 1.0 / 3, 1e-12);
  EXPECT_NEAR(found.precision[1], (0.5 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(found.precision[2], (1.0 / 3 + 2.0 / 3) / 3, 1e-12);
  EXPECT_NEAR(found.precision[4], (0.2 + 0.4) / 3, 1e-12);
  EXPECT_NEAR(found.precision[9], (0.1 + 0.2) / 3, 1e-12);
  EXPECT_LE(found.precision_at_1.low, 1.0 / 3);
  EXPECT_GE(found.precision_at_1.high, 1.0 / 3);
  // Precision is of all three, the rest of those whose tags can be known.
  const double second = 1 / std::log2(3.0);
  EXPECT_NEAR(found.ndcg_at_5, (1 + (second + 0.5) / (1 + second)) / 2, 1e-12);
  EXPECT_NEAR(found.f1_at_5, (1.0 / 3 + 4.0 / 7) / 2, 1e-12);
  // Half of all uses are those of tag 0 alone.
  EXPECT_NEAR(found.popular_ndcg, 1, 1e-12) << "of the first item";
  EXPECT_NEAR(found.rare_ndcg, 1, 1e-12) << "of the second, where tag 0 does not count";
  EXPECT_NEAR(found.rank_loss, 0.5, 1e-12);
  EXPECT_NEAR(found.one_error, 0.5, 1e-12);
  EXPECT_NEAR(found.coverage, 2, 1e-12);
  // Tags 0 and 1 are given to all.
  ASSERT_TRUE(found.has_confidence);
  EXPECT_NEAR(found.hamming_loss, (1.0 / 3 + 2.0 / 3) / 2, 1e-6);
  EXPECT_NEAR(found.f1, (2.0 / 3 + 1.0 / 2) / 2, 1e-12);
  ASSERT_EQ(found.reliability.size(), 3u);
  for (const CalibrationBin& bin : found.reliability) {
    EXPECT_EQ(bin.count, 3u);
    EXPECT_NEAR(bin.frequency, 1.0 / 3, 1e-12);
  }
  EXPECT_NEAR(found.reliability[0].mean_probability, 0.25, 1e-6);
  // What is shown are the first two, from a half on.
  EXPECT_NEAR(found.calibration_error, (1.0 / 6 + 5.0 / 12) / 2, 1e-6);
  EXPECT_EQ(found.shown.count, 6);
  EXPECT_NEAR(found.shown.confidence, 0.625, 1e-6);
  EXPECT_NEAR(found.shown.right, 1.0 / 3, 1e-12);
  EXPECT_FALSE(found.has_claim);
  EXPECT_EQ(evaluation.strange, 1);
}

TEST(EvaluateSuggest, ItemsOfUnknowableTagsAloneAreAllWrong) {
  suggest::Trial trial = small_trial();
  trial.test_tags.indices.clear();
  trial.test_tags.values.clear();
  trial.test_tags.starts.assign(4, 0);
  const suggest::MethodQuality found =
      evaluate(trial, {.methods = "", .baselines = "popular"}).methods.at(0);
  EXPECT_EQ(found.precision[0], 0);
  EXPECT_TRUE(std::isfinite(found.ndcg_at_5) && std::isfinite(found.f1));
}

TEST(EvaluateSuggest, EveryMethodAndBaselineLearnsPlantedTags) {
  const suggest::Evaluation evaluation =
      evaluate(planted_trial(), {.methods = "combined,tags,category,knn", .baselines = "all"});
  std::vector<std::string> names;
  for (const suggest::MethodQuality& each : evaluation.methods) {
    names.push_back(each.method);
    EXPECT_GE(each.train_seconds, 0);
    EXPECT_GE(each.predict_seconds, 0);
    EXPECT_GE(each.memory, 0);
    EXPECT_LE(each.precision_at_1.low, each.precision[0]);
    EXPECT_GE(each.precision_at_1.high, each.precision[0]);
    EXPECT_EQ(each.prototypes > 0, each.method.starts_with("commonplace, ")) << each.method;
    if (each.method == "popular") {
      EXPECT_NEAR(each.precision[0], 0.25, 0.02) << "right about one of four topics";
      continue;
    }
    EXPECT_GT(each.precision[0], 0.9) << each.method;
    EXPECT_GT(each.ndcg_at_5, 0.85) << each.method;
    EXPECT_LT(each.rank_loss, 0.2) << each.method;
    EXPECT_EQ(each.has_confidence, each.method != "svm" && each.method != "poisson");
    EXPECT_EQ(each.reliability.empty(), !each.has_confidence) << each.method;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"commonplace, combined", "commonplace, tags",
                                             "commonplace, category", "commonplace, knn",
                                             "logistic", "svm", "knn", "popular", "poisson"}));
}

TEST(EvaluateSuggest, NothingOfTheTestItemsIsSeenByWhatLearns) {
  // With other tags asked for, the scores stay what they were: a method that is right about the
  // ones is wrong about the others.
  suggest::Trial trial = planted_trial();
  const suggest::EvaluationOptions options{.methods = "tags", .baselines = "none"};
  const suggest::MethodQuality right = evaluate(trial, options).methods.at(0);
  const auto order = test::random_order(60, 3);
  trial.test.sparse = test::rows_in_order(trial.test.sparse.view(), order);
  trial.test_tags = test::rows_in_order(trial.test_tags.view(), order);
  const suggest::MethodQuality shuffled = evaluate(trial, options).methods.at(0);
  EXPECT_NEAR(shuffled.precision[0], right.precision[0], 1e-9);
  EXPECT_NEAR(shuffled.ndcg_at_5, right.ndcg_at_5, 1e-9);
  EXPECT_NEAR(shuffled.calibration_error, right.calibration_error, 1e-9);
  for (std::int32_t& tag : trial.test_tags.indices) tag = (tag + 2) % 8;
  // A row's columns must rise.
  for (std::int64_t row = 0; row < 60; ++row)
    std::sort(
        trial.test_tags.indices.begin() + trial.test_tags.starts[static_cast<std::size_t>(row)],
        trial.test_tags.indices.begin() +
            trial.test_tags.starts[static_cast<std::size_t>(row) + 1]);
  EXPECT_LT(evaluate(trial, options).methods.at(0).precision[0], 0.1);
}

TEST(EvaluateSuggest, ManyItemsAreAskedForInBlocks) {
  // More than are asked for at a time, the same ones over and over.
  suggest::Trial trial = planted_trial(160, 40);
  const suggest::EvaluationOptions options{.methods = "combined", .baselines = "knn"};
  const suggest::Evaluation once = evaluate(trial, options);
  std::vector<std::int64_t> order;
  for (std::int64_t item = 0; item < 2400; ++item) order.push_back(item % 40);
  trial.test.sparse = test::rows_in_order(trial.test.sparse.view(), order);
  trial.test_tags = test::rows_in_order(trial.test_tags.view(), order);
  for (const int jobs : {1, 3}) {
    const suggest::Evaluation many = evaluate(trial, options, jobs);
    for (std::size_t method = 0; method < 2; ++method) {
      EXPECT_NEAR(many.methods[method].precision[0], once.methods[method].precision[0], 1e-9);
      EXPECT_NEAR(many.methods[method].ndcg_at_5, once.methods[method].ndcg_at_5, 1e-9);
      EXPECT_NEAR(many.methods[method].f1, once.methods[method].f1, 1e-9);
      EXPECT_NEAR(many.methods[method].calibration_error, once.methods[method].calibration_error,
                  1e-9);
    }
  }
}

TEST(EvaluateSuggest, SweepsTheNumberOfPrototypes) {
  const suggest::Evaluation evaluation =
      evaluate(planted_trial(), {.methods = "", .baselines = "none", .sweep = "2,5%,40"});
  EXPECT_TRUE(evaluation.methods.empty());
  ASSERT_EQ(evaluation.sweep.size(), 3u);
  EXPECT_EQ(evaluation.sweep[0].prototypes, 2);
  EXPECT_EQ(evaluation.sweep[1].prototypes, 8);
  EXPECT_EQ(evaluation.sweep[2].prototypes, 40);
  EXPECT_EQ(evaluation.sweep[1].method, "commonplace, tags, prototypes 5%");
  EXPECT_GT(evaluation.sweep[2].precision[0], evaluation.sweep[0].precision[0] + 0.2)
      << "two prototypes cannot tell four topics apart";
}

/// Without what differs from run to run.
std::string untimed(suggest::Evaluation evaluation) {
  for (auto* results : {&evaluation.methods, &evaluation.sweep})
    for (suggest::MethodQuality& each : *results) {
      each.train_seconds = each.predict_seconds = 0;
      each.memory = 0;
    }
  return to_json(evaluation);
}

TEST(EvaluateSuggest, RanksFindWhatOneProcessFinds) {
  const suggest::Trial trial = planted_trial();
  const suggest::EvaluationOptions options{
      .methods = "combined,tags", .baselines = "all", .sweep = "4,16"};
  const suggest::Evaluation alone = evaluate(trial, options);
  for (const int ranks : {1, 2, 3, 4}) {
    std::vector<suggest::Evaluation> found(static_cast<std::size_t>(ranks));
    run_as_threads(ranks, [&](Comm& comm) {
      found[static_cast<std::size_t>(comm.rank())] =
          suggest::evaluate(trial, {}, options, {comm, 1});
    });
    for (const suggest::Evaluation& each : found)
      EXPECT_EQ(to_json(each), to_json(found[0])) << "the times too";
    EXPECT_EQ(untimed(found[0]), untimed(alone)) << ranks;
  }
}

TEST(EvaluateSuggest, RanksOfDifferentItemsAreRefused) {
  EXPECT_NE(test::message_of([&] {
              run_as_threads(2, [](Comm& comm) {
                suggest::evaluate(planted_trial(160 + comm.rank()), {}, {}, {comm, 1});
              });
            }).find("the ranks do not see the same items"),
            std::string::npos);
}

TEST(EvaluateSuggest, DenseFeaturesHaveNoBaselines) {
  suggest::Trial trial = planted_trial();
  trial.train = {to_dense(trial.train.sparse.view()).cast<float>(), {}, false};
  trial.test = {to_dense(trial.test.sparse.view()).cast<float>(), {}, false};
  const suggest::Evaluation evaluation = evaluate(trial, {.methods = "tags", .baselines = "none"});
  EXPECT_GT(evaluation.methods.at(0).precision[0], 0.9);
  // Baselines take them too, but for the one that counts words.
  const suggest::Evaluation baselines = evaluate(trial, {.methods = "", .baselines = "all"});
  ASSERT_EQ(baselines.methods.size(), 4U);
  for (const suggest::MethodQuality& each : baselines.methods)
    if (each.method != "popular") {
      EXPECT_GT(each.precision[0], 0.9) << each.method;
    }
  EXPECT_NE(test::message_of([&] {
              evaluate(trial, {.methods = "", .baselines = "poisson"});
            }).find("counts words"),
            std::string::npos);
}

TEST(EvaluateSuggest, WhatIsClaimedStandsBesideWhatIsReal) {
  const suggest::Evaluation evaluation =
      evaluate(planted_trial(600, 200), {.methods = "tags", .baselines = "popular"});
  const suggest::MethodQuality& found = evaluation.methods.at(0);
  ASSERT_TRUE(found.has_claim);
  EXPECT_FALSE(evaluation.methods.at(1).has_claim);
  for (const Measured& each : {found.precision_at_1_less_claimed, found.right_less_confidence}) {
    EXPECT_LE(each.interval.low, 0);
    EXPECT_GE(each.interval.high, 0);
    EXPECT_LT(each.interval.high - each.interval.low, 0.4);
  }
  EXPECT_NEAR(found.precision_at_1_less_claimed.value,
              found.precision[0] - found.claimed_precision_at_1, 1e-12);
  const auto json = nlohmann::json::parse(to_json(evaluation))["methods"];
  EXPECT_EQ(json[0]["claimed"]["precision@1"], found.claimed_precision_at_1);
  EXPECT_EQ(json[0]["shown"]["right"], found.shown.right);
  EXPECT_FALSE(json[1].contains("claimed"));
}

TEST(EvaluateSuggest, UnknownNamesAreRefusedBeforeAnythingIsLearned) {
  const suggest::Trial trial = planted_trial();
  const auto refusal = [&](const suggest::EvaluationOptions& options, SuggesterOptions model = {}) {
    bool learning = false;
    const std::string message = test::message_of([&] {
      SelfComm comm;
      suggest::evaluate(trial, model, options,
                        {comm, 1, [&](const ProgressStep&) { learning = true; }});
    });
    EXPECT_FALSE(learning) << message;
    return message;
  };
  EXPECT_EQ(refusal({.baselines = "logistic,magic"}),
            "the baseline 'magic' is not known; give logistic, svm, knn, popular, poisson, "
            "all or none");
  EXPECT_NE(refusal({.methods = "tags,magic"}).find("the method 'magic' is not known"),
            std::string::npos);
  EXPECT_NE(refusal({.sweep = "5%,x"}).find("prototypes is 'x'"), std::string::npos);
  SuggesterOptions bad;
  bad.kernel = "magic";
  EXPECT_FALSE(refusal({}, bad).empty());
}

TEST(EvaluateSuggest, NeedsItemsOnBothSides) {
  for (const auto& [train, test] : {std::pair{0, 10}, std::pair{10, 0}})
    EXPECT_NE(test::message_of([&, t = train, a = test] {
                evaluate(planted_trial(t, a), {});
              }).find("too few tagged items"),
              std::string::npos);
}

TEST(EvaluateSuggest, IsJsonAndAPlot) {
  const suggest::Evaluation evaluation =
      evaluate(planted_trial(), {.methods = "tags", .baselines = "svm,popular", .sweep = "4,16"});
  const auto json = nlohmann::json::parse(to_json(evaluation));
  EXPECT_EQ(json["train_items"], 160);
  EXPECT_EQ(json["test_items"], 60);
  EXPECT_EQ(json["features"], 60);
  EXPECT_EQ(json["tags"], 8);
  ASSERT_EQ(json["methods"].size(), 3u);
  ASSERT_EQ(json["sweep"].size(), 2u);
  for (const auto& each : {json["methods"][0], json["methods"][1], json["sweep"][0]})
    for (const char* field :
         {"method", "prototypes", "precision@1", "precision@3", "precision@5", "precision",
          "precision@1_interval", "ndcg@5", "f1@5", "popular_ndcg@5", "rare_ndcg@5", "rank_loss",
          "one_error", "coverage", "train_seconds", "predict_seconds", "peak_memory_bytes"})
      EXPECT_TRUE(each.contains(field)) << field;
  const suggest::MethodQuality& first = evaluation.methods[0];
  EXPECT_EQ(json["methods"][0]["precision@3"], first.precision[2]);
  EXPECT_EQ(json["methods"][0]["precision"].size(), 10u);
  EXPECT_EQ(json["methods"][0]["precision@1_interval"],
            (nlohmann::json{first.precision_at_1.low, first.precision_at_1.high}));
  EXPECT_EQ(json["methods"][0]["reliability"].size(), first.reliability.size());
  EXPECT_EQ(json["methods"][0]["f1"], first.f1);
  EXPECT_FALSE(json["methods"][1].contains("calibration_error")) << "svm does not say";

  const std::string plot = evaluation_plot(evaluation);
  EXPECT_NE(plot.find("<svg"), std::string::npos);
  EXPECT_TRUE(plot.ends_with("</svg>\n")) << plot.substr(plot.size() - 20);
  for (const char* text : {"commonplace, tags", "popular", "Precision by number of prototypes",
                           "How often a confidence is right"})
    EXPECT_NE(plot.find(text), std::string::npos) << text;
  suggest::Evaluation unswept = evaluation;
  unswept.sweep.clear();
  EXPECT_EQ(evaluation_plot(unswept).find("number of prototypes"), std::string::npos);
}

TEST(EvaluateSuggest, StopsOnRequest) {
  SelfComm comm;
  EXPECT_THROW(suggest::evaluate(planted_trial(), {}, {},
                                 {comm, 1, [](const ProgressStep&) { throw Cancelled(); }}),
               Cancelled);
}

}  // namespace evaluate_test
}  // namespace commonplace

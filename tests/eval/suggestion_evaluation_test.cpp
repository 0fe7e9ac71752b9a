#include "commonplace/eval/suggestion_evaluation.h"

#include <algorithm>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/naive_metrics.h"

namespace commonplace {
namespace {

using Labels = std::vector<std::int32_t>;
using Values = std::map<std::string, double>;

Values by_name(const std::vector<NamedResult>& results) {
  Values values;
  for (const NamedResult& result : results) values[result.name] = result.value;
  return values;
}

/// Items with random labels and suggestions; scores positive, with ties; some items have neither.
struct Collection {
  std::vector<Labels> relevant;
  std::vector<LabelRanking> rankings;
  naive::FlagTable truth;
  naive::FlagTable suggested;
  std::vector<std::vector<double>> scores;  ///< of all labels, 0 where not suggested
};

Collection random_collection(std::uint64_t seed, std::size_t items, std::size_t labels) {
  Rng rng(seed);
  Collection result;
  for (std::size_t item = 0; item < items; ++item) {
    naive::Flags truth(labels);
    std::vector<double> scores(labels);
    const double share = static_cast<double>(rng.below(4)) / 3;
    for (std::uint8_t& flag : truth) flag = rng.uniform() < share ? 1 : 0;
    for (double& score : scores) score = static_cast<double>(rng.below(5));
    Labels order(labels);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
    });
    Labels relevant;
    LabelRanking ranking;
    naive::Flags suggested(labels);
    for (std::size_t label = 0; label < labels; ++label)
      if (truth[label] != 0) relevant.push_back(static_cast<std::int32_t>(label));
    for (const std::int32_t label : order) {
      const double score = scores[static_cast<std::size_t>(label)];
      if (score == 0) break;
      ranking.labels.push_back(label);
      ranking.scores.push_back(score);
      suggested[static_cast<std::size_t>(label)] = 1;
    }
    result.relevant.push_back(relevant);
    result.rankings.push_back(ranking);
    result.truth.push_back(truth);
    result.suggested.push_back(suggested);
    result.scores.push_back(scores);
  }
  return result;
}

void expect_averages(const Values& values, const std::string& kind,
                     const naive::Averages& expected) {
  EXPECT_NEAR(values.at("Precision (" + kind + ")"), expected.precision, 1e-12);
  EXPECT_NEAR(values.at("Recall (" + kind + ")"), expected.recall, 1e-12);
  EXPECT_NEAR(values.at("F1 score (" + kind + ")"), expected.f1, 1e-12);
}

TEST(SuggestionEvaluation, AgreesWithTheLoops) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::size_t items = 1 + seed % 7;
    const std::size_t labels = 1 + seed % 13;
    const Collection c = random_collection(seed, items, labels);
    const Values values =
        by_name(evaluate_suggestions(c.relevant, c.rankings, static_cast<std::int64_t>(labels)));
    expect_averages(values, "doc avg", naive::item_average(c.truth, c.suggested));
    expect_averages(values, "subj avg", naive::label_average(c.truth, c.suggested, false));
    expect_averages(values, "weighted subj avg", naive::label_average(c.truth, c.suggested, true));
    expect_averages(values, "microavg", naive::micro_average(c.truth, c.suggested));
    EXPECT_NEAR(values.at("Hamming loss"), naive::hamming_loss(c.truth, c.suggested), 1e-12);

    Values means;
    for (std::size_t i = 0; i < items; ++i) {
      naive::Flags hits;
      for (const std::int32_t label : c.rankings[i].labels)
        hits.push_back(c.truth[i][static_cast<std::size_t>(label)]);
      const std::size_t relevant = c.relevant[i].size();
      const auto add = [&](const char* name, double value) {
        means[name] += value / static_cast<double>(items);
      };
      add("NDCG", naive::ndcg_at(hits, relevant, 1000));
      add("NDCG@5", naive::ndcg_at(hits, relevant, 5));
      add("NDCG@10", naive::ndcg_at(hits, relevant, 10));
      add("F1@5", naive::f1_at(hits, relevant, std::min<std::size_t>(5, hits.size())));
      add("Precision@1", naive::precision_at(hits, std::min<std::size_t>(1, hits.size())));
      add("Precision@3", naive::precision_at(hits, std::min<std::size_t>(3, hits.size())));
      add("Precision@5", naive::precision_at(hits, std::min<std::size_t>(5, hits.size())));
      add("MAP", naive::average_precision(hits, relevant));
      add("LRAP", naive::label_ranking_average_precision(c.scores[i], c.truth[i]));
      add("Rank loss", naive::rank_loss(c.scores[i], c.truth[i]));
      add("One-error", naive::one_error(c.scores[i], c.truth[i]));
      add("Coverage", naive::coverage(c.scores[i], c.truth[i]));
    }
    for (const auto& [name, expected] : means)
      EXPECT_NEAR(values.at(name), expected, 1e-12) << name << " seed " << seed;
  }
}

TEST(SuggestionEvaluation, ListsTheNamesOfAnnifFirst) {
  const Collection c = random_collection(1, 3, 5);
  std::vector<std::string> names;
  for (const NamedResult& result : evaluate_suggestions(c.relevant, c.rankings, 5))
    names.push_back(result.name);
  const std::vector<std::string> expected{"Precision (doc avg)",
                                          "Recall (doc avg)",
                                          "F1 score (doc avg)",
                                          "Precision (subj avg)",
                                          "Recall (subj avg)",
                                          "F1 score (subj avg)",
                                          "Precision (weighted subj avg)",
                                          "Recall (weighted subj avg)",
                                          "F1 score (weighted subj avg)",
                                          "Precision (microavg)",
                                          "Recall (microavg)",
                                          "F1 score (microavg)",
                                          "F1@5",
                                          "NDCG",
                                          "NDCG@5",
                                          "NDCG@10",
                                          "Precision@1",
                                          "Precision@3",
                                          "Precision@5",
                                          "True positives",
                                          "False positives",
                                          "False negatives",
                                          "LRAP",
                                          "MAP",
                                          "Rank loss",
                                          "Hamming loss",
                                          "One-error",
                                          "Coverage",
                                          "Documents evaluated"};
  EXPECT_EQ(names, expected);
}

TEST(SuggestionEvaluation, ByHand) {
  const std::vector<Labels> relevant{{0, 2}, {1}};
  const std::vector<LabelRanking> rankings{{{2, 1}, {0.9, 0.4}}, {{}, {}}};
  const Values values = by_name(evaluate_suggestions(relevant, rankings, 4));
  EXPECT_DOUBLE_EQ(values.at("Precision (doc avg)"), 0.25);
  EXPECT_DOUBLE_EQ(values.at("Precision@1"), 0.5);
  EXPECT_DOUBLE_EQ(values.at("Precision (microavg)"), 0.5);
  EXPECT_DOUBLE_EQ(values.at("Recall (microavg)"), 1.0 / 3);
  EXPECT_DOUBLE_EQ(values.at("Recall (subj avg)"), 0.25);
  EXPECT_EQ(values.at("True positives"), 1);
  EXPECT_EQ(values.at("False positives"), 1);
  EXPECT_EQ(values.at("False negatives"), 2);
  EXPECT_DOUBLE_EQ(values.at("LRAP"), ((1 + 2.0 / 4) / 2 + 1.0 / 4) / 2);
  EXPECT_EQ(values.at("Documents evaluated"), 2);
}

TEST(SuggestionEvaluation, IntervalsSurroundTheValues) {
  const Collection c = random_collection(4, 80, 12);
  const BootstrapOptions options{.resamples = 300, .seed = 2, .jobs = 2};
  const auto results = evaluate_suggestions(c.relevant, c.rankings, 12, options);
  for (const NamedResult& result : results) {
    if (result.name == "Documents evaluated") {
      EXPECT_FALSE(result.interval.has_value());
      continue;
    }
    ASSERT_TRUE(result.interval.has_value()) << result.name;
    EXPECT_LT(result.interval->low, result.value) << result.name;
    EXPECT_GT(result.interval->high, result.value) << result.name;
  }
  const auto plain = evaluate_suggestions(c.relevant, c.rankings, 12);
  EXPECT_EQ(by_name(plain), by_name(results));
  EXPECT_FALSE(plain.front().interval.has_value());
}

TEST(SuggestionEvaluation, RefusesWhatCannotBe) {
  const std::vector<Labels> relevant{{0, 2}};
  const std::vector<LabelRanking> good{{{2, 1}, {0.9, 0.4}}};
  EXPECT_THROW(evaluate_suggestions({}, {}, 3), Error);
  EXPECT_THROW(evaluate_suggestions(relevant, {}, 3), Error);
  EXPECT_THROW(evaluate_suggestions(relevant, good, 0), Error);
  EXPECT_THROW(evaluate_suggestions(relevant, good, 2), Error);
  const std::vector<LabelRanking> rising{{{2, 1}, {0.4, 0.9}}};
  EXPECT_THROW(evaluate_suggestions(relevant, rising, 3), Error);
  const std::vector<Labels> unsorted{{2, 0}};
  EXPECT_THROW(evaluate_suggestions(unsorted, good, 3), Error);
}

}  // namespace
}  // namespace commonplace

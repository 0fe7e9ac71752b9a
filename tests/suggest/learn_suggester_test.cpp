#include "commonplace/suggest/core/learn_suggester.h"

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_suggester.h"
#include "tests/support/planted_tags.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace learn_suggester_test {

using namespace suggest;

using test::planted_tags;
using test::PlantedTags;

constexpr std::int64_t kTopics = 4;

/// Items whose tags follow from their words, and others of the same kind to ask for.
class LearnSuggester : public testing::Test {
 protected:
  LearnedSuggester learn() { return learn({data_.words, {}, data_.tags.view()}); }
  LearnedSuggester learn(const SuggesterData& data) {
    return learn_suggester(data, options_, {.jobs = 1});
  }
  std::string refusal() {
    return test::message_of([&] { learn(); });
  }
  /// Sets everything, so that nothing is chosen by items held out but how sure to be.
  void set_all() {
    options_.method = "tags";
    options_.prototypes = "8";
    options_.length_scale = 0.7;
    options_.noise_variance = 0.1;
    options_.weighting = "rare";
  }

  PlantedTags data_ = planted_tags(240, kTopics);
  PlantedTags asked_ = planted_tags(80, kTopics, 2);
  SuggesterOptions options_;
};

Matrix scores_of(const Suggester& suggester, const FeatureRows& raw) {
  return score(suggester, prepare(suggester, raw).view());
}

double confidence_of(const Suggester& suggester, float score) {
  return confidence(suggester.confidence, static_cast<double>(score));
}

class SuggesterMethods : public LearnSuggester, public testing::WithParamInterface<std::string> {};

TEST_P(SuggesterMethods, SuggestTheTagsOfUnseenItems) {
  data_ = planted_tags(800, kTopics);
  options_.method = GetParam();
  const LearnedSuggester learned = learn();
  const Matrix scores = scores_of(learned.suggester, asked_.words);
  EXPECT_GT(test::share_right(scores, asked_), 0.95);
  EXPECT_GT(learned.report.quality.precision_at_1, 0.9);
  EXPECT_GT(learned.report.quality.items, 20);
  EXPECT_GT(learned.report.quality.f1, 0.6);
  EXPECT_LT(learned.report.quality.calibration_error, 0.1);
  // A topic's own tag is sure, its other one half so, the others are not.
  double own = 0;
  double half = 0;
  double others = 0;
  for (Eigen::Index item = 0; item < scores.rows(); ++item)
    for (Eigen::Index tag = 0; tag < scores.cols(); ++tag) {
      const double chance = confidence_of(learned.suggester, scores(item, tag));
      (tag == 2 * (item % kTopics)       ? own
       : tag == 2 * (item % kTopics) + 1 ? half
                                         : others) += chance;
    }
  EXPECT_GT(own / 80, 0.85);
  EXPECT_NEAR(half / 80, 0.5, 0.2);
  EXPECT_LT(others / 80 / 6, 0.1);
}
INSTANTIATE_TEST_SUITE_P(All, SuggesterMethods,
                         testing::Values("combined", "tags", "category", "knn"));

class SuggesterKernels : public LearnSuggester, public testing::WithParamInterface<std::string> {};

TEST_P(SuggesterKernels, AllServe) {
  options_.method = "tags";
  options_.kernel = GetParam();
  const LearnedSuggester learned = learn();
  EXPECT_GT(test::share_right(scores_of(learned.suggester, asked_.words), asked_), 0.9);
  EXPECT_EQ(to_string(learned.suggester.basis.kernel.kind), GetParam());
}
INSTANTIATE_TEST_SUITE_P(All, SuggesterKernels, testing::Values("rbf", "nn", "linear", "cosine"));

TEST_F(LearnSuggester, LearnsFromDenseFeaturesToo) {
  const Matrix words = test::to_dense(data_.words.view()).cast<float>();
  const Matrix asked = test::to_dense(asked_.words.view()).cast<float>();
  const LearnedSuggester learned = learn({words, {}, data_.tags.view()});
  EXPECT_GT(test::share_right(scores_of(learned.suggester, asked), asked_), 0.95);
  EXPECT_EQ(learned.report.weighting, "");
}

TEST_F(LearnSuggester, NothingFitsAnItemOfUnseenWords) {
  // Words that no item has, at the end of the table.
  data_ = planted_tags(800, kTopics);
  data_.words.columns += 10;
  asked_.words.columns += 10;
  const LearnedSuggester learned = learn();
  Sparse strange;
  strange.columns = data_.words.columns;
  for (int item = 0; item < 5; ++item) {
    for (std::int32_t word = 60 + item; word < 65 + item; ++word) strange.push(word, 1);
    strange.end_row();
  }
  const Matrix known = scores_of(learned.suggester, asked_.words);
  const Matrix scores = scores_of(learned.suggester, strange);
  double of_known = 0;
  for (Eigen::Index item = 0; item < 80; ++item)
    of_known += confidence_of(learned.suggester, known.row(item).maxCoeff()) / 80;
  EXPECT_GT(of_known, 0.85);
  for (Eigen::Index item = 0; item < scores.rows(); ++item)
    EXPECT_LT(confidence_of(learned.suggester, scores.row(item).maxCoeff()),
              learned.suggester.threshold)
        << "item " << item;
}

TEST_F(LearnSuggester, RejectedTagsAreLowerForSimilarItems) {
  for (const std::string method : {"tags", "knn"}) {
    options_.method = method;
    options_.length_scale = 0.7;
    options_.noise_variance = 0.1;
    options_.weighting = "plain";
    const Matrix before = scores_of(learn().suggester, asked_.words);
    // Tag 7, which half of the items of topic 3 have, was rejected for the other half.
    Sparse targets;
    targets.columns = data_.tags.columns;
    for (std::int64_t item = 0; item < 240; ++item) {
      const auto tags = data_.tags.view().row_indices(item);
      for (const std::int32_t tag : tags) targets.push(tag, 1);
      if (item % kTopics == 3 && tags.back() != 7) targets.push(7, -1);
      targets.end_row();
    }
    const Matrix after =
        scores_of(learn({data_.words, {}, targets.view()}).suggester, asked_.words);
    double fall = 0;
    for (Eigen::Index item = 3; item < 80; item += kTopics)
      fall += static_cast<double>(before(item, 7) - after(item, 7)) / 20;
    EXPECT_GT(fall, 0.3) << method;
    EXPECT_GT(test::share_right(after, asked_), 0.95) << method << ": the others stay";
  }
}

TEST_F(LearnSuggester, KindsOfFeaturesCountAlike) {
  // Some other item's words, far heavier, are a second kind that says nothing.
  Sparse both;
  both.columns = 2 * data_.words.columns;
  const auto order = test::random_order(240, 8);
  for (std::int64_t item = 0; item < 240; ++item) {
    const SparseView words = data_.words.view();
    for (std::size_t i = 0; i < words.row_indices(item).size(); ++i)
      both.push(words.row_indices(item)[i], words.row_values(item)[i]);
    for (const std::int32_t word : words.row_indices(order[static_cast<std::size_t>(item)]))
      both.push(static_cast<std::int32_t>(data_.words.columns) + word, 1e6F);
    both.end_row();
  }
  const std::vector<std::int64_t> blocks = {0, data_.words.columns};
  options_.weighting = "plain";
  options_.method = "tags";
  const LearnedSuggester levelled = learn({both, blocks, data_.tags.view()});
  EXPECT_EQ(levelled.suggester.blocks, blocks);
  const double together = learn({both, {}, data_.tags.view()}).report.quality.precision_at_1;
  EXPECT_GT(levelled.report.quality.precision_at_1, together + 0.1);
}

TEST_F(LearnSuggester, GivesTheSameAgainWithAnyNumberOfThreads) {
  const LearnedSuggester once = learn();
  const Matrix scores = scores_of(once.suggester, asked_.words);
  for (const int jobs : {2, 3}) {
    const LearnedSuggester again =
        learn_suggester({data_.words, {}, data_.tags.view()}, options_, {.jobs = jobs});
    EXPECT_EQ(scores_of(again.suggester, asked_.words), scores);
    EXPECT_EQ(again.suggester.confidence.probability, once.suggester.confidence.probability);
    EXPECT_EQ(again.suggester.threshold, once.suggester.threshold);
  }
}

TEST_F(LearnSuggester, RanksLearnWhatOneProcessLearns) {
  const Matrix dense = test::to_dense(data_.words.view()).cast<float>();
  const FeatureRows features[] = {data_.words, dense};
  for (const FeatureRows& rows : features)
    for (const std::string method : {"combined", "category"}) {
      options_.method = method;
      const SuggesterData data{rows, {}, data_.tags.view()};
      const LearnedSuggester alone = learn(data);
      const Matrix before = score(alone.suggester, alone.suggester.known.view());
      for (const int ranks : {1, 2, 3, 4}) {
        std::vector<LearnedSuggester> learned(static_cast<std::size_t>(ranks));
        run_as_threads(ranks, [&](Comm& comm) {
          learned[static_cast<std::size_t>(comm.rank())] =
              learn_suggester(data, options_, {comm, 1});
        });
        for (const LearnedSuggester& each : learned) {
          EXPECT_EQ(to_json(each.report), to_json(learned[0].report));
          EXPECT_EQ(each.suggester.known_tags.rows(), 240);
          const Matrix after = score(each.suggester, each.suggester.known.view());
          EXPECT_EQ(after, score(learned[0].suggester, learned[0].suggester.known.view()));
          EXPECT_LT((after - before).cwiseAbs().maxCoeff(), 1e-4F) << ranks << " " << method;
        }
        // The choices are those of rank 0, which makes them by itself: the same bits.
        SuggesterReport report = learned[0].report;
        report.seconds = alone.report.seconds;
        EXPECT_EQ(to_json(report), to_json(alone.report));
        EXPECT_EQ(learned[0].suggester.confidence.probability,
                  alone.suggester.confidence.probability);
      }
    }
}

TEST_F(LearnSuggester, ARankWithoutItemsTakesPart) {
  data_ = planted_tags(3, 3);
  const Matrix before = scores_of(learn().suggester, data_.words);
  run_as_threads(4, [&](Comm& comm) {
    const LearnedSuggester learned =
        learn_suggester({data_.words, {}, data_.tags.view()}, options_, {comm, 1});
    EXPECT_LT((scores_of(learned.suggester, data_.words) - before).cwiseAbs().maxCoeff(), 1e-4F);
  });
}

TEST_F(LearnSuggester, DoesNotDependOnTheOrderOfTheItems) {
  // The prototypes are the tags' means, so that none is drawn.
  set_all();
  const auto order = test::random_order(240, 3);
  const Sparse words = test::rows_in_order(data_.words.view(), order);
  const Sparse tags = test::rows_in_order(data_.tags.view(), order);
  for (const std::string method : {"tags", "knn"}) {
    options_.method = method;
    const Matrix a = scores_of(learn().suggester, asked_.words);
    const Matrix b = scores_of(learn({words, {}, tags.view()}).suggester, asked_.words);
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-4F) << method;
  }
}

TEST_F(LearnSuggester, WhatIsSetIsNotChosen) {
  set_all();
  for (const std::int64_t items : {240, 30}) {
    // Of thirty items too few can be held out to choose anything by them.
    data_ = planted_tags(items, kTopics);
    const LearnedSuggester learned = learn();
    EXPECT_EQ(learned.report.prototypes, 8);
    EXPECT_EQ(learned.suggester.basis.size(), 8);
    EXPECT_EQ(learned.report.length_scale, 0.7);
    EXPECT_EQ(learned.suggester.basis.kernel.length_scale, 0.7);
    EXPECT_EQ(learned.report.noise_variance, 0.1);
    EXPECT_EQ(learned.suggester.tag_gp.noise_variance, 0.1);
    EXPECT_EQ(learned.report.weighting, "rare");
    options_.length_scale = 0.9;
    options_.noise_variance = 0.2;
    options_.weighting = "both";
    const LearnedSuggester other = learn();
    EXPECT_EQ(other.suggester.basis.kernel.length_scale, 0.9) << items;
    EXPECT_EQ(other.suggester.tag_gp.noise_variance, 0.2) << items;
    EXPECT_EQ(other.report.weighting, "both") << items;
    set_all();
  }
}

int tried_with(const SuggesterReport& report, const std::string& word) {
  return static_cast<int>(std::count_if(
      report.tried.begin(), report.tried.end(),
      [&](const TuningTrial& each) { return each.setting.find(word) != std::string::npos; }));
}

TEST_F(LearnSuggester, TriesLinearClassifiersByHalving) {
  const SuggesterReport report = learn().report;
  // Four on half of the items, two on all, and then weights of the best.
  EXPECT_EQ(tried_with(report, "cost"), 6);
  EXPECT_EQ(tried_with(report, "linear "), 5);
  EXPECT_EQ(report.linear.empty(), report.mixture.linear == 0);
  options_.method = "tags";
  EXPECT_EQ(tried_with(learn().report, "cost"), 0) << "asked for the tags' processes alone";
}

TEST_F(LearnSuggester, OfManyTagsLinearClassifiersNeedABudget) {
  // The same items, each tag four hundred times.
  Sparse tags;
  tags.columns = data_.tags.columns * 400;
  for (std::int64_t row = 0; row < data_.tags.rows(); ++row) {
    for (const std::int32_t tag : data_.tags.view().row_indices(row))
      for (std::int32_t copy = 0; copy < 400; ++copy) tags.push(tag * 400 + copy, 1);
    tags.end_row();
  }
  options_.prototypes = "20";
  EXPECT_EQ(tried_with(learn({data_.words, {}, tags.view()}).report, "cost"), 0);
  options_.budget = "1h";
  EXPECT_EQ(tried_with(learn({data_.words, {}, tags.view()}).report, "cost"), 6);
}

TEST_F(LearnSuggester, OutOfTimeTakesTheUsual) {
  options_.budget = "0.000001s";
  const LearnedSuggester learned = learn();
  // The first of the weightings, of the length scales, of the shares and of the mixtures.
  EXPECT_LE(learned.report.tried.size(), 4U);
  EXPECT_EQ(learned.report.length_scale, 0.7);
  EXPECT_EQ(learned.report.mixture.neighbours, 0.2);
  EXPECT_GT(test::share_right(scores_of(learned.suggester, asked_.words), asked_), 0.9);
  for (const char* wrong : {"soon", "-3s", "0", "5 s", "1d"}) {
    options_.budget = wrong;
    EXPECT_EQ(refusal(),
              "the budget is '" + std::string(wrong) + "'; expected a time such as 30s, 2m or 1h");
  }
}

TEST_F(LearnSuggester, ChoosesWhatWasBestOnHeldOutItems) {
  options_.method = "tags";
  const SuggesterReport report = learn().report;
  double best = -1;
  double length_scale = 0;
  double noise_variance = 0;
  int tried = 0;
  for (const TuningTrial& each : report.tried) {
    double with_length_scale = 0;
    double with_noise = 0;
    if (std::sscanf(each.setting.c_str(), "length scale %lf, noise %lf", &with_length_scale,
                    &with_noise) != 2)
      continue;
    ++tried;
    if (each.quality <= best) continue;
    best = each.quality;
    length_scale = with_length_scale;
    noise_variance = with_noise;
  }
  EXPECT_GE(tried, 12);
  EXPECT_GT(best, 0.8);
  EXPECT_EQ(report.length_scale, length_scale);
  EXPECT_EQ(report.noise_variance, noise_variance);
}

TEST_F(LearnSuggester, ChoosesOnASampleAndLearnsFromAll) {
  options_.choose_on = 100;
  options_.held_out = 0.5;
  const LearnedSuggester learned = learn();
  EXPECT_GT(learned.report.quality.items, 20);
  EXPECT_LT(learned.report.quality.items, 80);
  EXPECT_EQ(learned.report.items, 240);
  EXPECT_EQ(learned.suggester.known_tags.rows(), 240);
}

/// By rolling origin: where what is tagged keeps changing the intervals reach further, to both
/// sides.
TEST_F(LearnSuggester, IntervalsReachAsFarAsWhatIsTaggedHasMoved) {
  data_ = planted_tags(1200, kTopics);
  const auto learned = [&](bool moving) {
    std::vector<std::string> times;
    Sparse tags;
    tags.columns = data_.tags.columns;
    for (std::int64_t item = 0; item < 1200; ++item) {
      times.push_back(std::to_string(10'000 + item));
      // In every second fifth most items have the tags of others.
      const bool strange = moving && item / 240 % 2 == 1 && item % 4 != 0;
      for (const std::int32_t tag :
           data_.tags.view().row_indices(strange ? (item * 7 + 5) % 1200 : item))
        tags.push(tag, 1);
      tags.end_row();
    }
    return learn({data_.words, {}, tags.view(), times}).report.quality;
  };
  const SuggesterQuality still = learned(false);
  const SuggesterQuality moving = learned(true);
  EXPECT_EQ(still.precision_in_time.size(), 6U);
  EXPECT_EQ(moving.precision_in_time.size(), 6U);
  const auto width = [](const SuggesterQuality& quality) {
    return quality.precision_at_1_interval.high - quality.precision_at_1_interval.low;
  };
  EXPECT_LT(width(still), 0.2);
  EXPECT_GT(width(moving), 0.5);
}

TEST_F(LearnSuggester, TheNewestItemsTellHowGoodItIs) {
  // In the newest fifth the words no longer tell the tags.
  data_ = planted_tags(600, kTopics);
  std::vector<std::string> times;
  Sparse tags;
  tags.columns = data_.tags.columns;
  for (std::int64_t item = 0; item < 600; ++item) {
    // The last rows are not the newest.
    const std::int64_t age = (item + 300) % 600;
    times.push_back(std::to_string(10'000 - age));
    const std::int64_t like = age < 120 ? (item * 7 + item / 4) % 600 : item;
    for (const std::int32_t tag : data_.tags.view().row_indices(like)) tags.push(tag, 1);
    tags.end_row();
  }
  const SuggesterQuality drawn = learn({data_.words, {}, tags.view()}).report.quality;
  EXPECT_FALSE(drawn.newest);
  EXPECT_GT(drawn.precision_at_1, 0.6);
  const LearnedSuggester learned = learn({data_.words, {}, tags.view(), times});
  const SuggesterQuality& newest = learned.report.quality;
  EXPECT_TRUE(newest.newest);
  EXPECT_EQ(newest.items, 120);
  EXPECT_LT(newest.precision_at_1, 0.45);
  EXPECT_GT(newest.older_precision_at_1, 0.9);
  EXPECT_EQ(nlohmann::json::parse(to_json(learned.report))["held_out"]["newest"], true);
  const Matrix scores = scores_of(learned.suggester, asked_.words);
  double sure = 0;
  for (Eigen::Index item = 0; item < 80; ++item)
    sure += confidence_of(learned.suggester, scores.row(item).maxCoeff()) / 80;
  EXPECT_LT(sure, 0.55) << "modest about what comes next";
  EXPECT_GT(test::share_right(scores, asked_), 0.9) << "all is learned from, none the less";

  // Times that do not part them are none.
  EXPECT_FALSE(learn({data_.words, {}, tags.view(), std::vector<std::string>(600, "2020")})
                   .report.quality.newest);
  times.pop_back();
  EXPECT_NE(test::message_of([&] {
              learn({data_.words, {}, tags.view(), times});
            }).find("do not fit"),
            std::string::npos);
}

TEST_F(LearnSuggester, ItemsOfRareTagsAloneAreReportedAsFailures) {
  const SuggesterQuality without = learn().report.quality;
  EXPECT_EQ(without.strange, 0);
  const PlantedTags other = planted_tags(240, kTopics, 5);
  const LearnedSuggester learned =
      learn({data_.words, {}, data_.tags.view(), {}, other.words, {}, 2});
  const SuggesterQuality& with = learned.report.quality;
  EXPECT_NEAR(static_cast<double>(with.strange), 48, 20);
  EXPECT_EQ(with.items, without.items + with.strange);
  EXPECT_NEAR(with.precision_at_1, 0.5, 0.15);
  EXPECT_EQ(learned.suggester.known_tags.rows(), 240) << "nothing is learned from them";
}

TEST_F(LearnSuggester, ATagThatWouldNotHaveBeenKnownIsNotFound) {
  // Item i of the last 40 has tag i and no other: whoever had it would have been the first.
  Sparse tags;
  tags.columns = 8 + 40;
  for (std::int64_t item = 0; item < 240; ++item) {
    if (item < 200)
      for (const std::int32_t tag : data_.tags.view().row_indices(item)) tags.push(tag, 1);
    else
      tags.push(static_cast<std::int32_t>(item - 192), 1);
    tags.end_row();
  }
  const SuggesterQuality quality =
      learn({data_.words, {}, tags.view(), {}, SparseView(), {}, 1}).report.quality;
  EXPECT_GT(quality.strange, 0);
  EXPECT_LT(quality.precision_at_1,
            1 - static_cast<double>(quality.strange) / static_cast<double>(quality.items) + 1e-9);
}

TEST_F(LearnSuggester, WhatIsReportedOnIsNotWhatWasChosenOn) {
  // No word tells these tags: a choice among many settings finds luck, and the report must not.
  double reported = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto order = test::random_order(240, seed);
    const Sparse tags = test::rows_in_order(data_.tags.view(), order);
    options_.seed = seed;
    const SuggesterReport report = learn({data_.words, {}, tags.view()}).report;
    reported += report.quality.precision_at_1 / 6;
    EXPECT_LT(report.quality.shown.confidence, 0.5);
  }
  EXPECT_LT(reported, 0.3) << "one of four topics";
}

TEST_F(LearnSuggester, LearnsFromFewItems) {
  for (const std::string method : {"combined", "tags", "category", "knn"}) {
    options_.method = method;
    data_ = planted_tags(16, kTopics);
    const LearnedSuggester learned = learn();
    EXPECT_EQ(learned.report.quality.items, 0);
    EXPECT_TRUE(learned.report.tried.empty());
    EXPECT_EQ(learned.report.prototypes, 16);
    EXPECT_GT(test::share_right(scores_of(learned.suggester, asked_.words), asked_), 0.7) << method;
    // The scores are about probabilities, and taken for them.
    EXPECT_NEAR(confidence_of(learned.suggester, 0.3F), 0.3, 1e-6);
  }
  data_ = planted_tags(1, 1);
  options_.method = "combined";
  EXPECT_EQ(learn().suggester.tags(), 2) << "even one item";
}

TEST_F(LearnSuggester, LearnsASingleTag) {
  // Topic 0 has the tag, the others have none.
  Sparse tags;
  tags.columns = 1;
  for (std::int64_t item = 0; item < 240; ++item) {
    if (item % kTopics == 0) tags.push(0, 1);
    tags.end_row();
  }
  const auto expect_right = [&](const LearnedSuggester& learned) {
    EXPECT_EQ(learned.suggester.mixture.category, 0) << "there are no two categories";
    const Matrix scores = scores_of(learned.suggester, asked_.words);
    int right = 0;
    for (Eigen::Index item = 0; item < 80; ++item)
      right += (scores(item, 0) > 0.5F) == (item % kTopics == 0) ? 1 : 0;
    EXPECT_GT(right, 76);
  };
  expect_right(learn({data_.words, {}, tags.view()}));
  options_.method = "category";
  EXPECT_NE(test::message_of([&] {
              learn({data_.words, {}, tags.view()});
            }).find("needs items of two tags or more"),
            std::string::npos);
}

TEST_F(LearnSuggester, LearnsFromRejectionsAlone) {
  for (float& value : data_.tags.values) value = -1;
  for (const std::string method : {"combined", "tags", "knn"}) {
    options_.method = method;
    const Matrix scores = scores_of(learn().suggester, asked_.words);
    EXPECT_LT(scores.maxCoeff(), 0.2F) << method << ": nothing is suggested";
  }
}

TEST_F(LearnSuggester, BadOptionsAreNamed) {
  const auto refused = [&](const std::string& part, auto spoil) {
    options_ = {};
    spoil(options_);
    const std::string message = refusal();
    EXPECT_NE(message.find(part), std::string::npos) << part << ": " << message;
  };
  refused("the method 'magic' is not known; give one of combined, tags, category, knn",
          [](auto& options) { options.method = "magic"; });
  refused("the weighting 'x' is not known; give one of auto, plain, rare, telling",
          [](auto& options) { options.weighting = "x"; });
  refused("kernel", [](auto& options) { options.kernel = "x"; });
  refused("prototypes is 'x'", [](auto& options) { options.prototypes = "x"; });
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {-1.0, nan, infinity}) {
    refused("length_scale is ", [&](auto& options) { options.length_scale = bad; });
    refused("noise is ", [&](auto& options) { options.noise_variance = bad; });
  }
  refused("neighbours is 0", [](auto& options) { options.neighbours = 0; });
  refused("categories is 1", [](auto& options) { options.categories = 1; });
  for (const double bad : {0.0, 1.0, -0.5, nan})
    refused("held_out is ", [&](auto& options) { options.held_out = bad; });
  refused("choose_on is 99", [](auto& options) { options.choose_on = 99; });
}

TEST_F(LearnSuggester, BadInputIsRefused) {
  const Sparse fewer = test::rows_between(data_.tags.view(), {0, 239});
  EXPECT_EQ(test::message_of([&] {
              learn({data_.words, {}, fewer.view()});
            }),
            "tags of 239 items do not fit 240 rows of features");
  Sparse untold = data_.words;
  untold.values[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(learn({untold, {}, data_.tags.view()}), Error);
  data_ = planted_tags(0, kTopics);
  EXPECT_NE(refusal().find("there are no tagged items to learn from"), std::string::npos);
  data_ = planted_tags(30, kTopics);
  Sparse no_tags;
  for (int item = 0; item < 30; ++item) no_tags.end_row();
  EXPECT_NE(test::message_of([&] {
              learn({data_.words, {}, no_tags.view()});
            }).find("tag some"),
            std::string::npos);
}

TEST_F(LearnSuggester, StopsOnRequest) {
  int calls = 0;
  const Progress stop = [&](const ProgressStep&) {
    if (++calls == 3) throw Cancelled();
  };
  EXPECT_THROW(learn_suggester({data_.words, {}, data_.tags.view()}, options_,
                               {.jobs = 1, .progress = stop}),
               Cancelled);
}

TEST_F(LearnSuggester, ReportIsJson) {
  const LearnedSuggester learned = learn();
  const auto json = nlohmann::json::parse(to_json(learned.report));
  EXPECT_EQ(json["items"], 240);
  EXPECT_EQ(json["tags"], 8);
  EXPECT_EQ(json["prototypes"], learned.report.prototypes);
  EXPECT_EQ(json["weighting"], learned.report.weighting);
  EXPECT_EQ(json["mixture"]["tags"], learned.suggester.mixture.tags);
  EXPECT_EQ(json["threshold"], learned.suggester.threshold);
  EXPECT_EQ(json["tried"].size(), learned.report.tried.size());
  EXPECT_GT(json["tried"].size(), 10u);
  EXPECT_EQ(json["held_out"]["precision@1"], learned.report.quality.precision_at_1);
  EXPECT_EQ(json["held_out"]["items"], learned.report.quality.items);
  EXPECT_FALSE(json["held_out"]["reliability"].empty());
  EXPECT_GT(json["seconds"], 0);
}

TEST(PrototypeCount, IsANumberAShareOrAuto) {
  EXPECT_EQ(prototype_count("auto", 1000), 0);
  EXPECT_EQ(prototype_count("200", 1000), 200);
  EXPECT_EQ(prototype_count("2000", 1000), 1000);
  EXPECT_EQ(prototype_count("1e30", 1000), 1000);
  EXPECT_EQ(prototype_count("5%", 1000), 50);
  EXPECT_EQ(prototype_count("0.25%", 1000), 3);
  EXPECT_EQ(prototype_count("100%", 1000), 1000);
  EXPECT_EQ(prototype_count("0.001%", 1000), 1) << "at least one";
  for (const std::string bad : {"x", "", "%", "0", "0%", "-3", "-5%", "101%", "5 %", "5%%", "12x",
                                "2.5", "0.5", "nan", "inf", "nan%", "Auto"}) {
    const std::string message = test::message_of([&] { prototype_count(bad, 1000); });
    EXPECT_EQ(message,
              "prototypes is '" + bad + "'; expected a number, a share such as 5%, or auto");
  }
}

}  // namespace learn_suggester_test
}  // namespace commonplace

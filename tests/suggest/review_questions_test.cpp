#include "commonplace/suggest/core/review_questions.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "commonplace/base/rng.h"
#include "commonplace/eval/calibration.h"

namespace commonplace {
namespace review_questions_test {

using namespace suggest;

TEST(ReviewQuestions, UsefulOnesAreUncertainAndOfAllTagsInTurn) {
  std::vector<ReviewQuestion> questions;
  for (std::int64_t i = 0; i < 30; ++i) questions.push_back({i, 0, 0.5, false});
  for (std::int64_t i = 0; i < 5; ++i) questions.push_back({100 + i, 1 + i, 0.3, false});
  questions.push_back({200, 9, 0.98, false});
  const std::vector<std::size_t> order = useful_order(questions);
  ASSERT_EQ(order.size(), questions.size());
  EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), order.size());
  EXPECT_EQ(order[0], 0u) << "of equals the first";
  std::set<std::int64_t> tags;
  for (std::size_t i = 0; i < 6; ++i) tags.insert(questions[order[i]].tag);
  EXPECT_EQ(tags.size(), 6u) << "no tag twice before all were asked about";
  const auto sure = std::find(order.begin(), order.end(), 35u);
  EXPECT_GT(sure - order.begin(), 15) << "what is nearly sure teaches little";
  EXPECT_TRUE(useful_order({}).empty());
}

TEST(ReviewQuestions, OneItemIsNotAskedAboutAgainAndAgain) {
  const std::vector<ReviewQuestion> questions = {
      {0, 0, 0.5, false}, {0, 1, 0.5, false}, {1, 2, 0.4, false}};
  EXPECT_EQ(useful_order(questions), (std::vector<std::size_t>{0, 2, 1}));
}

TEST(AnswerCalibration, SilenceCountsAndIsCorrectedByAnswers) {
  AnswerCalibration chance;
  EXPECT_NEAR(chance(0.8, false), 0.8, 1e-6);
  EXPECT_LT(chance(0.8, true), 0.6);
  EXPECT_LE(chance(1, false), 0.99);
  EXPECT_GE(chance(0, true), 0.01);
  const double before = chance(0.9, true);
  chance.note(0.9, true, false);
  EXPECT_LT(chance(0.9, true), before) << "one answer corrects at once";
  EXPECT_NEAR(chance(0.8, false), 0.8, 0.05) << "and says little of others";
}

TEST(AnswerCalibration, BecomesHonestWhateverTheTruth) {
  for (const double real : {0.1, 0.9}) {
    AnswerCalibration chance;
    Rng rng(3);
    std::vector<double> shown;
    std::vector<std::uint8_t> right;
    for (int i = 0; i < 600; ++i) {
      const double claimed = 0.3 + 0.6 * rng.uniform();
      const bool yes = rng.uniform() < real;
      if (i >= 100) {
        shown.push_back(chance(claimed, true));
        right.push_back(yes ? 1 : 0);
      }
      chance.note(claimed, true, yes);
    }
    EXPECT_LT(expected_calibration_error(shown, right), 0.06) << real;
    for (double share = 0.05; share < 0.9; share += 0.05)
      EXPECT_LE(chance(share, true), chance(share + 0.05, true));
  }
}

TEST(AnswerCalibration, ManyNotedAtOnceAreAsOneAfterTheOther) {
  AnswerCalibration one;
  AnswerCalibration many;
  for (int i = 0; i < 20; ++i) {
    one.note(0.1 + 0.04 * i, i % 3 == 0, i % 2 == 0);
    many.note(0.1 + 0.04 * i, i % 3 == 0, i % 2 == 0, i < 19);
  }
  EXPECT_NEAR(one(0.5, true), many(0.5, true), 1e-6);
}

}  // namespace review_questions_test
}  // namespace commonplace

#include "commonplace/transfer/core/view_agreement.h"

#include <cmath>
#include <mutex>

#include <gtest/gtest.h>

#include "commonplace/base/rng.h"
#include "commonplace/comm/comm.h"

namespace commonplace {
namespace view_agreement_test {

constexpr std::int64_t kItems = 6000;

struct Views {
  MatrixD first;
  MatrixD second;
  MatrixD answer;
  double right = 0;  ///< share of the answer
};

/// Two views that are right at the given rates and say so with 70 %, and an answer that is right at
/// another; all err by themselves, unless the answer repeats what the first view says.
Views views(std::int64_t classes, double first, double second, double answer, double repeats = 0) {
  Views result;
  for (MatrixD* each : {&result.first, &result.second, &result.answer})
    *each = MatrixD::Constant(kItems, classes, 0.3 / static_cast<double>(classes - 1));
  for (Eigen::Index item = 0; item < kItems; ++item) {
    Rng rng(3, static_cast<std::uint64_t>(item));
    const auto truth = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(classes)));
    const auto said = [&](double rate) {
      if (rng.uniform() < rate) return truth;
      const auto other =
          static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(classes - 1)));
      return other < truth ? other : other + 1;
    };
    const std::int64_t by_first = said(first);
    const std::int64_t by_second = said(second);
    const std::int64_t by_answer = rng.uniform() < repeats ? by_first : said(answer);
    result.first(item, by_first) = 0.7;
    result.second(item, by_second) = 0.7;
    result.answer(item, by_answer) = 0.7;
    result.right += by_answer == truth ? 1.0 / kItems : 0;
  }
  return result;
}

TEST(ViewAgreement, TellsTheAccuracyWithoutLabels) {
  SelfComm comm;
  for (const std::int64_t classes : {2, 5})
    for (const double accuracy : {0.55, 0.8, 0.97}) {
      const Views seen = views(classes, 0.75, 0.65, accuracy);
      const SupportedAccuracy found =
          accuracy_by_agreement(seen.first, seen.second, seen.answer, comm);
      EXPECT_LT(found.error, 0.08) << classes << " " << accuracy;
      EXPECT_NEAR(found.accuracy, seen.right, 3 * found.error) << classes << " " << accuracy;
    }
}

TEST(ViewAgreement, AnAnswerThatHasNothingToDoWithTheViewsIsNoBetterThanChance) {
  SelfComm comm;
  const Views seen = views(4, 0.8, 0.8, 0.25);
  EXPECT_NEAR(accuracy_by_agreement(seen.first, seen.second, seen.answer, comm).accuracy, 0.25,
              0.06);
}

TEST(ViewAgreement, ViewsThatKnowNothingTellNothing) {
  SelfComm comm;
  const Views seen = views(2, 0.5, 0.5, 0.9);
  EXPECT_GT(accuracy_by_agreement(seen.first, seen.second, seen.answer, comm).error, 0.3);
  const MatrixD none(0, 2);
  EXPECT_EQ(accuracy_by_agreement(none, none, none, comm).error, 1);
}

TEST(ViewAgreement, RanksAgree) {
  SelfComm self;
  const Views seen = views(3, 0.75, 0.65, 0.9);
  const SupportedAccuracy one = accuracy_by_agreement(seen.first, seen.second, seen.answer, self);
  std::mutex lock;
  run_as_threads(2, [&](Comm& comm) {
    const auto part = [&](const MatrixD& whole) -> MatrixD {
      return comm.rank() == 0 ? whole.topRows(2000) : whole.bottomRows(kItems - 2000);
    };
    const SupportedAccuracy found =
        accuracy_by_agreement(part(seen.first), part(seen.second), part(seen.answer), comm);
    const std::lock_guard guard(lock);
    EXPECT_NEAR(found.accuracy, one.accuracy, 1e-9);
    EXPECT_NEAR(found.error, one.error, 1e-6);
  });
}

}  // namespace view_agreement_test
}  // namespace commonplace

#include "commonplace/transfer/core/naive_bayes.h"

#include <cmath>
#include <mutex>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/planted_chain.h"

namespace commonplace {
namespace naive_bayes_test {

using namespace transfer;

/// Counted by hand: two classes, three words of which the last says nothing.
TEST(NaiveBayes, WordsAreSmoothedShares) {
  const Sparse items{3, {0, 2, 3}, {0, 2, 1}, {2, 5, 4}};
  MatrixD classes(2, 2);
  classes << 1, 0, 0.25, 0.75;
  NaiveBayesOptions options;
  options.words = 6;  // the used words are (2 + 4) / 2 on average: they are doubled
  options.smoothing = 0.5;
  const NaiveBayes words = fit_naive_bayes(items.view(), classes, {1, 1, 0}, options, {});
  EXPECT_NEAR(words.log_probability(0, 0), std::log(4.5 / 7), 1e-12);
  EXPECT_NEAR(words.log_probability(1, 0), std::log(2.5 / 7), 1e-12);
  EXPECT_NEAR(words.log_probability(0, 1), std::log(0.5 / 7), 1e-12);
  EXPECT_NEAR(words.log_probability(1, 1), std::log(6.5 / 7), 1e-12);
  EXPECT_EQ(words.log_probability.row(2).norm(), 0);
  const MatrixD evidence = class_evidence(words, items.view(), options, {});
  EXPECT_NEAR(evidence(0, 0), 4 * std::log(4.5 / 7), 1e-12);
  EXPECT_NEAR(evidence(1, 1), 8 * std::log(6.5 / 7), 1e-12);
}

TEST(NaiveBayes, ProbabilitiesAreBalanced) {
  MatrixD evidence(4, 3);
  evidence << 900, 3, 1, 901, 3, 1.5, 902, 1, 4, 903, 2, 2;
  SelfComm comm;
  const MatrixD plain = class_probabilities(evidence, 0.5);
  EXPECT_NEAR(plain.col(0).mean(), 1, 1e-12);
  const MatrixD balanced = balanced_probabilities(evidence, 0.5, comm);
  for (Eigen::Index k = 0; k < 3; ++k) EXPECT_NEAR(balanced.col(k).mean(), 1.0 / 3, 1e-3);
  for (Eigen::Index row = 0; row < 4; ++row) EXPECT_NEAR(balanced.row(row).sum(), 1, 1e-12);
}

TEST(NaiveBayes, RefinesAPoorStartAndKeepsWhatIsGiven) {
  const test::PlantedChain planted{.collections = 1, .classes = 3, .items = 300, .noise = 0.4};
  const Sparse rows = planted.rows(0);
  const std::vector<std::int32_t> labels = planted.labels();
  // Right for half of the items, at random for the others.
  MatrixD start = MatrixD::Constant(300, 3, 0.05);
  for (Eigen::Index item = 0; item < 300; ++item)
    start(item, item % 2 == 0 ? labels[static_cast<std::size_t>(item)]
                              : static_cast<Eigen::Index>(
                                    random_bits(3, static_cast<std::uint64_t>(item), 0) % 3)) = 0.9;
  std::vector<std::uint8_t> given(300, 0);
  given[7] = 1;
  start.row(7) << 0, 1, 0;
  ASSERT_LT(test::share_right(start, labels), 0.75);
  const RefinedClasses refined = refine_classes(rows.view(), start, given, {}, {});
  EXPECT_GT(test::share_right(refined.classes, labels), 0.9);
  EXPECT_EQ(refined.classes.row(7), start.row(7));
  EXPECT_EQ(refined.evidence.rows(), 300);
}

TEST(NaiveBayes, RanksAgree) {
  const test::PlantedChain planted{.collections = 1, .classes = 3, .items = 101};
  const MatrixD known = class_indicators(planted.labels(), 3);
  const MatrixD start = (known.array() + 0.7).matrix() / 3.1;
  SelfComm self;
  const Sparse rows = planted.rows(0);
  const RefinedClasses one = refine_classes(rows.view(), start, {}, {}, {self});
  const double inverse_temperature = fit_temperature(rows.view(), planted.labels(), 3,
                                                     features_in_use(rows.view(), self), {}, {self})
                                         .inverse_temperature;
  for (const int ranks : {2, 3}) {
    std::mutex lock;
    run_as_threads(ranks, [&](Comm& comm) {
      const RowRange range = rows_of_rank(101, comm.rank(), comm.size());
      const std::int64_t count = range.end - range.begin;
      const Sparse part = planted.rows(0, range.begin, range.end);
      const RefinedClasses refined =
          refine_classes(part.view(), start.middleRows(range.begin, count), {}, {}, {comm});
      const double found = fit_temperature(part.view(), planted.labels(range.begin, range.end), 3,
                                           features_in_use(part.view(), comm), {}, {comm})
                               .inverse_temperature;
      const std::lock_guard guard(lock);
      EXPECT_LT(
          (refined.classes - one.classes.middleRows(range.begin, count)).cwiseAbs().maxCoeff(),
          1e-10);
      EXPECT_EQ(found, inverse_temperature);
    });
  }
}

/// Words that come four at a time are counted four times; held-out items show it.
TEST(NaiveBayes, HonestProbabilitiesAreLessSureWhereWordsComeTogether) {
  const test::PlantedChain planted{
      .collections = 1, .classes = 2, .items = 400, .noise = 0.8, .length = 6};
  const Sparse once = planted.rows(0);
  SelfComm comm;
  NaiveBayesOptions options;
  options.words = 6;
  const std::vector<std::uint8_t> used = features_in_use(once.view(), comm);
  const TemperatureScaling honest =
      fit_temperature(once.view(), planted.labels(), 2, used, options, {comm});
  EXPECT_EQ(honest.items, 400);
  EXPECT_GT(honest.likelihood, std::log(0.5)) << "better than a coin";
  options.words = 24;
  const TemperatureScaling repeated =
      fit_temperature(once.view(), planted.labels(), 2, used, options, {comm});
  EXPECT_LT(repeated.inverse_temperature, honest.inverse_temperature / 2);
  const std::vector<std::int32_t> none(400, -1);
  EXPECT_EQ(fit_temperature(once.view(), none, 2, used, options, {comm}).inverse_temperature, 1);
}

TEST(NaiveBayes, RefusesWhatDoesNotFit) {
  const Sparse items{2, {0, 1}, {0}, {1}};
  EXPECT_THROW(fit_naive_bayes(items.view(), MatrixD::Ones(2, 2), {1, 1}, {}, {}), Error);
  EXPECT_THROW(fit_naive_bayes(items.view(), MatrixD::Ones(1, 2), {1}, {}, {}), Error);
  NaiveBayesOptions options;
  options.words = 0;
  EXPECT_THROW(refine_classes(items.view(), MatrixD::Ones(1, 2), {}, options, {}), Error);
}

}  // namespace naive_bayes_test
}  // namespace commonplace

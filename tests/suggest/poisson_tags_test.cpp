#include "commonplace/suggest/rivals/poisson_tags.h"

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/planted_tags.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace poisson_tags_test {

using namespace suggest;

using test::message_of;
using test::planted_tags;
using test::sparse_of;
using test::to_dense;

PoissonTagOptions for_test(std::int64_t topics) {
  PoissonTagOptions options;
  options.topics = topics;
  options.regions = 2;
  options.groups = 6;
  return options;
}

TEST(PoissonTags, FindPlantedTags) {
  const auto learned = planted_tags(240, 4, 1);
  const auto asked = planted_tags(80, 4, 2);
  const PoissonTags model =
      fit_poisson_tags(learned.words.view(), learned.tags.view(), for_test(4));
  const Matrix scores = score(model, asked.words.view());
  EXPECT_GT(test::share_right(scores, asked), 0.9);
  double mean = 0;
  for (Eigen::Index item = 0; item < 80; item += 4) mean += scores(item, 1) / 20.0;
  EXPECT_NEAR(mean, 0.5, 0.15) << "the second tag of a topic is of half of its items";
}

TEST(PoissonTags, TheirPosteriorNeverFalls) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto data = planted_tags(150, 3, seed);
    PoissonTagOptions options = for_test(2);
    options.regions = 4;
    const PoissonTags model = fit_poisson_tags(data.words.view(), data.tags.view(), options);
    ASSERT_EQ(model.log_posterior.size(), 20u);
    for (std::size_t i = 1; i < model.log_posterior.size(); ++i)
      EXPECT_GE(model.log_posterior[i],
                model.log_posterior[i - 1] - 1e-9 * std::abs(model.log_posterior[i - 1]))
          << i;
    EXPECT_GT(model.log_posterior.back(), model.log_posterior.front() + 1);
  }
}

/// One topic, one region and a group for every word: the rates are the smoothed means.
TEST(PoissonTags, RatesOfAWordAloneAreItsMeanCount) {
  const Sparse words = sparse_of(3, {{{0, 2}, {1, 1}}, {{0, 4}}, {{0, 3}, {2, 20}}, {{1, 1}}});
  const Sparse tags = sparse_of(2, {{{0, 1}}, {{0, 1}}, {}, {{1, 1}}});
  PoissonTagOptions options = for_test(1);
  options.regions = 1;
  options.groups = 3;
  const PoissonTags model = fit_poisson_tags(words.view(), tags.view(), options);
  ASSERT_EQ(model.log_rate.cols(), 1);
  // The prior is an item of the mean, so the mean does not change.
  EXPECT_NEAR(std::exp(model.log_rate(0, 0)), 9.0 / 4, 1e-5);
  EXPECT_NEAR(std::exp(model.log_rate(1, 0)), 2.0 / 4, 1e-5);
  EXPECT_NEAR(std::exp(model.log_rate(2, 0)), 20.0 / 4, 1e-4);
  EXPECT_NEAR(model.constant[0], -31.0 / 4, 1e-5);
  EXPECT_NEAR(model.tag_share(0, 0), 0.5, 1e-6);
  EXPECT_NEAR(model.tag_share(0, 1), 0.25, 1e-6);
  EXPECT_NEAR(score(model, words.view())(3, 0), 0.5, 1e-6);
}

TEST(PoissonTags, WordsOfAGroupHaveOneRate) {
  const auto data = planted_tags(120, 3);
  PoissonTagOptions options = for_test(3);
  options.groups = 4;
  const PoissonTags model = fit_poisson_tags(data.words.view(), data.tags.view(), options);
  for (Eigen::Index region = 0; region < model.log_rate.cols(); ++region) {
    std::set<float> rates;
    for (Eigen::Index word = 0; word < model.log_rate.rows(); ++word)
      rates.insert(model.log_rate(word, region));
    EXPECT_LE(rates.size(), 4u);
    EXPECT_GE(rates.size(), 2u);
  }
}

/// P(topic | words) by Bayes' rule from the rates, in double.
TEST(PoissonTags, TopicsFollowFromTheRates) {
  const auto data = planted_tags(90, 3);
  const PoissonTags model = fit_poisson_tags(data.words.view(), data.tags.view(), for_test(3));
  const MatrixD counts = to_dense(data.words.view());
  const Matrix found = topic_probabilities(model, data.words.view());
  MatrixD logs = counts * model.log_rate.cast<double>();
  for (Eigen::Index item = 0; item < 90; ++item) {
    VectorD expected = VectorD::Zero(found.cols());
    for (Eigen::Index region = 0; region < logs.cols(); ++region)
      logs(item, region) += static_cast<double>(model.constant[static_cast<std::size_t>(region)]);
    const double greatest = logs.row(item).maxCoeff();
    for (Eigen::Index region = 0; region < logs.cols(); ++region)
      expected(model.topic[static_cast<std::size_t>(region)]) +=
          std::exp(logs(item, region) - greatest);
    expected /= expected.sum();
    EXPECT_LT((found.row(item).transpose().cast<double>() - expected).cwiseAbs().maxCoeff(), 1e-4);
  }
}

TEST(PoissonTags, DoNotDependOnJobs) {
  const auto data = planted_tags(150, 4);
  PoissonTagOptions options = for_test(5);
  const PoissonTags once =
      fit_poisson_tags(data.words.view(), data.tags.view(), options, {.jobs = 1});
  const PoissonTags again =
      fit_poisson_tags(data.words.view(), data.tags.view(), options, {.jobs = 3});
  EXPECT_EQ(once.log_rate, again.log_rate);
  EXPECT_EQ(once.constant, again.constant);
  EXPECT_EQ(once.tag_share, again.tag_share);
  EXPECT_EQ(score(once, data.words.view(), 1), score(again, data.words.view(), 4));
}

TEST(PoissonTags, UnseenWordsAndEmptyItemsAreAnswered) {
  auto data = planted_tags(60, 2);
  data.words.columns += 5;
  const PoissonTags model = fit_poisson_tags(data.words.view(), data.tags.view(), for_test(3));
  const Sparse asked =
      sparse_of(data.words.columns, {{}, {{static_cast<std::int32_t>(data.words.columns) - 1, 7}}});
  const Matrix scores = score(model, asked.view());
  EXPECT_TRUE(scores.allFinite());
  EXPECT_GT(scores.minCoeff(), 0);
}

TEST(PoissonTags, BadInputIsRefused) {
  const auto data = planted_tags(20, 2);
  struct Case {
    const char* name;
    std::function<void(PoissonTagOptions&)> spoil;
  };
  for (const auto& [name, spoil] :
       std::vector<Case>{{"topics", [](auto& options) { options.topics = 0; }},
                         {"regions", [](auto& options) { options.regions = 0; }},
                         {"regions", [](auto& options) { options.regions = 1'000'000'000; }},
                         {"groups", [](auto& options) { options.groups = 0; }},
                         {"tag_weight", [](auto& options) { options.tag_weight = 1.5; }},
                         {"smoothing", [](auto& options) { options.smoothing = 0; }},
                         {"iterations", [](auto& options) { options.iterations = 0; }}}) {
    PoissonTagOptions options = for_test(2);
    spoil(options);
    const std::string message =
        message_of([&] { fit_poisson_tags(data.words.view(), data.tags.view(), options); });
    EXPECT_TRUE(message.starts_with(std::string(name) + " is ")) << message;
  }
  auto negative = data;
  negative.words.values[3] = -1;
  EXPECT_THROW(fit_poisson_tags(negative.words.view(), data.tags.view(), for_test(2)), Error);
  const PoissonTags model = fit_poisson_tags(data.words.view(), data.tags.view(), for_test(2));
  EXPECT_THROW(score(model, negative.words.view()), Error);
  EXPECT_THROW(score(model, sparse_of(3, {{}}).view()), Error);
}

}  // namespace poisson_tags_test
}  // namespace commonplace

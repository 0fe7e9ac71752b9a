#include "commonplace/search/core/trial.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/math/sparse_ops.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_metrics.h"

namespace commonplace {
namespace trial_test {

using namespace search;

using test::random_counts;
using test::to_dense;
using Scores = std::vector<std::vector<float>>;

constexpr float kOwn = 10;

Sparse tagged_items(std::uint64_t seed = 1) { return random_counts(200, 30, 0.2, seed); }

TEST(HidingTerms, LeavesAPartOfEachItem) {
  const Sparse counts = tagged_items();
  const MatrixD before = to_dense(counts.view());
  for (const double share : {0.2, 0.5, 0.99}) {
    const search::Trial trial = hide_terms(counts.view(), {.share = share});
    const MatrixD after = to_dense(trial.visible.view());
    ASSERT_EQ(after.rows(), before.rows());
    ASSERT_EQ(after.cols(), before.cols());
    EXPECT_TRUE((after.array() == 0 || after.array() == before.array()).all());
    for (Eigen::Index item = 0; item < before.rows(); ++item)
      EXPECT_EQ(after.row(item).maxCoeff() > 0, before.row(item).maxCoeff() > 0) << item;
  }
}

TEST(HidingTerms, HidesAboutTheShare) {
  const Sparse counts = random_counts(300, 60, 0.5, 2);
  for (const double share : {0.1, 0.3, 0.5, 0.8}) {
    HidingOptions options;
    options.share = share;
    options.least = 1;
    // Most terms here are of too many items to be asked for, so one rare term is added.
    Sparse with_rare = counts;
    with_rare.columns = 61;
    for (int item = 0; item < 40; ++item) {
      with_rare.push(0, 1);
      with_rare.push(60, 1);
      with_rare.end_row();
    }
    const search::Trial trial = hide_terms(with_rare.view(), options);
    const auto left = static_cast<double>(trial.visible.starts[300]);
    const auto all = static_cast<double>(counts.nonzeros());
    // About 8,700 draws, so a standard error of about half a hundredth.
    EXPECT_NEAR(1 - left / all, share, 0.02);
  }
}

TEST(HidingTerms, RightAreAllThatHadTheTerm) {
  const Sparse counts = tagged_items();
  const MatrixD before = to_dense(counts.view());
  const search::Trial trial = hide_terms(counts.view(), {});
  const MatrixD after = to_dense(trial.visible.view());
  ASSERT_EQ(trial.relevant.size(), trial.asked.size());
  EXPECT_GT(trial.asked.size(), 10u);
  EXPECT_TRUE(std::is_sorted(trial.asked.begin(), trial.asked.end()));
  for (std::size_t i = 0; i < trial.asked.size(); ++i) {
    ASSERT_EQ(trial.relevant[i].size(), 200u);
    for (Eigen::Index item = 0; item < 200; ++item)
      EXPECT_EQ(trial.relevant[i][static_cast<std::size_t>(item)] != 0,
                before(item, trial.asked[i]) > 0);
  }
  // A term is asked for if 5 items or more have it but not most, and some had it hidden.
  for (Eigen::Index term = 0; term < before.cols(); ++term) {
    const auto items = (before.col(term).array() > 0).count();
    const bool hidden = (after.col(term).array() != before.col(term).array()).any();
    const bool asked = std::binary_search(trial.asked.begin(), trial.asked.end(), term);
    EXPECT_EQ(asked, hidden && items >= 5 && 3 * items <= 200) << term << ": " << items;
  }
}

TEST(HidingTerms, AsksForCommonAndRareTerms) {
  // Term t is of t + 1 items, beside a term that all of them have.
  MatrixD items = MatrixD::Zero(200, 61);
  for (Eigen::Index term = 0; term < 60; ++term) items.col(term).head(term + 1).setOnes();
  items.col(60).setOnes();
  HidingOptions options;
  options.least = 5;
  options.most = 6;
  const search::Trial trial = hide_terms(test::to_sparse(items).view(), options);
  ASSERT_EQ(trial.asked.size(), 6u);
  EXPECT_TRUE(std::is_sorted(trial.asked.begin(), trial.asked.end()));
  EXPECT_EQ(trial.asked.back(), 59) << "the commonest";
  EXPECT_LT(trial.asked.front(), 20) << "and one of the rarest";
  for (std::size_t i = 1; i < 6; ++i)
    EXPECT_NEAR(trial.asked[i] - trial.asked[i - 1], 56.0 / 6, 3) << "evenly between";
}

TEST(HidingTerms, DependsOnTheSeed) {
  const Sparse counts = tagged_items();
  const search::Trial once = hide_terms(counts.view(), {.seed = 3});
  const search::Trial again = hide_terms(counts.view(), {.seed = 3});
  EXPECT_EQ(once.visible.indices, again.visible.indices);
  EXPECT_EQ(once.visible.starts, again.visible.starts);
  EXPECT_EQ(once.asked, again.asked);
  EXPECT_NE(once.visible.indices, hide_terms(counts.view(), {.seed = 4}).visible.indices);
}

TEST(HidingTerms, OfAnItemDoesNotDependOnTheOthers) {
  const Sparse counts = tagged_items(1);
  const Sparse others = tagged_items(2);
  Sparse mixed;
  mixed.columns = counts.columns;
  for (std::int64_t item = 0; item < 200; ++item)
    mixed.push_row(item % 5 == 0 ? counts.view() : others.view(), item);
  for (std::int64_t item = 0; item < 50; ++item) mixed.push_row(others.view(), item);
  const MatrixD before = to_dense(hide_terms(counts.view(), {}).visible.view());
  const MatrixD after = to_dense(hide_terms(mixed.view(), {}).visible.view());
  for (Eigen::Index item = 0; item < 200; item += 5) EXPECT_EQ(after.row(item), before.row(item));
}

TEST(HidingTerms, WithTooFewTagsNothingIsAsked) {
  const Sparse single = test::to_sparse(MatrixD::Identity(4, 4).replicate(10, 1));
  const search::Trial kept = hide_terms(single.view(), {});
  EXPECT_TRUE(kept.asked.empty());
  EXPECT_TRUE(kept.relevant.empty());
  EXPECT_EQ(kept.visible.indices, single.indices) << "items of one tag keep it";
  Sparse none;
  none.columns = 4;
  EXPECT_TRUE(hide_terms(none.view(), {}).asked.empty());
  EXPECT_TRUE(hide_terms(tagged_items().view(), {.least = 201}).asked.empty());
}

TEST(HidingTerms, BadOptionsAreRefused) {
  const Sparse counts = tagged_items();
  for (const double share : {0.0, 1.0, -0.5, 2.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(hide_terms(counts.view(), {.share = share}), Error) << share;
  EXPECT_THROW(hide_terms(counts.view(), {.least = 0}), Error);
  EXPECT_THROW(hide_terms(counts.view(), {.most = 0}), Error);
}

TEST(SampleOfRows, IsASubsetInOrder) {
  // Row r has the one entry r, which tells it again.
  Sparse rows;
  rows.columns = 1;
  for (int row = 0; row < 1000; ++row) {
    rows.push(0, static_cast<float>(row));
    rows.end_row();
  }
  const std::vector<float> sample = sample_rows(rows, 100, 1).values;
  ASSERT_EQ(sample.size(), 100u);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  EXPECT_EQ(std::adjacent_find(sample.begin(), sample.end()), sample.end()) << "none twice";
  EXPECT_NEAR(std::accumulate(sample.begin(), sample.end(), 0.0) / 100, 500, 100)
      << "from all over, 3.5 standard errors";
  EXPECT_EQ(sample_rows(rows, 100, 1).values, sample);
  EXPECT_NE(sample_rows(rows, 100, 2).values, sample);
  const std::vector<float> fewer = sample_rows(rows, 50, 1).values;
  EXPECT_TRUE(std::includes(sample.begin(), sample.end(), fewer.begin(), fewer.end()));
  for (const std::int64_t most : {1000, 5000})
    EXPECT_EQ(sample_rows(rows, most, 1).values, rows.values);
  EXPECT_EQ(sample_rows(rows, 0, 1).rows(), 0);
}

/// Whole numbers 0 .. 9, so that many scores tie.
Scores random_scores(const search::Trial& trial, std::uint64_t seed) {
  Rng rng(seed);
  Scores scores(trial.asked.size(),
                std::vector<float>(static_cast<std::size_t>(trial.visible.rows())));
  for (auto& row : scores)
    for (float& score : row) score = static_cast<float>(rng.below(10));
  return scores;
}

/// Of the items in `kept`, best first, ties in their order.
naive::Flags naive_hits(const std::vector<float>& scores, const std::vector<std::uint8_t>& relevant,
                        std::vector<std::size_t> kept) {
  std::stable_sort(kept.begin(), kept.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  naive::Flags hits;
  for (const std::size_t item : kept) hits.push_back(relevant[item]);
  return hits;
}

std::size_t count_hits(const naive::Flags& hits) {
  return static_cast<std::size_t>(std::count(hits.begin(), hits.end(), 1));
}

TEST(Judging, AgreesWithTheDefinitions) {
  const search::Trial trial = hide_terms(tagged_items().view(), {});
  const MatrixD visible = to_dense(trial.visible.view());
  const Scores scores = random_scores(trial, 5);
  const search::Quality quality = judge(trial, scores, 1);
  for (std::size_t i = 0; i < trial.asked.size(); ++i) {
    std::vector<std::size_t> all;
    std::vector<std::size_t> not_showing;
    for (std::size_t item = 0; item < 200; ++item) {
      all.push_back(item);
      if (visible(static_cast<Eigen::Index>(item), trial.asked[i]) == 0)
        not_showing.push_back(item);
    }
    const naive::Flags hits = naive_hits(scores[i], trial.relevant[i], all);
    const std::size_t relevant = count_hits(hits);
    EXPECT_NEAR(quality.average_precision[i], naive::average_precision(hits, relevant), 1e-12);
    EXPECT_NEAR(quality.precision_at_recall[i], naive::precision_at_recall(hits, relevant, 0.1),
                1e-12);
    EXPECT_NEAR(quality.precision_at[i], naive::precision_at(hits, 10), 1e-12);
    const auto curve = naive::interpolated_precision(hits, relevant);
    for (std::size_t point = 0; point < 11; ++point)
      EXPECT_NEAR(quality.curve[i][point], curve[point], 1e-12);
    const naive::Flags missing = naive_hits(scores[i], trial.relevant[i], not_showing);
    ASSERT_LT(missing.size(), hits.size());
    EXPECT_NEAR(quality.missing_average_precision[i],
                naive::average_precision(missing, count_hits(missing)), 1e-12);
  }
  EXPECT_NEAR(quality.map(), mean(quality.average_precision), 1e-12);
}

TEST(Judging, OfWhatIsMissingLeavesOutItemsThatShowTheTerm) {
  search::Trial trial;
  trial.visible = test::to_sparse((MatrixD(5, 2) << 1, 0, 1, 1, 0, 1, 0, 1, 0, 1).finished());
  trial.asked = {0};
  trial.relevant = {{1, 1, 0, 1, 0}};
  const search::Quality quality = judge(trial, {{9, 8, 3, 2, 1}});
  EXPECT_NEAR(quality.missing_average_precision[0], 1.0 / 2, 1e-12);
  EXPECT_NEAR(quality.average_precision[0], (1 + 1 + 3.0 / 4) / 3, 1e-12);
  // Where items that show the term stand changes only the one.
  const search::Quality other = judge(trial, {{0, 0, 3, 2, 1}});
  EXPECT_NEAR(other.missing_average_precision[0], 1.0 / 2, 1e-12);
  EXPECT_LT(other.average_precision[0], quality.average_precision[0]);
}

TEST(Judging, DoesNotDependOnJobs) {
  const search::Trial trial = hide_terms(tagged_items().view(), {});
  const Scores scores = random_scores(trial, 5);
  const search::Quality once = judge(trial, scores, 1);
  for (const int jobs : {2, 3, 4}) {
    const search::Quality again = judge(trial, scores, jobs);
    EXPECT_EQ(again.average_precision, once.average_precision);
    EXPECT_EQ(again.missing_average_precision, once.missing_average_precision);
    EXPECT_EQ(again.curve, once.curve);
  }
}

TEST(Judging, ScoresThatDoNotFitAreRefused) {
  const search::Trial trial = hide_terms(tagged_items().view(), {});
  Scores scores = random_scores(trial, 5);
  scores[0][4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(judge(trial, scores), Error);
  scores = random_scores(trial, 5);
  scores[1].pop_back();
  EXPECT_THROW(judge(trial, scores), Error);
  scores = random_scores(trial, 5);
  scores.pop_back();
  EXPECT_THROW(judge(trial, scores), Error);
  EXPECT_THROW(judge({}, {}).map(), Error) << "of no asked term there is no mean";
}

/// BorrowedEvidence of all ways for each asked term, made by value(asked, item, way), topics lift
/// ridge votes.
template <class Value>
std::vector<BorrowedEvidence> make_evidence(const search::Trial& trial, Value&& value) {
  std::vector<BorrowedEvidence> evidence(trial.asked.size());
  for (std::size_t i = 0; i < evidence.size(); ++i) {
    std::vector<float>* const ways[] = {&evidence[i].topics, &evidence[i].lift, &evidence[i].ridge,
                                        &evidence[i].votes};
    for (std::size_t way = 0; way < 4; ++way)
      for (std::size_t item = 0; item < trial.relevant[i].size(); ++item)
        ways[way]->push_back(static_cast<float>(value(i, item, way)));
  }
  return evidence;
}

TEST(SearchScores, AreOwnWordsAndWhatIsBorrowed) {
  const search::Trial trial = hide_terms(tagged_items().view(), {});
  const MatrixD visible = to_dense(trial.visible.view());
  const Scores own = own_scores(trial, kOwn);
  const std::vector<BorrowedEvidence> evidence =
      make_evidence(trial, [](std::size_t asked, std::size_t item, std::size_t way) {
        return static_cast<double>((asked + 3 * item + 5 * way) % 7) - 2;
      });
  const BorrowingWeights weights{.topics = 0.5, .lift = 2, .ridge = 3, .votes = 0.25};
  const Scores both = hybrid_scores(trial, evidence, weights, kOwn);
  for (std::size_t i = 0; i < trial.asked.size(); ++i)
    for (std::size_t item = 0; item < 200; ++item) {
      const bool shows = visible(static_cast<Eigen::Index>(item), trial.asked[i]) > 0;
      EXPECT_EQ(own[i][item], shows ? kOwn : 0);
      const BorrowedEvidence& each = evidence[i];
      EXPECT_EQ(both[i][item], own[i][item] + 0.5F * each.topics[item] + 2 * each.lift[item] +
                                   3 * each.ridge[item] + 0.25F * each.votes[item]);
    }
  EXPECT_EQ(hybrid_scores(trial, evidence, {}, kOwn), own);
}

TEST(SearchScores, EvidenceIsThatOfEachAskedTerm) {
  const Sparse counts = tagged_items();
  const search::Trial trial = hide_terms(counts.view(), {});
  Borrowing borrowing;
  borrowing.idf.assign(30, 1.5F);
  borrowing.lenders = root_counts(tagged_items(2).view());
  borrowing.associations = fit_associations(borrowing.lenders.view(), {});
  borrowing.subspace.basis = Matrix::Constant(30, 1, 0.5F);
  borrowing.subspace.blocks = {{{0}, 1}};
  const CodedItems items = code_items(borrowing, trial.visible.view());
  const Sparse by_term = transpose(borrowing.lenders.view());
  for (const int jobs : {1, 3}) {
    const std::vector<BorrowedEvidence> all = find_evidence(trial, borrowing, items, jobs);
    ASSERT_EQ(all.size(), trial.asked.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const WeightedTerm term{trial.asked[i], 1};
      const BorrowedEvidence one = find_evidence(items, ask(borrowing, by_term.view(), {&term, 1}));
      EXPECT_EQ(all[i].topics, one.topics);
      EXPECT_EQ(all[i].lift, one.lift);
      EXPECT_EQ(all[i].ridge, one.ridge);
      EXPECT_EQ(all[i].votes, one.votes);
    }
  }
}

/// A way's evidence is multiplied by this, so that all count alike in the usual mixture.
constexpr double kScale[] = {1 / kUsualWeights.topics, 1 / kUsualWeights.lift,
                             1 / kUsualWeights.ridge, 1 / kUsualWeights.votes};

double noise(std::uint64_t seed, std::size_t asked, std::size_t item, std::size_t way) {
  return random_uniform(seed, 1000 * asked + item, way);
}

double map_with(const search::Trial& trial, const std::vector<BorrowedEvidence>& evidence,
                const BorrowingWeights& weights) {
  return judge(trial, hybrid_scores(trial, evidence, weights, kOwn)).map();
}

class TuningOneWay : public testing::TestWithParam<std::size_t> {};

TEST_P(TuningOneWay, ThatKnowsIsNotDrowned) {
  const std::size_t knowing = GetParam();
  const search::Trial trial = hide_terms(tagged_items().view(), {});
  const auto evidence = [&](double others) {
    return make_evidence(trial, [&, others](std::size_t asked, std::size_t item, std::size_t way) {
      const double said = 2 * noise(1, asked, item, way);
      return kScale[way] * (way == knowing ? said + trial.relevant[asked][item] : others * said);
    });
  };
  const std::vector<BorrowedEvidence> mixed = evidence(3);
  const BorrowingWeights tuned = tune_weights(trial, mixed, kOwn);
  const double words = map_with(trial, mixed, {});
  const double reached = map_with(trial, mixed, tuned);
  const double alone = map_with(trial, evidence(0), kUsualWeights);
  EXPECT_LT(map_with(trial, mixed, kUsualWeights), words + 0.5 * (alone - words))
      << "untuned, the others drown it";
  EXPECT_GT(reached, words + 0.75 * (alone - words));
  const double weights[] = {tuned.topics, tuned.lift, tuned.ridge, tuned.votes};
  for (std::size_t way = 0; way < 4; ++way) {
    if (way != knowing) {
      EXPECT_LE(weights[way] * kScale[way], 0.25 * weights[knowing] * kScale[knowing]) << way;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Ways, TuningOneWay, testing::Values(0, 1, 2, 3));

TEST(TuningWeights, NoiseIsNeverWorseThanOwnWords) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const search::Trial trial = hide_terms(tagged_items(seed).view(), {.seed = seed});
    const std::vector<BorrowedEvidence> evidence =
        make_evidence(trial, [&](std::size_t asked, std::size_t item, std::size_t way) {
          return kScale[way] * 20 * noise(seed, asked, item, way);
        });
    const double words = map_with(trial, evidence, {});
    EXPECT_LT(map_with(trial, evidence, kUsualWeights), words) << "it could be worse";
    EXPECT_GE(map_with(trial, evidence, tune_weights(trial, evidence, kOwn)), words);
  }
}

TEST(TuningWeights, WhatMisleadsCountsNothing) {
  const search::Trial trial = hide_terms(tagged_items().view(), {});
  const std::vector<BorrowedEvidence> misleading =
      make_evidence(trial, [&](std::size_t asked, std::size_t item, std::size_t way) {
        return -kScale[way] * trial.relevant[asked][item];
      });
  EXPECT_EQ(tune_weights(trial, misleading, kOwn), BorrowingWeights{});
  const std::vector<BorrowedEvidence> silent =
      make_evidence(trial, [](std::size_t, std::size_t, std::size_t) { return 0; });
  EXPECT_EQ(tune_weights(trial, silent, kOwn), BorrowingWeights{});
}

TEST(TuningWeights, WaysThatSayTheSameKeepTheUsualMixture) {
  // Nothing is gained by any of them over another.
  const search::Trial trial = hide_terms(tagged_items().view(), {});
  const std::vector<BorrowedEvidence> same =
      make_evidence(trial, [&](std::size_t asked, std::size_t item, std::size_t way) {
        return kScale[way] * (2 * noise(1, asked, item, 0) + trial.relevant[asked][item]);
      });
  for (const int jobs : {1, 2, 3}) EXPECT_EQ(tune_weights(trial, same, kOwn, jobs), kUsualWeights);
}

}  // namespace trial_test
}  // namespace commonplace

#include "commonplace/suggest/core/tag_names.h"

#include <cmath>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/suggest/core/learn_suggester.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace tag_names_test {

using namespace suggest;

constexpr std::int64_t kTags = 6;

/// Items of one tag each, whose own vector lies near the name of the tag, beside words that say
/// nothing. The last tag has no item.
struct Named {
  Sparse rows;
  Sparse tags;
  NamedTags named;
};

Named planted(std::int64_t items, std::uint64_t seed, std::int64_t tagged = kTags - 1) {
  Named data;
  Rng rng(seed, 7);
  const std::int64_t words = 10;
  data.rows.columns = words + kTags;
  data.tags.columns = kTags;
  for (std::int64_t item = 0; item < items; ++item) {
    const auto tag = static_cast<std::int32_t>(item % tagged);
    data.rows.push(static_cast<std::int32_t>(rng.below(words)), 1);
    for (std::int32_t i = 0; i < kTags; ++i)
      data.rows.push(static_cast<std::int32_t>(words) + i,
                     static_cast<float>((i == tag ? 1 : 0) + 0.2 * (rng.uniform() - 0.5)));
    data.rows.end_row();
    data.tags.push(tag, 1);
    data.tags.end_row();
  }
  data.named = {Matrix::Identity(kTags, kTags), words, kTags, false};
  return data;
}

LearnedSuggester learn(const Named& data, const Run& run = {.jobs = 1}) {
  return learn_suggester({.features = data.rows,
                          .blocks = {0, data.named.first},
                          .targets = data.tags.view(),
                          .names = data.named},
                         {}, run);
}

Matrix scores_of(const Suggester& suggester, const Sparse& rows) {
  return score(suggester, prepare(suggester, FeatureRows(rows)).view());
}

/// One item that is what the name says.
Sparse like_name(const Named& data, std::int32_t tag) {
  Sparse row;
  row.columns = data.rows.columns;
  row.push(static_cast<std::int32_t>(data.named.first) + tag, 1);
  row.end_row();
  return row;
}

TEST(TagNames, ATagWithoutExamplesIsToldByItsName) {
  const Named data = planted(300, 1);
  const Suggester suggester = learn(data).suggester;
  const Sparse asked = like_name(data, kTags - 1);
  const Matrix scores = scores_of(suggester, asked);
  Eigen::Index best = 0;
  scores.row(0).maxCoeff(&best);
  EXPECT_EQ(best, kTags - 1);
  EXPECT_GT(confidence(suggester.confidence, static_cast<double>(scores(0, best))), 0.5);
  Named without = data;
  without.named = {};
  EXPECT_EQ(scores_of(learn(without).suggester, asked)(0, kTags - 1), 0);
}

TEST(TagNames, WhatANameIsWorthFadesWithExamples) {
  const Named data = planted(300, 1);
  Suggester suggester = learn(data).suggester;
  for (int examples = 0; examples < 5; ++examples) {
    const auto few = SuggesterLookup(suggester, false).few;
    if (examples < 3) {
      ASSERT_EQ(few.size(), 1U) << examples;
      EXPECT_EQ(few[0].first, kTags - 1);
      EXPECT_FLOAT_EQ(few[0].second, 1.0F / static_cast<float>((1 + examples) * (1 + examples)));
    } else {
      EXPECT_TRUE(few.empty()) << examples;
    }
    suggester.known_tags.indices[static_cast<std::size_t>(examples)] = kTags - 1;
  }
}

TEST(TagNames, AreOnePartOfTheScoreOfCommonTags) {
  const Named data = planted(300, 2);
  Suggester suggester = learn(data).suggester;
  const StoredRows prepared = prepare(suggester, FeatureRows(data.rows));
  const Matrix fits = fit_names(suggester.names, prepared.view());
  suggester.mixture.names = 0;
  const Matrix without = score(suggester, prepared.view());
  suggester.mixture.names = 0.5;
  const Matrix with = score(suggester, prepared.view());
  EXPECT_LT((with - without - 0.5F * fits).leftCols(kTags - 1).cwiseAbs().maxCoeff(), 1e-5F);
}

TEST(TagNames, ArePartOfTheScoreWhereHeldOutItemsAskForThem) {
  // Many tags of few items, whose vectors are blurred; the names are not.
  constexpr std::int32_t tags = 80;
  Named data;
  Rng rng(5, 7);
  data.rows.columns = data.tags.columns = tags;
  for (std::int32_t item = 0; item < 5 * tags; ++item) {
    for (std::int32_t i = 0; i < tags; ++i)
      data.rows.push(i, static_cast<float>((i == item % tags ? 1 : 0) + rng.uniform() - 0.5));
    data.rows.end_row();
    data.tags.push(item % tags, 1);
    data.tags.end_row();
  }
  data.named = {Matrix::Identity(tags, tags), 0, tags, false};
  const LearnedSuggester with = learn(data);
  EXPECT_GT(with.report.mixture.names, 0);
  data.named = {};
  const LearnedSuggester without = learn(data);
  EXPECT_EQ(without.report.mixture.names, 0);
  EXPECT_GT(with.report.quality.precision_at_1, without.report.quality.precision_at_1);
}

TEST(TagNames, VectorsOfAnotherEncoderAreMapped) {
  // The items' vectors are the names' turned round, so that only a map brings them together.
  Named data = planted(300, 3, kTags);
  Matrix turned = Matrix::Zero(kTags, kTags);
  for (Eigen::Index i = 0; i < kTags; ++i) turned(i, kTags - 1 - i) = 1;
  data.named.vectors = turned;
  const auto right = [&](const NamedTags& named) {
    const Suggester prepared = learn(data).suggester;
    const TagNames names = learn_tag_names(named, prepared.known.view(), data.tags.view(), 1);
    const Matrix fits = fit_names(names, prepared.known.view());
    int count = 0;
    for (Eigen::Index row = 0; row < fits.rows(); ++row) {
      Eigen::Index best = 0;
      fits.row(row).maxCoeff(&best);
      count += best == row % kTags ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(right(data.named), 0);
  data.named.mapped = true;
  EXPECT_EQ(right(data.named), 300);
}

TEST(TagNames, NothingIsSaidOfNamesOrItemsWithoutVectors) {
  const Named data = planted(60, 4);
  NamedTags named = data.named;
  named.vectors.row(2).setZero();
  const Suggester suggester = learn(data).suggester;
  const TagNames names =
      learn_tag_names(named, suggester.known.view(), suggester.known_tags.view(), 1);
  Sparse bare;
  bare.columns = data.rows.columns;
  bare.push(0, 1);
  bare.end_row();
  EXPECT_EQ(fit_names(names, prepare(suggester, FeatureRows(bare)).view()).norm(), 0);
  EXPECT_EQ(fit_names(names, suggester.known.view()).col(2).norm(), 0);
}

TEST(TagNames, WorthRisesWithTheFit) {
  const TagNames names = learn(planted(300, 5)).suggester.names;
  double before = -1;
  for (double fit = 0; fit <= 1; fit += 0.05) {
    EXPECT_GE(worth(names, fit), before);
    before = worth(names, fit);
  }
  EXPECT_GT(before, 0);
}

TEST(TagNames, AreStoredWithTheSuggester) {
  Named data = planted(300, 6);
  data.named.mapped = true;
  const Suggester suggester = learn(data).suggester;
  TensorWriter writer;
  add_suggester(writer, suggester);
  const Suggester again = read_suggester(TensorFile(writer.bytes(), "stored"));
  EXPECT_EQ(scores_of(again, data.rows), scores_of(suggester, data.rows));
  Suggester damaged = suggester;
  damaged.names.columns = 1000;
  TensorWriter other;
  add_suggester(other, damaged);
  EXPECT_THROW(read_suggester(TensorFile(other.bytes(), "damaged")), Error);
}

TEST(TagNames, NamesThatDoNotFitAreRefused) {
  Named data = planted(300, 7);
  data.named.vectors.conservativeResize(kTags - 1, kTags);
  EXPECT_THROW(learn(data), Error);
  data = planted(300, 7);
  data.named.first = 12;
  EXPECT_THROW(learn(data), Error);
}

}  // namespace tag_names_test
}  // namespace commonplace

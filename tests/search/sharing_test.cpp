#include "commonplace/search/core/sharing.h"

#include <cmath>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/naive_associations.h"

namespace commonplace {
namespace sharing_test {

using namespace search;

using test::to_sparse;

/// One item that has the terms first .. last-1 of `terms`.
Sparse one_item(std::int64_t terms, std::int64_t first, std::int64_t last) {
  Sparse result;
  result.columns = terms;
  for (std::int64_t term = first; term < last; ++term)
    result.push(static_cast<std::int32_t>(term), 1);
  result.end_row();
  return result;
}

/// Items that each have the terms of one group, in the group's own proportions and a strength of
/// their own, so that the products between two such collections are of rank as many as both have
/// groups. `strengths[g]` 0: no item has group g.
Sparse grouped(std::int64_t items, const std::vector<double>& strengths, std::uint64_t seed) {
  constexpr Eigen::Index width = 4;
  const auto groups = std::ssize(strengths);
  Rng rng(seed);
  MatrixD result = MatrixD::Zero(items, groups * width);
  for (Eigen::Index item = 0; item < items; ++item) {
    const Eigen::Index group = item % groups;
    const double strength = strengths[static_cast<std::size_t>(group)] * (0.5 + rng.uniform());
    for (Eigen::Index term = 0; term < width; ++term)
      result(item, group * width + term) = strength * static_cast<double>(1 + (term + group) % 3);
  }
  return to_sparse(result);
}

TEST(CommonTerms, AreThoseThatBothHave) {
  MatrixD a(2, 5);
  a << 1, 0, 2, 0, 1, 0, 0, 1, 0, 1;
  MatrixD b(3, 5);
  b << 0, 1, 3, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 2;
  EXPECT_EQ(common_terms(to_sparse(a).view(), to_sparse(b).view()), 2);
  EXPECT_EQ(common_terms(to_sparse(b).view(), to_sparse(a).view()), 2);
  EXPECT_EQ(common_terms(to_sparse(a).view(), to_sparse(a).view()), 3);
}

TEST(CommonTerms, OfOtherVocabulariesAreRefused) {
  const Sparse a = one_item(5, 0, 3);
  const Sparse b = one_item(6, 0, 3);
  EXPECT_THROW(common_terms(a.view(), b.view()), Error);
  EXPECT_THROW(sharing_by_rule(a.view(), b.view(), 9), Error);
  EXPECT_THROW(sharing_by_rank(a.view(), b.view(), 9, 1), Error);
}

TEST(SharingByRule, IsTheRootOfHalfTheCommonTerms) {
  struct Case {
    std::int64_t common;
    int topics;
  };
  // sqrt(12 / 2) = 2.449 and sqrt(13 / 2) = 2.550 are rounded apart.
  for (const auto& [common, topics] :
       {Case{0, 0}, {1, 1}, {2, 1}, {4, 1}, {5, 2}, {8, 2}, {12, 2}, {13, 3}, {50, 5}, {200, 10}}) {
    const Sparse a = one_item(600, 0, 300);
    const Sparse b = one_item(600, 300 - common, 600);
    EXPECT_EQ(sharing_by_rule(a.view(), b.view(), 100), topics) << common;
    EXPECT_EQ(sharing_by_rule(a.view(), b.view(), 2), std::min(topics, 2)) << common;
  }
}

TEST(SharingByRank, FindsThePlantedRank) {
  for (const int shared : {1, 2, 5, 12})
    for (const std::uint64_t seed : {1, 2, 3}) {
      // Four groups of each collection alone follow the shared ones.
      const auto groups = static_cast<std::size_t>(shared) + 8;
      std::vector<double> first(groups, 1);
      std::vector<double> second(groups, 1);
      std::fill(first.end() - 4, first.end(), 0);
      std::fill(second.end() - 8, second.end() - 4, 0);
      const Sparse a = grouped(8 * std::ssize(first), first, seed);
      const Sparse b = grouped(6 * std::ssize(second), second, seed + 10);
      EXPECT_EQ(sharing_by_rank(a.view(), b.view(), 30, seed), shared);
      EXPECT_EQ(sharing_by_rank(b.view(), a.view(), 30, seed), shared);
      EXPECT_EQ(sharing_by_rank(a.view(), b.view(), 3, seed), std::min(shared, 3));
    }
}

TEST(SharingByRank, CountsWhatIsAboveAHundredthOfTheGreatest) {
  auto rank_with = [](double faint) {
    const Sparse a = grouped(60, {1, 1, faint}, 1);
    const Sparse b = grouped(60, {1, 1, 1}, 2);
    return sharing_by_rank(a.view(), b.view(), 20, 1);
  };
  EXPECT_EQ(rank_with(1), 3);
  EXPECT_EQ(rank_with(0.05), 3);
  EXPECT_EQ(rank_with(0.002), 2);
}

TEST(SharingByRank, OfMixedItemsIsThatOfTheirTopics) {
  // Every item is a mixture of all the topics, and the topics overlap.
  Rng rng(4);
  MatrixD topics(3, 20);
  for (Eigen::Index i = 0; i < topics.size(); ++i)
    topics.data()[i] = rng.uniform() < 0.4 ? rng.uniform() : 0;
  auto mixtures = [&](Eigen::Index items) {
    MatrixD codes(items, topics.rows());
    for (Eigen::Index i = 0; i < codes.size(); ++i)
      codes.data()[i] = rng.uniform() < 0.5 ? rng.uniform() : 0;
    return to_sparse(codes * topics);
  };
  const Sparse a = mixtures(80);
  const Sparse b = mixtures(50);
  for (const std::uint64_t seed : {1, 2, 3, 4})
    EXPECT_EQ(sharing_by_rank(a.view(), b.view(), 15, seed), 3);
}

TEST(SharingByRank, IsZeroWhenNothingIsCommon) {
  const Sparse a = one_item(10, 0, 5);
  const Sparse b = one_item(10, 5, 10);
  EXPECT_EQ(sharing_by_rank(a.view(), b.view(), 5, 1), 0);
  Sparse none;
  none.columns = 10;
  EXPECT_EQ(sharing_by_rank(a.view(), none.view(), 5, 1), 0);
  EXPECT_EQ(sharing_by_rank(none.view(), a.view(), 5, 1), 0);
  EXPECT_EQ(sharing_by_rank(a.view(), a.view(), 5, 1), 1);
  EXPECT_EQ(sharing_by_rank(a.view(), a.view(), 0, 1), 0);
}

TEST(SharingByRank, DoesNotDependOnJobs) {
  const Sparse a = test::random_counts(70, 40, 0.2, 1);
  const Sparse b = test::random_counts(90, 40, 0.2, 2);
  const int once = sharing_by_rank(a.view(), b.view(), 60, 1, 1);
  EXPECT_GT(once, 20) << "products of random items are of about full rank";
  EXPECT_LT(once, 40) << "nothing has term 2";
  for (const int jobs : {2, 3, 4})
    EXPECT_EQ(sharing_by_rank(a.view(), b.view(), 60, 1, jobs), once);
}

}  // namespace sharing_test
}  // namespace commonplace

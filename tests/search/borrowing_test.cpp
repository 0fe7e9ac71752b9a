#include "commonplace/search/core/borrowing.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/sparse_ops.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_shared_subspace.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace borrowing_test {

using namespace search;

using test::message_of;
using test::random_counts;
using test::to_dense;

constexpr std::int64_t kTerms = 20;
constexpr double kSmoothing = 3;

std::vector<float> random_idf() {
  Rng rng(11);
  std::vector<float> idf;
  for (std::int64_t term = 0; term < kTerms; ++term)
    idf.push_back(static_cast<float>(1 + 2 * rng.uniform()));
  return idf;
}

/// What 60 lenders lend; the searched collection has topics 0, 1, 4 and 5 of the six.
Borrowing learned(const SparseView& searched, const SparseView& lenders) {
  Borrowing result;
  result.idf = random_idf();
  result.neighbours = 7;
  result.lenders = root_counts(lenders);
  AssociationOptions options;
  options.smoothing = kSmoothing;
  options.ridge = 5;
  result.associations = fit_associations(result.lenders.view(), options);
  const Sparse rows[] = {weighted_rows(searched, result.idf), weighted_rows(lenders, result.idf)};
  const SparseView views[] = {rows[0].view(), rows[1].view()};
  SharedSubspaceOptions topics;
  topics.iterations = 40;
  result.subspace = fit_shared_subspace(views, {{{0, 1}, 2}, {{1}, 2}, {{0}, 2}}, topics, {}).model;
  return result;
}

class Borrowings : public testing::Test {
 protected:
  AskedVectors ask_for(const std::vector<WeightedTerm>& terms) const {
    return ask(borrowing_, lenders_by_term_.view(), terms);
  }
  /// The four ways, a column each, of all items.
  MatrixD evidence_for(const CodedItems& items, const std::vector<WeightedTerm>& terms) const {
    const BorrowedEvidence all = find_evidence(items, ask_for(terms));
    MatrixD result(items.terms.rows(), 4);
    for (Eigen::Index row = 0; row < result.rows(); ++row) {
      const auto i = static_cast<std::size_t>(row);
      result.row(row) << static_cast<double>(all.topics[i]), static_cast<double>(all.lift[i]),
          static_cast<double>(all.ridge[i]), static_cast<double>(all.votes[i]);
    }
    return result;
  }

  const Sparse counts_ = random_counts(25, kTerms, 0.2, 1);
  const Sparse lender_counts_ = random_counts(60, kTerms, 0.3, 2);
  const Borrowing borrowing_ = learned(counts_.view(), lender_counts_.view());
  const Sparse lenders_by_term_ = transpose(borrowing_.lenders.view());
  const CodedItems items_ = code_items(borrowing_, counts_.view());
};

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

void expect_same(const Sparse& a, const Sparse& b) {
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.starts, b.starts);
  EXPECT_EQ(a.indices, b.indices);
  EXPECT_EQ(a.values, b.values);
}

TEST(TermRows, AreRootsOfCounts) {
  const Sparse counts = random_counts(12, kTerms, 0.3, 1);
  const MatrixD roots = to_dense(root_counts(counts.view()).view());
  EXPECT_LT(worst(roots.cwiseAbs2(), to_dense(counts.view())), 1e-5);
  for (const float bad :
       {-1.F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Sparse spoiled = counts;
    spoiled.values[5] = bad;
    EXPECT_THROW(root_counts(spoiled.view()), Error) << bad;
  }
}

TEST(TermRows, AreWeighedToLengthOne) {
  const Sparse counts = random_counts(12, kTerms, 0.3, 1);
  const std::vector<float> idf = random_idf();
  MatrixD expected = to_dense(counts.view()).cwiseSqrt();
  for (Eigen::Index row = 0; row < expected.rows(); ++row) {
    for (Eigen::Index term = 0; term < kTerms; ++term)
      expected(row, term) *= static_cast<double>(idf[static_cast<std::size_t>(term)]);
    if (expected.row(row).norm() > 0) expected.row(row).normalize();
  }
  EXPECT_LT(worst(to_dense(weighted_rows(counts.view(), idf).view()), expected), 1e-6);
  EXPECT_THROW(weighted_rows(counts.view(), std::span(idf).first(3)), Error);
}

TEST_F(Borrowings, OfAllItemsAreThoseOfEach) {
  const AskedVectors asked = ask_for({{4, 1}, {7, 0.5F}});
  const BorrowedEvidence all = find_evidence(items_, asked);
  ASSERT_EQ(all.topics.size(), 25u);
  for (std::int64_t row = 0; row < 25; ++row) {
    const ItemEvidence one = find_evidence(items_, row, asked);
    const auto i = static_cast<std::size_t>(row);
    EXPECT_EQ(all.topics[i], static_cast<float>(one.topics));
    EXPECT_EQ(all.lift[i], static_cast<float>(one.lift));
    EXPECT_EQ(all.ridge[i], static_cast<float>(one.ridge));
    EXPECT_EQ(all.votes[i], static_cast<float>(one.votes));
  }
}

TEST_F(Borrowings, TopicsSayTheRootThatTheyWouldHave) {
  const std::vector<int> used = borrowing_.subspace.topics_of(0);
  ASSERT_EQ(used, (std::vector<int>{0, 1, 4, 5}));
  const MatrixD basis = borrowing_.subspace.basis.cast<double>()(Eigen::all, used);
  const VectorD idf =
      Eigen::Map<const Eigen::VectorXf>(borrowing_.idf.data(), kTerms).cast<double>();
  const MatrixD rows = to_dense(counts_.view()).cwiseSqrt() * idf.asDiagonal();
  MatrixD expected(25, kTerms);
  for (Eigen::Index item = 0; item < 25; ++item) {
    const VectorD code = test::exhaustive_nonnegative_minimum(
        basis.transpose() * basis, basis.transpose() * rows.row(item).transpose());
    expected.row(item) = (basis * code).cwiseQuotient(idf).transpose();
  }
  EXPECT_GT(expected.maxCoeff(), 0.5);
  for (std::int32_t term = 0; term < kTerms; ++term)
    EXPECT_LT(worst(evidence_for(items_, {{term, 1}}).col(0), expected.col(term)), 1e-4) << term;
}

TEST_F(Borrowings, LiftAddsWhatEachTermSays) {
  const MatrixD lenders = to_dense(lender_counts_.view()).cwiseSqrt();
  const MatrixD expected =
      to_dense(counts_.view()).cwiseSqrt() * test::naive_lift(lenders, kSmoothing).transpose();
  for (std::int32_t term = 0; term < kTerms; ++term)
    EXPECT_LT(worst(evidence_for(items_, {{term, 1}}).col(1), expected.col(term)), 1e-4) << term;
}

TEST_F(Borrowings, RidgeAddsWhatTheTermsSayTogether) {
  const MatrixD expected = to_dense(counts_.view()).cwiseSqrt() *
                           to_dense(borrowing_.associations.ridge.view()).transpose();
  EXPECT_GT(expected.cwiseAbs().maxCoeff(), 0.1);
  for (std::int32_t term = 0; term < kTerms; ++term)
    EXPECT_LT(worst(evidence_for(items_, {{term, 1}}).col(2), expected.col(term)), 1e-5) << term;
}

TEST_F(Borrowings, VotesAreOfTheNearestLenders) {
  const MatrixD lenders = to_dense(lender_counts_.view()).cwiseSqrt();
  const MatrixD votes = test::naive_votes(to_dense(counts_.view()).cwiseSqrt(), lenders,
                                          borrowing_.idf, borrowing_.neighbours);
  EXPECT_LT(worst(to_dense(items_.votes.view()), votes), 1e-5);
  const MatrixD expected = votes * lenders;
  for (std::int32_t term = 0; term < kTerms; ++term)
    EXPECT_LT(worst(evidence_for(items_, {{term, 1}}).col(3), expected.col(term)), 1e-5) << term;
}

TEST_F(Borrowings, AreLinearInWhatIsAsked) {
  const MatrixD first = evidence_for(items_, {{4, 1}});
  const MatrixD second = evidence_for(items_, {{9, 1}});
  const MatrixD both = 0.75 * first - 2 * second;
  EXPECT_LT(worst(evidence_for(items_, {{4, 0.75F}, {9, -2}}), both), 1e-4);
  EXPECT_LT(worst(evidence_for(items_, {{9, -2}, {4, 0.75F}}), both), 1e-4);
  EXPECT_LT(worst(evidence_for(items_, {{4, 1.5F}, {4, 1.5F}}), 3 * first), 1e-4);
  EXPECT_EQ(evidence_for(items_, {}).cwiseAbs().maxCoeff(), 0);
}

TEST_F(Borrowings, ALenderDoesNotVoteForItself) {
  std::vector<std::int64_t> same(60);
  std::iota(same.begin(), same.end(), 0);
  const Sparse alone = code_items(borrowing_, lender_counts_.view(), same).votes;
  const MatrixD without = to_dense(alone.view());
  const MatrixD with = to_dense(code_items(borrowing_, lender_counts_.view()).votes.view());
  for (Eigen::Index lender = 0; lender < 60; ++lender) {
    EXPECT_EQ(without(lender, lender), 0);
    if (lender_counts_.view().row_indices(lender).empty()) continue;
    EXPECT_EQ(with(lender, lender), with.row(lender).maxCoeff()) << "nothing is more like it";
    EXPECT_EQ(alone.view().row_indices(lender).size(), 7u) << "another takes its place";
  }
  const MatrixD lenders = to_dense(lender_counts_.view()).cwiseSqrt();
  EXPECT_LT(worst(without, test::naive_votes(lenders, lenders, borrowing_.idf, 7, same)), 1e-5);
  same.pop_back();
  EXPECT_THROW(code_items(borrowing_, lender_counts_.view(), same), Error);
}

TEST_F(Borrowings, ItemsWithoutTermsGetNothing) {
  ASSERT_EQ(counts_.view().row_indices(3).size(), 0u);
  EXPECT_EQ(items_.codes.row(3).cwiseAbs().maxCoeff(), 0);
  EXPECT_EQ(items_.unrelated[3], 0);
  EXPECT_EQ(items_.votes.view().row_indices(3).size(), 0u);
  for (std::int32_t term = 0; term < kTerms; ++term)
    EXPECT_EQ(evidence_for(items_, {{term, 1}}).row(3).cwiseAbs().maxCoeff(), 0) << term;
}

TEST_F(Borrowings, OfShuffledItemsAreShuffled) {
  const std::vector<std::int64_t> order = test::random_order(25, 5);
  const CodedItems shuffled =
      code_items(borrowing_, test::rows_in_order(counts_.view(), order).view());
  const MatrixD before = evidence_for(items_, {{4, 1}, {7, 2}});
  const MatrixD after = evidence_for(shuffled, {{4, 1}, {7, 2}});
  for (std::size_t row = 0; row < order.size(); ++row)
    EXPECT_EQ(after.row(static_cast<Eigen::Index>(row)), before.row(order[row]));
}

TEST_F(Borrowings, NewItemsAreCodedAsAmongTheOthers) {
  for (std::int64_t row = 0; row < 25; ++row) {
    Sparse one;
    one.columns = kTerms;
    one.push_row(counts_.view(), row);
    const CodedItems alone = code_items(borrowing_, one.view());
    EXPECT_EQ(alone.codes.row(0), items_.codes.row(row));
    EXPECT_EQ(alone.unrelated[0], items_.unrelated[static_cast<std::size_t>(row)]);
    EXPECT_EQ(evidence_for(alone, {{5, 1}}).row(0), evidence_for(items_, {{5, 1}}).row(row));
  }
}

TEST_F(Borrowings, DoNotDependOnJobs) {
  const CodedItems once = code_items(borrowing_, lender_counts_.view(), {}, 1);
  for (const int jobs : {2, 3, 4}) {
    const CodedItems again = code_items(borrowing_, lender_counts_.view(), {}, jobs);
    expect_same(again.terms, once.terms);
    EXPECT_EQ(again.unrelated, once.unrelated);
    EXPECT_EQ(again.codes, once.codes);
    expect_same(again.votes, once.votes);
  }
}

TEST_F(Borrowings, AsManyLendersVoteAsAreAskedTo) {
  Borrowing borrowing = borrowing_;
  borrowing.neighbours = 0;
  EXPECT_EQ(code_items(borrowing, counts_.view()).votes.nonzeros(), 0);
  borrowing.neighbours = 1000;
  const CodedItems all = code_items(borrowing, counts_.view());
  for (std::int64_t row = 0; row < 25; ++row) {
    double sum = 0;
    for (const float share : all.votes.view().row_values(row)) sum += static_cast<double>(share);
    EXPECT_LT(sum, 1) << "faint neighbours leave some of the vote to nobody";
  }
}

TEST_F(Borrowings, WhatDoesNotFitIsRefused) {
  const Sparse wider = random_counts(5, kTerms + 1, 0.3, 1);
  const std::string message = message_of([&] { code_items(borrowing_, wider.view()); });
  EXPECT_NE(message.find("count them with the model's vocabulary"), std::string::npos) << message;
  EXPECT_THROW(ask_for({{-1, 1}}), Error);
  EXPECT_THROW(ask_for({{3, 1}, {static_cast<std::int32_t>(kTerms), 1}}), Error);
  Sparse spoiled = counts_;
  spoiled.values[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(code_items(borrowing_, spoiled.view()), Error);
}

TEST_F(Borrowings, OfNoItemsAreNone) {
  Sparse none;
  none.columns = kTerms;
  const CodedItems items = code_items(borrowing_, none.view());
  EXPECT_EQ(items.codes.rows(), 0);
  EXPECT_EQ(items.votes.rows(), 0);
  EXPECT_TRUE(find_evidence(items, ask_for({{4, 1}})).votes.empty());
}

TEST(BorrowedScore, IsTheWeightedSum) {
  const ItemEvidence evidence{.topics = 2, .lift = -3, .ridge = 5, .votes = 7};
  EXPECT_EQ(borrowed_score(evidence, {}), 0);
  EXPECT_EQ(borrowed_score(evidence, {.topics = 1, .lift = 10, .ridge = 100, .votes = 1000}),
            2 - 30 + 500 + 7000);
}

}  // namespace borrowing_test
}  // namespace commonplace

#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/search/core/associations.h"
#include "commonplace/search/core/shared_subspace.h"

namespace commonplace::search {

/// How much each way of borrowing counts. All 0: items are found by their own words alone.
struct BorrowingWeights {
  double topics = 0;  ///< what an item's topics say of a term
  double lift = 0;    ///< what its other terms say, each by itself
  double ridge = 0;   ///< what its other terms say, taken together
  double votes = 0;   ///< what the lenders most like it have

  bool operator==(const BorrowingWeights&) const = default;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, BorrowingWeights>
void visit_options(Self& options, Visit&& visit) {
  visit("topics", options.topics, "weight of the shared topics");
  visit("lift", options.lift, "weight of single associated words");
  visit("ridge", options.ridge, "weight of associated words together");
  visit("knn|votes", options.votes, "weight of the most similar lending items");
}

/// What an asked term counts where an item has it itself; what it borrows is on the same scale.
inline constexpr float kOwnWord = 10;

/// What well-tagged items lend to those that are searched, over one vocabulary of terms.
struct Borrowing {
  std::vector<float> idf;   ///< per term, as in WeightOptions
  SharedSubspace subspace;  ///< the searched collection is its collection 0
  Associations associations;
  Sparse lenders;                 ///< lending items x terms: the root of each count
  std::int64_t neighbours = 100;  ///< so many lenders vote for an item; fewer beyond 200,000 items
  BorrowingWeights weights;

  std::int64_t terms() const { return static_cast<std::int64_t>(idf.size()); }
};

/// The form in which terms count for coding: the root of the count.
Sparse root_counts(const SparseView& counts);
/// Root counts times idf, rows of length one: the rows that the subspace is learned from.
Sparse weighted_rows(const SparseView& counts, std::span<const float> idf);

/// Items made ready for being searched.
struct CodedItems {
  Sparse terms;                  ///< items x terms: the root of each count
  std::vector<float> unrelated;  ///< what an item's terms say of a term they were never seen with
  Matrix codes;                  ///< items x topics
  Sparse votes;                  ///< items x lenders: the share of the vote that each has
};

/// Codes items by their counts over the model's terms. An item that is itself a lender must not
/// vote for itself: `same_lender[i]` is its row there, or -1; empty if none is. O(nonzeros topics +
/// items topics²), and for the votes the products of common terms.
CodedItems code_items(const Borrowing& borrowing, const SparseView& counts,
                      std::span<const std::int64_t> same_lender = {}, int jobs = 0);

struct WeightedTerm {
  std::int32_t term = 0;
  float weight = 1;

  bool operator==(const WeightedTerm&) const = default;
};

/// Asked terms as vectors with which an item's rows are multiplied: every way of borrowing is
/// linear in what was asked.
struct AskedVectors {
  double weight = 0;           ///< of all asked terms
  std::vector<float> lift;     ///< per term
  std::vector<float> ridge;    ///< per term
  std::vector<float> topics;   ///< per topic of the searched collection
  std::vector<float> lenders;  ///< per lender
};
/// `lenders_by_term` is the transpose of borrowing.lenders. O(terms + lenders + associations).
AskedVectors ask(const Borrowing& borrowing, const SparseView& lenders_by_term,
                 std::span<const WeightedTerm> asked);

/// What each way says of each item, unweighted.
struct BorrowedEvidence {
  std::vector<float> topics;
  std::vector<float> lift;
  std::vector<float> ridge;
  std::vector<float> votes;
};
/// O(nonzeros of the items + votes + items topics).
BorrowedEvidence find_evidence(const CodedItems& items, const AskedVectors& asked);
/// Of one item.
struct ItemEvidence {
  double topics = 0;
  double lift = 0;
  double ridge = 0;
  double votes = 0;
};
ItemEvidence find_evidence(const CodedItems& items, std::int64_t row, const AskedVectors& asked);
/// The weighted sum.
double borrowed_score(const ItemEvidence& evidence, const BorrowingWeights& weights);

}  // namespace commonplace::search

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/search/core/borrowing.h"

namespace commonplace::search {

/// A test of search: what the searched items still show, which terms are asked for, and which items
/// are right for each.
struct Trial {
  Sparse visible;                                   ///< items x terms, counts
  std::vector<std::int32_t> asked;                  ///< terms
  std::vector<std::vector<std::uint8_t>> relevant;  ///< [asked][item]
};

struct HidingOptions {
  double share = 0.5;       ///< of an item's terms that are hidden; one always stays
  std::int64_t least = 5;   ///< ask for terms that at least so many items have
  std::int64_t most = 150;  ///< ask for so many terms, spread over common and rare ones
  std::uint64_t seed = 1;
};

/// Hides terms of the items and asks for the terms of which some were hidden; right are all items
/// that had the term, hidden or not. What is hidden depends on (seed, row, term) alone. With too
/// few tags nothing is asked.
Trial hide_terms(const SparseView& counts, const HidingOptions& options);

/// At most `most` rows, chosen by (seed, row), in their order.
Sparse sample_rows(const Sparse& rows, std::int64_t most, std::uint64_t seed);
/// Which those are.
std::vector<std::int64_t> sampled_rows(std::int64_t rows, std::int64_t most, std::uint64_t seed);

/// How well each asked term was answered.
struct Quality {
  std::vector<double> average_precision;
  /// The same among the items that do not show the asked term: how well what words alone cannot
  /// find is found.
  std::vector<double> missing_average_precision;
  std::vector<double> precision_at_recall;  ///< 0.1
  std::vector<double> precision_at;         ///< 10
  std::vector<std::array<double, 11>> curve;

  double map() const;
};

/// Judges one score per item for each asked term.
Quality judge(const Trial& trial, const std::vector<std::vector<float>>& scores, int jobs = 0);

/// Items' own words: `own` where an item shows the asked term.
std::vector<std::vector<float>> own_scores(const Trial& trial, float own);

/// Each asked term read off the topics of each item, which the fit has as its first collection.
std::vector<std::vector<float>> read_topics(const Trial& trial, const SharedSubspaceFit& fit);

/// The sums of two such tables.
std::vector<std::vector<float>> add_scores(std::vector<std::vector<float>> a,
                                           const std::vector<std::vector<float>>& b);

/// What each way of borrowing says of each item, for each asked term.
std::vector<BorrowedEvidence> find_evidence(const Trial& trial, const Borrowing& borrowing,
                                            const CodedItems& items, int jobs = 0);
/// Own words and borrowed evidence together.
std::vector<std::vector<float>> hybrid_scores(const Trial& trial,
                                              const std::vector<BorrowedEvidence>& evidence,
                                              const BorrowingWeights& weights, float own);

/// Strengths that put the ways on one scale, and a good mixture where there is little to tell by.
inline constexpr BorrowingWeights kUsualWeights{.topics = 4, .lift = 1, .ridge = 14, .votes = 8};

/// Chooses the weights: one way of borrowing after the other is made weaker or stronger, from a
/// usual mixture, where the gain on the asked terms is greater than its standard error; then all
/// together beside the own words. All are 0 if that is not clearly better than the own words.
BorrowingWeights tune_weights(const Trial& trial, const std::vector<BorrowedEvidence>& evidence,
                              float own, int jobs = 0);

}  // namespace commonplace::search

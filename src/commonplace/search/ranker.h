#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commonplace/math/packed_rows.h"
#include "commonplace/search/core/scan_index.h"
#include "commonplace/search/index.h"
#include "commonplace/search/model.h"

namespace commonplace::search {

/// A query as the ranker takes it.
struct Ask {
  struct Word {
    std::string word;  ///< a token
    float weight = 1;  ///< 1 for the rarest of the query
  };
  std::vector<Word> words;
  std::vector<WeightedTerm> terms;   ///< of the model, to borrow through
  std::vector<std::string> unknown;  ///< tokens that are nowhere
};

/// One item that was found.
struct RankedItem {
  std::int64_t row = 0;
  double score = 0;
  double own = 0;
  double borrowed = 0;
  double meant = 0;  ///< what its text or picture means, without a word in common
};

/// The best of what was found, best first.
struct RankedItems {
  std::vector<RankedItem> best;
  std::int64_t found = 0;  ///< how many were, beside the best ones too
};

/// Ranks the items of an index: each asked word counts by the item's own words (BM25, tags before
/// text) and by what the item borrows. Holds references: index and model must outlive it.
class Ranker {
 public:
  /// `model` is null for words alone.
  Ranker(const Index& index, const Model* model, int jobs = 0);

  /// Weighs tokens by how rare they are and finds the terms of the model to borrow through: the
  /// token itself, runs of tokens that are a term, and, unless `whole_terms`, the commonest terms
  /// that contain a token.
  Ask understand(const std::vector<std::string>& tokens, bool whole_terms) const;

  /// Of the items with `keep` not 0 (empty: all) those that have an asked word, and those that
  /// borrow enough to be likelier than not to, or have something in `meant` (per item; may be
  /// empty), which is added. O(items), exact.
  RankedItems rank(const Ask& ask, std::int64_t limit, std::span<const std::uint8_t> keep = {},
                   bool words_only = false, std::span<const float> meant = {}, int jobs = 0) const;

  /// The vectors behind the borrowed part, to explain it. Only with a model.
  AskedVectors vectors(const Ask& ask) const;

  const Sparse& lenders_by_term() const { return lenders_by_term_; }

 private:
  void add_own(const Ask& ask, std::vector<float>& scores) const;
  void add_votes(const AskedVectors& asked, std::vector<float>& scores) const;
  void add_associations(const AskedVectors& asked, std::vector<float>& scores, int jobs) const;
  double own_score(const Ask& ask, std::int64_t row) const;
  std::vector<std::uint8_t> without_rejected(const Ask& ask,
                                             std::span<const std::uint8_t> keep) const;
  struct Candidates;
  Candidates candidates(std::span<const float> topics, std::size_t count, const ScanScope& scope,
                        int jobs) const;
  double product(std::span<const float> topics, std::int64_t row) const;
  std::vector<ScoredRow> best(const Candidates& candidates, std::span<const float> topics,
                              std::size_t count, const ScanScope& scope, int jobs) const;

  const Index& index_;
  const Model* model_;
  Sparse lenders_by_term_;
  Sparse items_by_lender_;         ///< the votes, by lender
  std::vector<float> code_norms_;  ///< per item
  std::optional<PackedRows> terms_;
  std::optional<ScanIndex> codes_;
};

}  // namespace commonplace::search

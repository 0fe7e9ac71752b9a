#pragma once

#include <cstdint>
#include <span>

#include "commonplace/base/matrix.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace {

/// The k nearest neighbours (k-NN) and their votes.
struct KnnOptions {
  std::int64_t neighbours = 20;  ///< known rows that vote
  int power = 2;                 ///< of the cosine, which a vote counts by
  /// A vote of nobody: what all votes together are measured against. With it few or faint
  /// neighbours have faint votes; with 0 votes sum to one.
  double nobody = 0;
};

/// How much each known row says about each item: the `neighbours` of the greatest cosines above 0
/// (rows have length one), as shares of the votes. Items x known. `skip[i]`, if given, is a known
/// row that item i must not hear, or -1. Of sparse rows O(products of common features, and the
/// known), of dense ones O(items · known · features).
Sparse knn_votes(const FeatureRows& items, const FeatureRows& known, const KnnOptions& options = {},
                 std::span<const std::int64_t> skip = {}, int jobs = 0);
/// The same of sparse rows with transpose(known) given, which is then not passed over.
Sparse knn_votes_by_column(const SparseView& items, const SparseView& known_columns,
                           const KnnOptions& options = {}, std::span<const std::int64_t> skip = {},
                           int jobs = 0);
/// The same where the cosines, items x known, are there already.
Sparse knn_votes_of(const Eigen::Ref<const Matrix>& cosines, const KnnOptions& options = {},
                    std::span<const std::int64_t> skip = {}, int jobs = 0);

/// Items x targets: what those who vote have, by their votes.
Matrix sum_votes(const Sparse& votes, const SparseView& targets);

/// A copy with 1 for what is above 0, and 0 for the rest.
Sparse ones_above_zero(const SparseView& values);

/// k-NN classification: n x concepts, in [-1, 1], the mean of the labels of the nearest of the rows
/// that are labelled for the concept, by their votes; 0 where there are none. Rows may have any
/// length. `labelled` are l x d, `labels` l x concepts: 1 has it, -1 has it not, 0 is not labelled
/// for that concept, which costs a search of its own.
Matrix knn_labels(const Eigen::Ref<const Matrix>& rows, const Eigen::Ref<const Matrix>& labelled,
                  const Eigen::Ref<const MatrixD>& labels,
                  const KnnOptions& options = {.neighbours = 5, .power = 1}, int jobs = 0);

}  // namespace commonplace

#pragma once

#include <cstdint>
#include <span>

#include "commonplace/base/matrix.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace::suggest {

/// The votes of the k nearest neighbours (k-NN), how much each known item says about each: of the
/// `count` nearest by cosine (rows have length one), the square of the cosine, so that each row
/// sums to one, or is empty where nothing is alike. Items x known. `skip[i]`, if given, is a known
/// item that item i must not hear, or -1. Of sparse rows O(products of common features, and the
/// known), of dense ones O(items · known · features).
Sparse knn_votes(const FeatureRows& items, const FeatureRows& known, std::int64_t count,
                 std::span<const std::int64_t> skip = {}, int jobs = 0);
/// The same of sparse rows with transpose(known) given, which is then not passed over.
Sparse knn_votes_by_column(const SparseView& items, const SparseView& known_columns,
                           std::int64_t count, std::span<const std::int64_t> skip = {},
                           int jobs = 0);

}  // namespace commonplace::suggest

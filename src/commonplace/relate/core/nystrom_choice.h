#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace::relate {

/// The first of each set of equal rows, ascending; none that is all zeros if `but_zeros`.
/// O(nonzeros).
std::vector<std::int64_t> distinct_rows(const FeatureRows& rows, bool but_zeros);

/// So many of `from` at random, ascending; all if there are fewer. Draws are functions of (seed,
/// stream, row). O(from).
std::vector<std::int64_t> draw_rows(const std::vector<std::int64_t>& from, std::int64_t count,
                                    std::uint64_t seed, std::uint64_t stream);

/// `count` of n rows, given as `columns` d x n, drawn one after the other with a chance in
/// proportion to the squared distance from those before, as k-means++ draws its first centres;
/// ascending. Fewer if there are fewer different rows. O(n count d).
std::vector<std::int64_t> draw_far_apart(MatrixD columns, std::int64_t count, std::uint64_t seed,
                                         int jobs = 0);

}  // namespace commonplace::relate

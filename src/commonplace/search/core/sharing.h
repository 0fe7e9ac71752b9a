#pragma once

#include <cstdint>

#include "commonplace/base/matrix.h"

namespace commonplace::search {

/// How many terms both collections (items x terms, the same terms) have.
std::int64_t common_terms(const SparseView& a, const SparseView& b);

/// How many topics two collections should share by Mardia's rule of thumb: the root of half the
/// number of common terms, rounded, at most `most`.
int sharing_by_rule(const SparseView& a, const SparseView& b, int most);

/// How many by the numerical rank of the matrix of products between their items: the singular
/// values above a hundredth of the greatest, found by a randomised projection, at most `most`.
/// O(nonzeros most) and a few small factorisations; needs (items + terms) most doubles.
int sharing_by_rank(const SparseView& a, const SparseView& b, int most, std::uint64_t seed,
                    int jobs = 0);

}  // namespace commonplace::search

#pragma once

#include <span>
#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// How well a shared space keeps what it was told: of the links above 0 between rows of `from` (n x
/// k) and rows of `to` (m x k), the share that lies among the closest pairs, for each of `shares`,
/// which are parts of all n m pairs in [0, 1]. `links` are n x m. Distances are Euclidean; their
/// squares are added up in double and compared as floats. Of pairs at the very same distance, of
/// which only some belong to the closest, each counts by its chance to be one of these. Two passes
/// over all pairs and no list of them: O(n m k); memory O(m k + shares). The result does not depend
/// on `jobs` (0: all processors). 0 throughout if no link is above 0. Error for shapes that do not
/// fit, numbers that are not finite and shares outside [0, 1].
std::vector<double> guidance_met(const Matrix& from, const Matrix& to, const SparseView& links,
                                 std::span<const double> shares, int jobs = 0);

}  // namespace commonplace

#pragma once

#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// How many numbers `vlad` makes: words x columns, over all vocabularies.
std::int64_t vlad_size(const std::vector<Matrix>& vocabularies);

/// Vectors of locally aggregated descriptors (Jégou et al. 2010): for each vocabulary (words x
/// columns) and each of its words the sum of the differences between the word and the descriptors
/// (rows) that are nearest to it; the signed roots of all these numbers, scaled to length 1 for
/// each vocabulary and then over all. Zeros without descriptors. O(descriptors x words x columns).
Eigen::RowVectorXf vlad(const Eigen::Ref<const Matrix>& descriptors,
                        const std::vector<Matrix>& vocabularies);

}  // namespace commonplace

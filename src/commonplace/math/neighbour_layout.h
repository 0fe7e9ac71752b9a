#pragma once

#include <cstdint>

#include "commonplace/base/matrix.h"

namespace commonplace {

struct NeighbourLayoutOptions {
  std::int64_t neighbours = 12;  ///< that a point is drawn to
  int rounds = 200;
  std::uint64_t seed = 1;
  int jobs = 0;  ///< threads of the search for neighbours; does not change the result
};

/// A drawing of rows of length one (rows of zeros go to the middle) in the plane, n x 2, in which
/// near neighbours by the cosine lie together: each point is drawn to its neighbours and pushed
/// away from points drawn at random, as in LargeVis (Tang et al. 2016), from the principal axes on.
/// Coordinates lie in [0, 1]. O(n² columns + rounds n neighbours); meant for some thousands of
/// points. Error for numbers that are not finite.
Matrix neighbour_layout(const Eigen::Ref<const Matrix>& rows,
                        const NeighbourLayoutOptions& options = {});

}  // namespace commonplace

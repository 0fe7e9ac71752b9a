#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "commonplace/base/error.h"

namespace commonplace {

/// The positions of the scores from the highest to the lowest; ties keep their order. Error if one
/// is NaN, which has no place in an order. O(n log n).
inline std::vector<std::size_t> order_by_falling_score(std::span<const double> scores) {
  for (std::size_t i = 0; i < scores.size(); ++i)
    require(!std::isnan(scores[i]), "score ", i, " is not a number; it cannot be ranked");
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  return order;
}

}  // namespace commonplace

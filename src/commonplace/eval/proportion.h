#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace commonplace {

/// Wilson's 95 % interval of a share of which `right` among `count` are known; 0 to 1 for none.
inline std::pair<double, double> share_interval(std::int64_t right, std::int64_t count) {
  if (count <= 0) return {0.0, 1.0};
  constexpr double z = 1.959964;
  const auto n = static_cast<double>(count);
  const double p = static_cast<double>(right) / n;
  const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

}  // namespace commonplace

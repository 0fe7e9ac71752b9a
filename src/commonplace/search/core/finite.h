#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "commonplace/base/error.h"

namespace commonplace::search {

/// Unlike std::isfinite, a comparison that compilers vectorise.
inline bool is_finite(float value) { return std::abs(value) <= std::numeric_limits<float>::max(); }

inline void require_finite_row(std::span<const float> row, std::size_t number) {
  for (std::size_t column = 0; column < row.size(); ++column)
    if (!is_finite(row[column]))
      fail("row ", number, ", column ", column, " is ", row[column],
           "; an index takes finite numbers only");
}

inline void require_finite_query(std::span<const float> query) {
  for (std::size_t column = 0; column < query.size(); ++column)
    if (!is_finite(query[column]))
      fail("the query is ", query[column], " in column ", column, "; expected a finite number");
}

}  // namespace commonplace::search

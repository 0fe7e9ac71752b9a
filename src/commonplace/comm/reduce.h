#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace commonplace::detail {

/// How two ranks' values become one. Every Comm applies it in rank order, ((0, 1), 2), ..., so that
/// threads and MPI give the same bits.
struct Add {
  template <class T>
  T operator()(T left, T right) const {
    return left + right;
  }
};

struct Larger {
  double operator()(double left, double right) const {
    return std::isnan(right) || left < right ? right : left;
  }
};

}  // namespace commonplace::detail

#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "commonplace/comm/comm.h"

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

/// Long arrays are reduced in pieces of this many values, each shared out by rows_of_rank: every
/// rank is sent its share by all, reduces it, and sends the result to all.
inline constexpr std::int64_t kPieceValues = std::int64_t{1} << 20;

/// How many of the values that `rank` receives in the reduction of `count` come from other ranks.
inline std::int64_t values_received(std::int64_t count, int rank, int size) {
  const auto of_piece = [&](std::int64_t length) {
    const RowRange mine = rows_of_rank(length, rank, size);
    const std::int64_t share = mine.end - mine.begin;
    return (size - 1) * share + (length - share);
  };
  return count / kPieceValues * of_piece(kPieceValues) + of_piece(count % kPieceValues);
}

}  // namespace commonplace::detail

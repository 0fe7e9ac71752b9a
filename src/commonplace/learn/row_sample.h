#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/comm.h"

namespace commonplace {

/// Some rows of all ranks, which every rank holds.
struct RowSample {
  Matrix rows;                      ///< in order of the rows of all ranks
  std::vector<std::int64_t> items;  ///< which of all ranks' rows each is, ascending
};

/// All rows if there are `count` or fewer, else the `count` with the least random numbers, which
/// are functions of (seed, row among those of all ranks). O(own rows); sends the sample.
RowSample sample_rows(const Eigen::Ref<const Matrix>& rows, std::int64_t count, std::uint64_t seed,
                      Comm& comm);

/// The number of columns of the ranks that have rows; Error if they differ.
std::int64_t shared_columns(std::int64_t rows, std::int64_t columns, Comm& comm);

/// The same, and Error, naming the row of all ranks, if a number is not finite.
std::int64_t check_features(const Eigen::Ref<const Matrix>& rows, Comm& comm);

}  // namespace commonplace

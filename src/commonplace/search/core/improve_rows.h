#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "commonplace/base/parallel.h"
#include "commonplace/math/nonnegative.h"

namespace commonplace::search {

/// How rows are cut into blocks whose sums are added in order, so that the result depends neither
/// on threads nor, for the basis, on ranks.
struct RowBlocks {
  RowBlocks(std::int64_t all_rows, std::int64_t width) : rows(all_rows) {
    constexpr std::int64_t most_blocks = 64;
    constexpr std::int64_t least_rows = 64;
    constexpr std::int64_t most_doubles = std::int64_t{1} << 23;
    const std::int64_t affordable = std::max<std::int64_t>(1, most_doubles / (width * width));
    count = std::clamp<std::int64_t>(rows / least_rows, 1, std::min(most_blocks, affordable));
  }
  std::int64_t begin(std::int64_t block) const { return rows * block / count; }

  std::int64_t rows;
  std::int64_t count;
};

/// What the rows of a block add up to.
struct RowSums {
  MatrixD gram;        ///< of the rows
  double overlap = 0;  ///< of the rows with their linear parts
};

/// Rows that are improved at once.
constexpr std::int64_t kRowsAtOnce = 256;

/// For some rows at a time: fills their linear parts by linear_parts(first, count, linear),
/// improves them by step(linear, first, count). Returns the sums over the new rows.
template <class Scalar, class LinearParts, class Step>
RowSums improve_rows(PaddedRows<Scalar>& rows, int jobs, LinearParts&& linear_parts, Step&& step) {
  const RowBlocks blocks(rows.rows(), rows.columns());
  std::vector<RowSums> parts(static_cast<std::size_t>(blocks.count));
  const auto improve_block = [&](std::int64_t block) {
    PaddedRows<Scalar> linear(kRowsAtOnce, rows.columns());
    GramSum<Scalar> gram(rows.columns());
    double in_common = 0;
    const std::int64_t end = blocks.begin(block + 1);
    for (std::int64_t first = blocks.begin(block); first < end; first += kRowsAtOnce) {
      const std::int64_t count = std::min(kRowsAtOnce, end - first);
      linear_parts(first, count, linear);
      step(linear, first, count);
      gram.add(rows, first, count);
      in_common += overlap(linear, rows, first, count);
    }
    parts[static_cast<std::size_t>(block)] = {gram.result(), in_common};
  };
  parallel_for(
      parts.size(), jobs,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t block = begin; block < end; ++block)
          improve_block(static_cast<std::int64_t>(block));
      },
      1);
  for (std::size_t block = 1; block < parts.size(); ++block) {
    parts[0].gram += parts[block].gram;
    parts[0].overlap += parts[block].overlap;
  }
  return parts[0];
}

}  // namespace commonplace::search

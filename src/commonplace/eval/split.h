#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {

/// Which rows are for learning and which for testing. A row's side depends on (seed, row) alone: it
/// stays when rows are appended, and every rank knows it of its own rows. The sizes are therefore
/// only about the share that was asked for.

struct Split {
  std::vector<std::int64_t> train;  ///< ascending
  std::vector<std::int64_t> test;   ///< ascending
};

/// Whether `row` is for testing, which it is with probability `share`, in [0, 1].
inline bool is_test_row(std::uint64_t seed, std::int64_t row, double share) {
  require(share >= 0 && share <= 1, "a test share of ", share,
          " is not possible; give one from 0 to 1");
  // The column keeps these draws apart from others with the same seed.
  constexpr std::uint64_t split_column = 0x73706c6974ULL;
  return random_uniform(seed, static_cast<std::uint64_t>(row), split_column) < share;
}

/// The fold of `row`, in 0 .. folds-1.
inline int fold_of_row(std::uint64_t seed, std::int64_t row, int folds) {
  require(folds >= 1, "cannot make ", folds, " folds; give 1 or more");
  constexpr std::uint64_t fold_column = 0x666f6c64ULL;
  return static_cast<int>(random_uniform(seed, static_cast<std::uint64_t>(row), fold_column) *
                          folds);
}

/// The rows 0 .. count-1 by is_test_row.
inline Split split_rows(std::uint64_t seed, std::int64_t count, double share) {
  Split split;
  for (std::int64_t row = 0; row < count; ++row)
    (is_test_row(seed, row, share) ? split.test : split.train).push_back(row);
  return split;
}

/// The rows 0 .. count-1 with those of `fold` for testing.
inline Split split_fold(std::uint64_t seed, std::int64_t count, int folds, int fold) {
  require(fold >= 0 && fold < folds, "there is no fold ", fold, " of ", folds,
          "; folds go from 0 to folds - 1");
  Split split;
  for (std::int64_t row = 0; row < count; ++row)
    (fold_of_row(seed, row, folds) == fold ? split.test : split.train).push_back(row);
  return split;
}

}  // namespace commonplace

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// Rows in int8 scalar quantisation (SQ8), a byte a number, for fast scans: entry (i, j) stands for
/// scales[j] * bytes[i * columns + j]. What it points to lives elsewhere, such as in a
/// memory-mapped file.
struct Sq8RowsView {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::span<const std::int8_t> bytes;  ///< rows x columns, without padding
  std::span<const float> scales;       ///< columns
  std::span<const float> worst;        ///< columns: the greatest error of an entry
};

/// The owning form.
struct Sq8Rows {
  std::int64_t columns = 0;
  std::vector<std::int8_t> bytes;
  std::vector<float> scales;
  std::vector<float> worst;

  std::int64_t rows() const {
    return columns == 0 ? 0 : static_cast<std::int64_t>(bytes.size()) / columns;
  }
  Sq8RowsView view() const { return {rows(), columns, bytes, scales, worst}; }
};

/// The greatest magnitude of each column so far; call it block by block with the same vector, at
/// first empty. Error for a number that is not finite.
void add_magnitudes(const Eigen::Ref<const Matrix>& rows, std::vector<float>& magnitudes);

/// No rows yet, with scales such that entries up to `magnitudes` fit.
Sq8Rows sq8_rows(std::span<const float> magnitudes);
/// Appends rows. An entry that does not fit is cut off, and `worst` tells. O(n columns).
void append(Sq8Rows& into, const Eigen::Ref<const Matrix>& rows, int jobs = 0);
/// The same into bytes that lie elsewhere, n x columns, for files that are written in blocks.
void quantise(const Eigen::Ref<const Matrix>& rows, std::span<const float> scales,
              std::span<std::int8_t> bytes, std::span<float> worst, int jobs = 0);
/// All at once.
Sq8Rows quantise(const Eigen::Ref<const Matrix>& rows, int jobs = 0);

/// About the product of each row and `weights` (one per column): weights times scales are rounded
/// to 16 bits and products added up in 32, exactly, so that every machine gives the same bits.
/// Runs at the speed of memory. No score is farther than `scan_error` from that of the numbers that
/// were quantised.
std::vector<float> scan(const Sq8RowsView& rows, std::span<const double> weights, int jobs = 0);
double scan_error(const Sq8RowsView& rows, std::span<const double> weights);

/// The `count` greatest scores' places, greatest first; ties go to the lower place. O(n).
std::vector<std::int64_t> best_scores(std::span<const float> scores, std::int64_t count,
                                      int jobs = 0);

/// For tests: the levels of x86-64 that scans are compiled for and that this machine can run,
/// ascending (1 is what every machine can), and the highest that is used from now on.
std::vector<int> levels_of_scans();
void limit_scans(int level);

}  // namespace commonplace

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace::search {

struct ScoredRow {
  std::int64_t row = 0;
  float score = 0;

  bool operator==(const ScoredRow&) const = default;
};

/// What a search may return and what it starts from; both may be empty.
struct ScanScope {
  std::span<const float> base;         ///< added to the product of each row
  std::span<const std::uint8_t> keep;  ///< rows with 0 are left out
};

/// The rows with the greatest base + query . row, exactly, by a scan in two passes: the first over
/// a copy in 8 bits with a bound on its error, the second over the few rows that may be among the
/// best. Holds the rows it is given as a view, and rows x (columns + 4) bytes of its own.
class ScanIndex {
 public:
  /// `rows` must outlive the index. O(rows columns). Error if a value is not finite.
  explicit ScanIndex(const MatrixView& rows, int jobs = 0);

  /// The `count` best rows, best first; ties by row; fewer if fewer are kept. The same as computing
  /// every product in double and rounding it to float. Error if shapes do not fit, or if `query`
  /// or `scope.base` is not finite. O(rows x columns where the query is not 0), and a second look
  /// at all rows in the worst case, which is when they tie.
  std::vector<ScoredRow> search(std::span<const float> query, std::size_t count,
                                const ScanScope& scope = {}, int jobs = 0) const;

  std::int64_t rows() const { return rows_.rows(); }
  std::int64_t columns() const { return rows_.cols(); }

 private:
  MatrixView rows_;
  /// Blocks of rows one after the other, column by column within each: a query's zeros are skipped.
  std::vector<std::int8_t> codes_;
  std::vector<float> scales_;  ///< row = scale x code, within half a scale in each column
};

}  // namespace commonplace::search

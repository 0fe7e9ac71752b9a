#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// A sparse matrix laid out for one thing: its product with a vector, again and again. Sixteen rows
/// lie side by side, filled up to the longest of them, so that the inner loop has a fixed length;
/// values are left out where all are 1. About (longest of sixteen) x 4 bytes a row.
class PackedRows {
 public:
  explicit PackedRows(const SparseView& rows);

  /// into[r] += row r times `vector`, each added up in the order of its columns, in float. O(size),
  /// the same for any number of `jobs`.
  void add_product(std::span<const float> vector, std::span<float> into, int jobs = 0) const;

  std::int64_t rows() const { return rows_; }

 private:
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::vector<std::int64_t> starts_{0};  ///< per sixteen rows, into the two below
  std::vector<std::int32_t> indices_;    ///< `columns_`, a place that holds 0, where a row is short
  std::vector<float> values_;            ///< empty if all are 1
};

}  // namespace commonplace

#pragma once

#include <cstdint>
#include <span>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// Error unless there are rows and columns and all numbers are finite; it names the row.
void check_dense_rows(const Eigen::Ref<const Matrix>& rows);
void check_dense_rows(const Eigen::Ref<const MatrixD>& rows);

/// Error unless there is one column a concept, a row for each of so many items, and nothing but 1
/// (has it), -1 (has it not) and 0 (not labelled).
void check_labels(const Eigen::Ref<const MatrixD>& labels, std::int64_t items);

/// Error unless each is one of so many items.
void check_items(std::span<const std::int64_t> items, std::int64_t count);

}  // namespace commonplace

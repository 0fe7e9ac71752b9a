#pragma once

#include <cstdint>
#include <span>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// For each row of A the `count` rows of B with the greatest inner product above 0, as a row of a
/// sparse matrix of A's rows x B's rows whose values are the products, columns ascending; ties go
/// to the lower row. `skip[i]` (if `skip` is not empty) is a row of B that row i of A must not
/// get, or -1. O(products of common terms, and rows of B where these are many); the result does not
/// depend on `jobs`.
Sparse nearest_rows(const SparseView& a, const SparseView& b, std::int64_t count,
                    std::span<const std::int64_t> skip = {}, int jobs = 0);
/// The same with B given by its columns, as transpose(B) has it, for those who ask often.
Sparse nearest_rows_by_column(const SparseView& a, const SparseView& b_columns, std::int64_t count,
                              std::span<const std::int64_t> skip = {}, int jobs = 0);

/// The same of products, A's rows x B's rows, that are there already.
Sparse greatest_of_rows(const Eigen::Ref<const Matrix>& products, std::int64_t count,
                        std::span<const std::int64_t> skip = {}, int jobs = 0);

}  // namespace commonplace

#pragma once

#include <cstdint>

#include "commonplace/base/matrix.h"
#include "commonplace/base/rng.h"

namespace commonplace {

/// Numbers in [0, 1), functions of (seed, row, column).
inline Matrix uniform_rows(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  Matrix result(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      result(i, j) = static_cast<float>(
          random_uniform(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)));
  return result;
}

/// What is not 0 of a matrix.
inline Sparse nonzeros_of(const MatrixD& dense) {
  Sparse result;
  result.columns = dense.cols();
  for (Eigen::Index row = 0; row < dense.rows(); ++row) {
    for (Eigen::Index column = 0; column < dense.cols(); ++column)
      if (dense(row, column) != 0)
        result.push(static_cast<std::int32_t>(column), static_cast<float>(dense(row, column)));
    result.end_row();
  }
  return result;
}

}  // namespace commonplace

#include "commonplace/math/sparse_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"

namespace commonplace {
namespace {

/// A contiguous piece of a sparse row.
template <class Value>
struct Entries {
  const std::int32_t* columns;
  const Value* values;
  std::int64_t count;
};

/// The same as gather_body for two columns, which stay in registers: the case of two classes.
template <class Value, class Scalar>
[[gnu::always_inline]] inline void gather_two(const Entries<Value>& row, const Scalar* b,
                                              Scalar* __restrict out) {
  Scalar first = out[0];
  Scalar second = out[1];
  for (std::int64_t i = 0; i < row.count; ++i) {
    const Scalar value = static_cast<Scalar>(row.values[i]);
    const Scalar* __restrict from = b + row.columns[i] * std::int64_t{2};
    first += value * from[0];
    second += value * from[1];
  }
  out[0] = first;
  out[1] = second;
}

/// `out` (k) += the entries times the rows of `b` (each k) that their columns name.
template <class Value, class Scalar>
[[gnu::always_inline]] inline void gather_body(const Entries<Value>& row, const Scalar* b,
                                               std::int64_t k, Scalar* __restrict out) {
  if (k == 2) return gather_two(row, b, out);
  for (std::int64_t i = 0; i < row.count; ++i) {
    const Scalar value = static_cast<Scalar>(row.values[i]);
    const Scalar* __restrict from = b + row.columns[i] * k;
    for (std::int64_t j = 0; j < k; ++j) out[j] += value * from[j];
  }
}

/// The rows of `out` (each k) that the columns of the entries name += their values times `b` (k).
template <class Value, class Scalar>
[[gnu::always_inline]] inline void scatter_body(const Entries<Value>& row,
                                                const Scalar* __restrict b, std::int64_t k,
                                                double* out) {
  for (std::int64_t i = 0; i < row.count; ++i) {
    const double value = static_cast<double>(row.values[i]);
    double* __restrict into = out + row.columns[i] * k;
    for (std::int64_t j = 0; j < k; ++j) into[j] += value * static_cast<double>(b[j]);
  }
}

COMMONPLACE_CLONES void gather(const Entries<float>& row, const float* b, std::int64_t k,
                               float* out) {
  gather_body(row, b, k, out);
}
COMMONPLACE_CLONES void gather(const Entries<float>& row, const double* b, std::int64_t k,
                               double* out) {
  gather_body(row, b, k, out);
}
COMMONPLACE_CLONES void scatter(const Entries<float>& row, const float* b, std::int64_t k,
                                double* out) {
  scatter_body(row, b, k, out);
}
COMMONPLACE_CLONES void scatter(const Entries<float>& row, const double* b, std::int64_t k,
                                double* out) {
  scatter_body(row, b, k, out);
}
COMMONPLACE_CLONES void scatter(const Entries<double>& row, const double* b, std::int64_t k,
                                double* out) {
  scatter_body(row, b, k, out);
}

template <class Dense>
Dense multiply_any(const SparseView& a, const Dense& b, int jobs) {
  require(a.columns == b.rows(), "a sparse matrix of ", a.columns,
          " columns cannot be multiplied by a dense one of ", b.rows(), " rows");
  Dense result = Dense::Zero(a.rows, b.cols());
  parallel_for(static_cast<std::size_t>(a.rows), jobs, [&](std::size_t begin, std::size_t end) {
    for (auto row = static_cast<std::int64_t>(begin); row < static_cast<std::int64_t>(end); ++row) {
      const auto indices = a.row_indices(row);
      gather({indices.data(), a.row_values(row).data(), std::ssize(indices)}, b.data(), b.cols(),
             result.data() + row * b.cols());
    }
  });
  return result;
}

/// Each part owns a range of columns of A, that is of rows of the result, and walks all of A's
/// rows: no two threads write to the same place and every entry is added up in the order of A.
template <class Value, class Scalar>
void add_transposed(const SparseView& a, std::int64_t first_row, std::int64_t rows,
                    const Value* values, const Scalar* b, std::int64_t k,
                    std::span<const std::int32_t> bounds, double* into, int jobs) {
  const std::int64_t base = a.starts[static_cast<std::size_t>(first_row)];
  parallel_for(
      bounds.size() - 1, jobs,
      [&](std::size_t first, std::size_t last) {
        for (std::int64_t row = 0; row < rows; ++row) {
          const auto indices = a.row_indices(first_row + row);
          const auto begin = std::lower_bound(indices.begin(), indices.end(), bounds[first]);
          const auto end = std::lower_bound(begin, indices.end(), bounds[last]);
          const std::int64_t skipped = begin - indices.begin();
          const std::int64_t offset =
              a.starts[static_cast<std::size_t>(first_row + row)] - base + skipped;
          scatter({indices.data() + skipped, values + offset, end - begin}, b + row * k, k, into);
        }
      },
      1);
}

template <class Dense>
MatrixD transposed_multiply_any(const SparseView& a, const Dense& b, int jobs) {
  require(a.rows == b.rows(), "the transpose of a sparse matrix of ", a.rows,
          " rows cannot be multiplied by a dense one of ", b.rows(), " rows");
  MatrixD result = MatrixD::Zero(a.columns, b.cols());
  const std::int64_t threads = resolve_jobs(jobs);
  const auto bounds = balanced_columns(a, threads == 1 ? 1 : 2 * threads);
  if (a.rows > 0)
    add_transposed(a, 0, a.rows, a.values.data() + a.starts[0], b.data(), b.cols(), bounds,
                   result.data(), jobs);
  return result;
}

template <class Value>
double squared_length(std::span<const Value> values) {
  double sum = 0;
  for (const Value value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return sum;
}

}  // namespace

Matrix multiply(const SparseView& a, const Matrix& b, int jobs) { return multiply_any(a, b, jobs); }
MatrixD multiply(const SparseView& a, const MatrixD& b, int jobs) {
  return multiply_any(a, b, jobs);
}

MatrixD transposed_multiply(const SparseView& a, const Matrix& b, int jobs) {
  return transposed_multiply_any(a, b, jobs);
}
MatrixD transposed_multiply(const SparseView& a, const MatrixD& b, int jobs) {
  return transposed_multiply_any(a, b, jobs);
}

Sparse multiply(const SparseView& a, const SparseView& b) {
  require(a.columns == b.rows, "a sparse matrix of ", a.columns,
          " columns cannot be multiplied by one of ", b.rows, " rows");
  Sparse result;
  result.columns = b.columns;
  std::vector<double> sums(static_cast<std::size_t>(b.columns));
  std::vector<char> present(static_cast<std::size_t>(b.columns));
  std::vector<std::int32_t> seen;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const auto terms = a.row_indices(row);
    const auto weights = a.row_values(row);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto columns = b.row_indices(terms[i]);
      const auto values = b.row_values(terms[i]);
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const auto column = static_cast<std::size_t>(columns[j]);
        if (present[column] == 0) seen.push_back(columns[j]);
        present[column] = 1;
        sums[column] += static_cast<double>(weights[i]) * static_cast<double>(values[j]);
      }
    }
    std::sort(seen.begin(), seen.end());
    for (const std::int32_t column : seen) {
      result.push(column, static_cast<float>(sums[static_cast<std::size_t>(column)]));
      sums[static_cast<std::size_t>(column)] = 0;
      present[static_cast<std::size_t>(column)] = 0;
    }
    seen.clear();
    result.end_row();
  }
  return result;
}

Sparse add(const SparseView& a, const SparseView& b) {
  require(a.rows == b.rows && a.columns == b.columns, "matrices of ", a.rows, " x ", a.columns,
          " and ", b.rows, " x ", b.columns, " cannot be added");
  Sparse result;
  result.columns = a.columns;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const auto left = a.row_indices(row);
    const auto right = b.row_indices(row);
    for (std::size_t l = 0, r = 0; l < left.size() || r < right.size();) {
      const bool take_left = r == right.size() || (l < left.size() && left[l] <= right[r]);
      const bool take_right = l == left.size() || (r < right.size() && right[r] <= left[l]);
      const std::int32_t column = take_left ? left[l] : right[r];
      float sum = 0;
      if (take_left) sum += a.row_values(row)[l++];
      if (take_right) sum += b.row_values(row)[r++];
      result.push(column, sum);
    }
    result.end_row();
  }
  return result;
}

std::vector<std::int32_t> balanced_columns(const SparseView& a, std::int64_t parts) {
  std::vector<std::int64_t> per_column(static_cast<std::size_t>(a.columns));
  for (const std::int32_t column : a.indices) ++per_column[static_cast<std::size_t>(column)];
  std::vector<std::int32_t> bounds = {0};
  std::int64_t seen = 0;
  for (std::size_t column = 0; column + 1 < per_column.size(); ++column) {
    seen += per_column[column];
    const auto part = static_cast<std::int64_t>(bounds.size());
    if (part < parts && seen * parts >= a.nonzeros() * part)
      bounds.push_back(static_cast<std::int32_t>(column + 1));
  }
  bounds.push_back(static_cast<std::int32_t>(a.columns));
  return bounds;
}

void add_transposed_product(const SparseView& a, std::int64_t first_row,
                            std::span<const double> values, const Eigen::Ref<const MatrixD>& b,
                            std::span<const std::int32_t> bounds, MatrixD& into, int jobs) {
  require(first_row >= 0 && first_row + b.rows() <= a.rows && into.rows() == a.columns &&
              into.cols() == b.cols() && b.outerStride() == b.cols(),
          "rows ", first_row, " .. ", first_row + b.rows() - 1, " of a sparse matrix of ", a.rows,
          " x ", a.columns, " do not fit a dense one of ", b.rows(), " x ", b.cols(),
          " and a sum of ", into.rows(), " x ", into.cols());
  if (b.rows() == 0) return;
  require(static_cast<std::int64_t>(values.size()) ==
              a.starts[static_cast<std::size_t>(first_row + b.rows())] -
                  a.starts[static_cast<std::size_t>(first_row)],
          values.size(), " values do not fit the nonzeros of these rows");
  add_transposed(a, first_row, b.rows(), values.data(), b.data(), b.cols(), bounds, into.data(),
                 jobs);
}

Sparse transpose(const SparseView& a) {
  require(a.rows <= std::numeric_limits<std::int32_t>::max(), "a matrix of ", a.rows,
          " rows cannot be transposed; columns are numbered by 32 bits");
  Sparse result;
  result.columns = a.rows;
  result.starts.assign(static_cast<std::size_t>(a.columns) + 1, 0);
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < a.rows; ++row)
    for (const std::int32_t column : a.row_indices(row)) {
      ++result.starts[static_cast<std::size_t>(column) + 1];
      ++count;
    }
  for (std::size_t i = 1; i < result.starts.size(); ++i) result.starts[i] += result.starts[i - 1];
  // Of a part of a larger matrix fewer than its offsets say.
  result.indices.resize(static_cast<std::size_t>(count));
  result.values.resize(static_cast<std::size_t>(count));
  std::vector<std::int64_t> next(result.starts.begin(), result.starts.end() - 1);
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const auto indices = a.row_indices(row);
    const auto values = a.row_values(row);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(indices[i])]++);
      result.indices[place] = static_cast<std::int32_t>(row);
      result.values[place] = values[i];
    }
  }
  return result;
}

VectorD row_norms(const SparseView& a, int jobs) {
  VectorD result(a.rows);
  parallel_for(static_cast<std::size_t>(a.rows), jobs, [&](std::size_t begin, std::size_t end) {
    for (auto row = static_cast<std::int64_t>(begin); row < static_cast<std::int64_t>(end); ++row)
      result[row] = std::sqrt(squared_length(a.row_values(row)));
  });
  return result;
}

void normalise_rows(Sparse& a, int jobs) {
  parallel_for(static_cast<std::size_t>(a.rows()), jobs, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::span<float> values(a.values.data() + a.starts[row],
                                    a.values.data() + a.starts[row + 1]);
      const double norm = std::sqrt(squared_length<float>(values));
      if (norm == 0) continue;
      for (float& value : values) value = static_cast<float>(value / norm);
    }
  });
}

double squared_norm(const SparseView& a) {
  double sum = 0;
  for (std::int64_t row = 0; row < a.rows; ++row)
    for (const float value : a.row_values(row))
      sum += static_cast<double>(value) * static_cast<double>(value);
  return sum;
}

double dot_rows(const SparseView& a, std::int64_t i, const SparseView& b, std::int64_t j) {
  require(a.columns == b.columns, "rows of ", a.columns, " and ", b.columns,
          " columns have no product");
  const auto left = a.row_indices(i);
  const auto right = b.row_indices(j);
  const auto left_values = a.row_values(i);
  const auto right_values = b.row_values(j);
  double sum = 0;
  for (std::size_t l = 0, r = 0; l < left.size() && r < right.size();) {
    if (left[l] == right[r])
      sum += static_cast<double>(left_values[l++]) * static_cast<double>(right_values[r++]);
    else if (left[l] < right[r])
      ++l;
    else
      ++r;
  }
  return sum;
}

COMMONPLACE_CLONES double dot(const double* a, const double* b, std::int64_t n) {
  // Eight sums side by side: the compiler may not reorder one sum, but keeps these in registers.
  constexpr std::int64_t lanes = 8;
  double sums[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (std::int64_t lane = 0; lane < lanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  double rest = 0;
  for (; i < n; ++i) rest += a[i] * b[i];
  for (std::int64_t half = lanes / 2; half > 0; half /= 2)
    for (std::int64_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  return sums[0] + rest;
}

COMMONPLACE_CLONES void add_scaled(double* __restrict into, const double* __restrict x,
                                   double scale, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) into[i] += scale * x[i];
}

}  // namespace commonplace

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace commonplace {

/// Rows are items, always. Item-length data is float; statistics and solves are double.
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixD = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using VectorD = Eigen::VectorXd;

/// A read-only view of a dense matrix that lives elsewhere, such as in a memory-mapped file.
using MatrixView = Eigen::Map<const Matrix>;

/// Compressed sparse rows: row r holds entries starts[r] .. starts[r+1]-1, columns ascending.
/// Plain arrays rather than Eigen's type, so that 64-bit offsets go with 32-bit columns and a
/// memory-mapped file is a view of the same shape.
template <class Value>
struct BasicSparseView {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::span<const std::int64_t> starts;  ///< rows + 1
  std::span<const std::int32_t> indices;
  std::span<const Value> values;

  std::int64_t nonzeros() const {
    return starts.empty() ? 0 : starts[static_cast<std::size_t>(rows)];
  }
  std::span<const std::int32_t> row_indices(std::int64_t row) const {
    return indices.subspan(offset(row), offset(row + 1) - offset(row));
  }
  std::span<const Value> row_values(std::int64_t row) const {
    return values.subspan(offset(row), offset(row + 1) - offset(row));
  }

 private:
  std::size_t offset(std::int64_t row) const {
    return static_cast<std::size_t>(starts[static_cast<std::size_t>(row)]);
  }
};

using SparseView = BasicSparseView<float>;
using SparseViewD = BasicSparseView<double>;

/// The owning form of SparseView. Append rows with `push` and `end_row`.
struct Sparse {
  std::int64_t columns = 0;
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> indices;
  std::vector<float> values;

  std::int64_t rows() const { return static_cast<std::int64_t>(starts.size()) - 1; }
  std::int64_t nonzeros() const { return static_cast<std::int64_t>(indices.size()); }
  void push(std::int32_t column, float value) {
    indices.push_back(column);
    values.push_back(value);
  }
  void end_row() { starts.push_back(static_cast<std::int64_t>(indices.size())); }
  /// Appends a row of a matrix of as many columns.
  void push_row(const SparseView& from, std::int64_t row) {
    const auto columns_of_row = from.row_indices(row);
    const auto values_of_row = from.row_values(row);
    indices.insert(indices.end(), columns_of_row.begin(), columns_of_row.end());
    values.insert(values.end(), values_of_row.begin(), values_of_row.end());
    end_row();
  }
  SparseView view() const { return {rows(), columns, starts, indices, values}; }
};

inline Sparse copy(const SparseView& view) {
  Sparse result{view.columns,
                {view.starts.begin(), view.starts.end()},
                {view.indices.begin(), view.indices.end()},
                {view.values.begin(), view.values.end()}};
  if (result.starts.empty()) result.starts.push_back(0);
  return result;
}

}  // namespace commonplace

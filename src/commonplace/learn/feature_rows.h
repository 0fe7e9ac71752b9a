#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// Features of items, dense or sparse, that live elsewhere. Small; pass by value or reference.
class FeatureRows {
 public:
  FeatureRows(const SparseView& sparse) : rows_(sparse) {}
  FeatureRows(const MatrixView& dense) : rows_(dense) {}
  FeatureRows(const Matrix& dense) : rows_(MatrixView(dense.data(), dense.rows(), dense.cols())) {}
  FeatureRows(const Sparse& sparse) : rows_(sparse.view()) {}
  FeatureRows(Matrix&&) = delete;
  FeatureRows(Sparse&&) = delete;

  std::int64_t rows() const;
  std::int64_t columns() const;
  bool is_sparse() const { return std::holds_alternative<SparseView>(rows_); }
  const SparseView& sparse() const { return std::get<SparseView>(rows_); }
  const MatrixView& dense() const { return std::get<MatrixView>(rows_); }

 private:
  std::variant<SparseView, MatrixView> rows_;
};

/// The rows first .. first + count - 1, still a view. Of sparse ones the arrays stay whole, so that
/// only row_indices and row_values tell what is in it.
FeatureRows slice(const FeatureRows& rows, std::int64_t first, std::int64_t count);

/// Rows that belong to a model, such as prototypes: one of the two is empty.
struct StoredRows {
  Matrix dense;
  Sparse sparse;
  bool is_sparse = false;

  FeatureRows view() const { return is_sparse ? FeatureRows(sparse) : FeatureRows(dense); }
};

class TensorWriter;
class TensorFile;
struct TensorShape;
/// As one tensor of a model's list (io/tensors.h), of either kind.
void save_tensor(TensorWriter& writer, const std::string& name, const StoredRows& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name, StoredRows& value);

/// The named rows, copied.
StoredRows take_rows(const FeatureRows& rows, std::span<const std::int64_t> which);

/// |x|² of each row.
VectorD squared_norms(const FeatureRows& rows);

/// Rows that others are compared with again and again: what `products` would make of them each time
/// is made once, O(nonzeros). The rows must outlive it; several threads may use it at once.
class ComparedRows {
 public:
  explicit ComparedRows(const FeatureRows& rows);
  ~ComparedRows();
  ComparedRows(ComparedRows&&) noexcept;

  const FeatureRows& rows() const { return rows_; }
  const VectorD& squared_norms() const { return squared_norms_; }
  /// products(a, rows()), to the bit.
  Matrix products(const FeatureRows& a, int jobs = 0) const;

 private:
  struct Slabs;
  FeatureRows rows_;
  VectorD squared_norms_;
  std::unique_ptr<const Slabs> slabs_;  ///< of sparse rows
};

/// Every row of `a` times every row of `b`, n x m; both dense or both sparse. Of sparse ones only
/// the columns that many rows of `b` have are made dense, which takes at most four times the memory
/// of `b`. O(nonzeros of a · m) or less. The same bits for a row alone as among others.
Matrix products(const FeatureRows& a, const FeatureRows& b, int jobs = 0);
/// The same added up in double.
MatrixD exact_products(const FeatureRows& a, const FeatureRows& b, int jobs = 0);

}  // namespace commonplace

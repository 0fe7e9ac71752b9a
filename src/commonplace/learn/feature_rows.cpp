#include "commonplace/learn/feature_rows.h"

#include <algorithm>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"
#include "commonplace/io/tensors.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace {
namespace {

/// Rows of `b` that are multiplied at a time, so that a stretch of the result stays in the cache.
constexpr std::int64_t kSlab = 4096;
/// A column that more than a share of 1 / kHeavy of the rows have is made dense.
constexpr std::int64_t kHeavy = 8;

COMMONPLACE_CLONES
void add_multiple(float scale, const float* from, float* into, std::int64_t count) {
  for (std::int64_t j = 0; j < count; ++j) into[j] += scale * from[j];
}

COMMONPLACE_CLONES
void add_multiple(double scale, const double* from, double* into, std::int64_t count) {
  for (std::int64_t j = 0; j < count; ++j) into[j] += scale * from[j];
}

SparseView rows_between(const SparseView& rows, std::int64_t first, std::int64_t count) {
  return {count, rows.columns,
          rows.starts.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count) + 1),
          rows.indices, rows.values};
}

/// Some rows of a sparse matrix by column: as numbers for every row, or as a list of those that
/// have the column.
template <class Scalar>
class Slab {
 public:
  explicit Slab(const SparseView& rows) : rows_(rows.rows) {
    Sparse own;
    own.columns = rows.columns;
    for (std::int64_t row = 0; row < rows.rows; ++row) own.push_row(rows, row);
    columns_ = transpose(own.view());
    dense_at_.assign(static_cast<std::size_t>(rows.columns), -1);
    std::int64_t heavy = 0;
    const SparseView lists = columns_.view();
    for (std::int64_t c = 0; c < rows.columns; ++c)
      if (std::ssize(lists.row_indices(c)) * kHeavy > rows_)
        dense_at_[static_cast<std::size_t>(c)] = heavy++;
    dense_.assign(static_cast<std::size_t>(heavy * rows_), Scalar{0});
    for (std::int64_t c = 0; c < rows.columns; ++c) {
      const std::int64_t at = dense_at_[static_cast<std::size_t>(c)];
      if (at < 0) continue;
      Scalar* into = dense_.data() + at * rows_;
      for (std::size_t i = 0; i < lists.row_indices(c).size(); ++i)
        into[lists.row_indices(c)[i]] = static_cast<Scalar>(lists.row_values(c)[i]);
    }
  }

  std::int64_t rows() const { return rows_; }

  /// into[j] += scale · entry `column` of row j, for every j.
  void add_column(std::int32_t column, Scalar scale, Scalar* into) const {
    const Scalar* numbers = dense_column(column);
    if (numbers != nullptr) {
      add_multiple(scale, numbers, into, rows_);
      return;
    }
    const SparseView lists = columns_.view();
    const auto which = lists.row_indices(column);
    const auto values = lists.row_values(column);
    for (std::size_t i = 0; i < which.size(); ++i)
      into[which[i]] += scale * static_cast<Scalar>(values[i]);
  }

 private:
  const Scalar* dense_column(std::int64_t column) const {
    const std::int64_t at = dense_at_[static_cast<std::size_t>(column)];
    return at < 0 ? nullptr : dense_.data() + at * rows_;
  }

  std::int64_t rows_;
  Sparse columns_;
  std::vector<std::int64_t> dense_at_;  ///< per column, its place in dense_ or -1
  std::vector<Scalar> dense_;
};

/// The columns first .. of `into`, which is zero there: every row of `a` times every one of a slab.
template <class Scalar, class Result>
void multiply_by_slab(const SparseView& a, const Slab<Scalar>& slab, std::int64_t first,
                      Result& into, int jobs) {
  parallel_for(static_cast<std::size_t>(a.rows), jobs, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      const auto row = static_cast<std::int64_t>(r);
      Scalar* sums = into.data() + row * into.cols() + first;
      const auto columns = a.row_indices(row);
      const auto values = a.row_values(row);
      for (std::size_t i = 0; i < columns.size(); ++i)
        slab.add_column(columns[i], static_cast<Scalar>(values[i]), sums);
    }
  });
}

template <class Result>
Result sparse_products(const SparseView& a, const SparseView& b, int jobs) {
  Result result = Result::Zero(a.rows, b.rows);
  for (std::int64_t first = 0; first < b.rows; first += kSlab) {
    const Slab<typename Result::Scalar> slab(
        rows_between(b, first, std::min(kSlab, b.rows - first)));
    multiply_by_slab(a, slab, first, result, jobs);
  }
  return result;
}

void check_pair(const FeatureRows& a, const FeatureRows& b) {
  require(a.columns() == b.columns(), "items of ", a.columns(),
          " features cannot be compared with items of ", b.columns(),
          "; give items with the features that were learned from");
  require(a.is_sparse() == b.is_sparse(), "sparse items cannot be compared with dense ones");
}

}  // namespace

std::int64_t FeatureRows::rows() const { return is_sparse() ? sparse().rows : dense().rows(); }

std::int64_t FeatureRows::columns() const {
  return is_sparse() ? sparse().columns : dense().cols();
}

FeatureRows slice(const FeatureRows& rows, std::int64_t first, std::int64_t count) {
  require(first >= 0 && count >= 0 && first + count <= rows.rows(), "rows ", first, " .. ",
          first + count, " are not all among ", rows.rows());
  if (rows.is_sparse()) {
    if (rows.rows() == 0) return rows;
    return rows_between(rows.sparse(), first, count);
  }
  const MatrixView& dense = rows.dense();
  return MatrixView(dense.data() + first * dense.cols(), count, dense.cols());
}

void save_tensor(TensorWriter& writer, const std::string& name, const StoredRows& value) {
  if (value.is_sparse)
    save_tensor(writer, name, value.sparse);
  else
    save_tensor(writer, name, value.dense);
}

TensorShape load_tensor(const TensorFile& file, const std::string& name, StoredRows& value) {
  value.is_sparse = !file.has(name);
  return value.is_sparse ? load_tensor(file, name, value.sparse)
                         : load_tensor(file, name, value.dense);
}

StoredRows take_rows(const FeatureRows& rows, std::span<const std::int64_t> which) {
  for (const std::int64_t row : which)
    require(row >= 0 && row < rows.rows(), "there is no row ", row, " among ", rows.rows());
  StoredRows result;
  result.is_sparse = rows.is_sparse();
  if (rows.is_sparse()) {
    result.sparse.columns = rows.columns();
    for (const std::int64_t row : which) result.sparse.push_row(rows.sparse(), row);
    return result;
  }
  result.dense.resize(std::ssize(which), rows.columns());
  for (std::size_t i = 0; i < which.size(); ++i)
    result.dense.row(static_cast<Eigen::Index>(i)) = rows.dense().row(which[i]);
  return result;
}

VectorD squared_norms(const FeatureRows& rows) {
  VectorD result = VectorD::Zero(rows.rows());
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    if (!rows.is_sparse()) {
      result[row] = rows.dense().row(row).cast<double>().squaredNorm();
      continue;
    }
    for (const float value : rows.sparse().row_values(row))
      result[row] += static_cast<double>(value) * static_cast<double>(value);
  }
  return result;
}

struct ComparedRows::Slabs {
  std::vector<Slab<float>> all;
};

ComparedRows::ComparedRows(const FeatureRows& rows)
    : rows_(rows), squared_norms_(commonplace::squared_norms(rows)) {
  if (!rows.is_sparse()) return;
  auto slabs = std::make_unique<Slabs>();
  for (std::int64_t first = 0; first < rows.rows(); first += kSlab)
    slabs->all.emplace_back(
        rows_between(rows.sparse(), first, std::min(kSlab, rows.rows() - first)));
  slabs_ = std::move(slabs);
}
ComparedRows::~ComparedRows() = default;
ComparedRows::ComparedRows(ComparedRows&&) noexcept = default;

Matrix ComparedRows::products(const FeatureRows& a, int jobs) const {
  check_pair(a, rows_);
  if (!slabs_) return multiply_transposed(a.dense(), rows_.dense(), jobs);
  Matrix result = Matrix::Zero(a.rows(), rows_.rows());
  std::int64_t first = 0;
  for (const Slab<float>& slab : slabs_->all) {
    multiply_by_slab(a.sparse(), slab, first, result, jobs);
    first += slab.rows();
  }
  return result;
}

Matrix products(const FeatureRows& a, const FeatureRows& b, int jobs) {
  check_pair(a, b);
  if (a.is_sparse()) return sparse_products<Matrix>(a.sparse(), b.sparse(), jobs);
  return multiply_transposed(a.dense(), b.dense(), jobs);
}

MatrixD exact_products(const FeatureRows& a, const FeatureRows& b, int jobs) {
  check_pair(a, b);
  if (a.is_sparse()) return sparse_products<MatrixD>(a.sparse(), b.sparse(), jobs);
  const MatrixD left = a.dense().cast<double>();
  const MatrixD right = b.dense().cast<double>().transpose();
  return multiply(left, right, jobs);
}

}  // namespace commonplace

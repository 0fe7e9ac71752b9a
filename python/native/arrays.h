#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "commonplace/base/error.h"
#include "commonplace/base/matrix.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace::python {

namespace py = pybind11;

/// Views a float32 array in C order without a copy. Error for any other: what calls this has
/// converted it.
template <class Scalar>
Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> view(
    const py::array& array) {
  require(py::isinstance<py::array_t<Scalar>>(array) && array.ndim() == 2 &&
              (array.flags() & py::array::c_style) != 0,
          "expected a matrix of ", sizeof(Scalar) == 4 ? "float32" : "float64", " in C order");
  return {static_cast<const Scalar*>(array.data()), array.shape(0), array.shape(1)};
}

/// Features of items that numpy or scipy hold; the arrays stay theirs and are not copied, but for
/// the starts of sparse rows where these are 32-bit.
class Rows {
 public:
  explicit Rows(const py::array& dense) : dense_(dense) { view<float>(dense); }
  Rows(const py::array_t<float, py::array::c_style>& data,
       const py::array_t<std::int32_t, py::array::c_style>& indices,
       const py::array_t<std::int64_t, py::array::c_style>& starts, std::int64_t columns)
      : sparse_(true), columns_(columns), data_(data), indices_(indices), starts_(starts) {
    check_sparse();
  }

  FeatureRows rows() const {
    if (sparse_) return sparse();
    const auto matrix = view<float>(dense_);
    return MatrixView(matrix.data(), matrix.rows(), matrix.cols());
  }
  SparseView sparse() const {
    require(sparse_, "expected sparse rows");
    return {starts_.size() - 1,
            columns_,
            {starts_.data(), static_cast<std::size_t>(starts_.size())},
            {indices_.data(), static_cast<std::size_t>(indices_.size())},
            {data_.data(), static_cast<std::size_t>(data_.size())}};
  }
  MatrixView dense() const { return rows().dense(); }
  bool is_sparse() const { return sparse_; }
  /// Where the numbers lie, to see that they were not copied.
  std::uintptr_t address() const {
    return reinterpret_cast<std::uintptr_t>(sparse_ ? data_.data() : dense_.data());
  }
  std::int64_t count() const { return rows().rows(); }

 private:
  void check_sparse() const {
    require(starts_.size() >= 1 && starts_.at(0) == 0 &&
                starts_.at(starts_.size() - 1) == indices_.size() &&
                indices_.size() == data_.size(),
            "the arrays of the sparse matrix do not fit together");
    const auto* starts = starts_.data();
    const auto* indices = indices_.data();
    for (py::ssize_t row = 0; row + 1 < starts_.size(); ++row) {
      require(starts[row] <= starts[row + 1], "the rows of the sparse matrix overlap");
      for (std::int64_t at = starts[row]; at < starts[row + 1]; ++at)
        require(indices[at] >= 0 && indices[at] < columns_ &&
                    (at == starts[row] || indices[at - 1] < indices[at]),
                "the columns of row ", row, " of the sparse matrix are not ascending");
    }
  }

  bool sparse_ = false;
  std::int64_t columns_ = 0;
  py::array dense_;
  py::array_t<float, py::array::c_style> data_;
  py::array_t<std::int32_t, py::array::c_style> indices_;
  py::array_t<std::int64_t, py::array::c_style> starts_;
};

/// Gives numpy an array that was made here, without a copy.
template <class Scalar, int Rows, int Columns, int Options>
py::array give(Eigen::Matrix<Scalar, Rows, Columns, Options>&& value) {
  using Held = Eigen::Matrix<Scalar, Rows, Columns, Options>;
  auto held = std::make_unique<Held>(std::move(value));
  const Held& matrix = *held;
  const py::capsule owner(held.release(), [](void* at) { delete static_cast<Held*>(at); });
  if constexpr (Rows == 1 || Columns == 1)
    return py::array_t<Scalar>({matrix.size()}, {sizeof(Scalar)}, matrix.data(), owner);
  else
    return py::array_t<Scalar>({matrix.rows(), matrix.cols()},
                               {static_cast<py::ssize_t>(sizeof(Scalar)) * matrix.cols(),
                                static_cast<py::ssize_t>(sizeof(Scalar))},
                               matrix.data(), owner);
}
template <class Scalar>
py::array give(std::vector<Scalar>&& value) {
  auto held = std::make_unique<std::vector<Scalar>>(std::move(value));
  const auto& vector = *held;
  const py::capsule owner(held.release(),
                          [](void* at) { delete static_cast<std::vector<Scalar>*>(at); });
  return py::array_t<Scalar>({static_cast<py::ssize_t>(vector.size())}, {sizeof(Scalar)},
                             vector.data(), owner);
}

/// The numbers of a one-dimensional array, copied.
template <class Value>
std::vector<Value> numbers(
    const py::array_t<Value, py::array::c_style | py::array::forcecast>& from) {
  require(from.ndim() == 1, "expected one dimension");
  return {from.data(), from.data() + from.size()};
}

}  // namespace commonplace::python

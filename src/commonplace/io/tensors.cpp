#include "commonplace/io/tensors.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

template <class Vector>
auto span_of(const Vector& values) {
  return std::span(values.data(), static_cast<std::size_t>(values.size()));
}

template <class Values>
void check_finite(const TensorFile& file, const std::string& name, const Values& values) {
  for (const auto& value : values)
    if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(value)>>)
      require(std::isfinite(value), file.name(), ": ", name,
              " holds what is not a number; the file is damaged");
}

template <class View, class Value>
TensorShape load_vector(const TensorFile& file, const std::string& name, View view, Value& value) {
  check_finite(file, name, view);
  if constexpr (requires { value.assign(view.begin(), view.end()); }) {
    value.assign(view.begin(), view.end());
  } else {
    value.resize(std::ssize(view));
    std::copy(view.begin(), view.end(), value.data());
  }
  return {std::ssize(view), -1};
}

template <class Value>
Value only_one(const TensorFile& file, const std::string& name, std::span<const Value> view) {
  require(view.size() == 1, file.name(), ": ", name, " has ", view.size(),
          " numbers, expected 1; the file is damaged");
  check_finite(file, name, view);
  return view[0];
}

std::string text_of(const TensorShape& shape) {
  const auto size = [](std::int64_t count) {
    return count < 0 ? std::string("any") : std::to_string(count);
  };
  return shape.columns < 0 ? size(shape.rows) : size(shape.rows) + " x " + size(shape.columns);
}

}  // namespace

void save_tensor(TensorWriter& writer, const std::string& name,
                 const std::vector<std::string>& value) {
  writer.add_strings(name, value);
}
void save_tensor(TensorWriter& writer, const std::string& name, const VectorD& value) {
  writer.add(name, span_of(value));
}
void save_tensor(TensorWriter& writer, const std::string& name, const Eigen::RowVectorXd& value) {
  writer.add(name, span_of(value));
}
void save_tensor(TensorWriter& writer, const std::string& name, const Eigen::RowVectorXf& value) {
  writer.add(name, span_of(value));
}
void save_tensor(TensorWriter& writer, const std::string& name, const Sparse& value) {
  writer.add_sparse(name, value.view());
}
void save_tensor(TensorWriter& writer, const std::string& name, const double& value) {
  writer.add(name, std::span<const double>(&value, 1));
}
void save_tensor(TensorWriter& writer, const std::string& name, const std::int64_t& value) {
  writer.add(name, std::span<const std::int64_t>(&value, 1));
}

TensorShape load_tensor(const TensorFile& file, const std::string& name, Matrix& value) {
  value = file.matrix(name);
  check_finite(file, name, span_of(value));
  return {value.rows(), value.cols()};
}
TensorShape load_tensor(const TensorFile& file, const std::string& name, MatrixD& value) {
  value = file.matrix_d(name);
  check_finite(file, name, span_of(value));
  return {value.rows(), value.cols()};
}
TensorShape load_tensor(const TensorFile& file, const std::string& name, VectorD& value) {
  return load_vector(file, name, file.doubles(name), value);
}
TensorShape load_tensor(const TensorFile& file, const std::string& name,
                        Eigen::RowVectorXd& value) {
  return load_vector(file, name, file.doubles(name), value);
}
TensorShape load_tensor(const TensorFile& file, const std::string& name,
                        Eigen::RowVectorXf& value) {
  return load_vector(file, name, file.floats(name), value);
}
TensorShape load_tensor(const TensorFile& file, const std::string& name,
                        std::vector<float>& value) {
  return load_vector(file, name, file.floats(name), value);
}
TensorShape load_tensor(const TensorFile& file, const std::string& name,
                        std::vector<double>& value) {
  return load_vector(file, name, file.doubles(name), value);
}
TensorShape load_tensor(const TensorFile& file, const std::string& name,
                        std::vector<std::int32_t>& value) {
  return load_vector(file, name, file.ints(name), value);
}
TensorShape load_tensor(const TensorFile& file, const std::string& name,
                        std::vector<std::int64_t>& value) {
  return load_vector(file, name, file.longs(name), value);
}
TensorShape load_tensor(const TensorFile& file, const std::string& name,
                        std::vector<std::uint8_t>& value) {
  return load_vector(file, name, file.small(name), value);
}
TensorShape load_tensor(const TensorFile& file, const std::string& name,
                        std::vector<std::string>& value) {
  value = file.strings(name);
  return {std::ssize(value), -1};
}
TensorShape load_tensor(const TensorFile& file, const std::string& name, Sparse& value) {
  value = copy(file.sparse(name));
  check_finite(file, name, value.values);
  return {value.rows(), value.columns};
}
TensorShape load_tensor(const TensorFile& file, const std::string& name, double& value) {
  value = only_one(file, name, file.doubles(name));
  return {1, -1};
}
TensorShape load_tensor(const TensorFile& file, const std::string& name, std::int64_t& value) {
  value = only_one(file, name, file.longs(name));
  return {1, -1};
}

TensorFile inner_file(const TensorFile& file, const std::string& name) {
  const auto bytes = file.small(name);
  return TensorFile(std::string(bytes.begin(), bytes.end()), file.name() + ": " + name);
}

void check_shape(const TensorFile& file, const std::string& name, const TensorShape& found,
                 const TensorShape& expected) {
  const auto fits = [](std::int64_t size, std::int64_t wanted) {
    return wanted < 0 || size == wanted;
  };
  require(fits(found.rows, expected.rows) && fits(found.columns, expected.columns), file.name(),
          ": ", name, " is of ", text_of(found), ", expected ", text_of(expected),
          "; the file is damaged");
}

}  // namespace commonplace

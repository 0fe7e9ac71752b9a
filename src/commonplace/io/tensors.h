#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/io/model_file.h"
#include "commonplace/io/options_json.h"

namespace commonplace {

/// A model lists its tensors once, in visit_tensors(model, visit), as visit("weights",
/// model.weights, {rows, columns}); the list saves it, loads it, and checks what was loaded. A
/// shape may name what stands above it in the list.

/// What a tensor's size must be; -1 for any. A vector has rows alone.
struct TensorShape {
  std::int64_t rows = -1;
  std::int64_t columns = -1;
};

/// Adds a tensor to a file that is written, by reference.
inline void save_tensor(TensorWriter& writer, const std::string& name, const Matrix& value) {
  writer.add(name, value);
}
inline void save_tensor(TensorWriter& writer, const std::string& name, const MatrixD& value) {
  writer.add(name, value);
}
void save_tensor(TensorWriter& writer, const std::string& name, const VectorD& value);
void save_tensor(TensorWriter& writer, const std::string& name, const Eigen::RowVectorXd& value);
void save_tensor(TensorWriter& writer, const std::string& name, const Eigen::RowVectorXf& value);
template <class Value>
void save_tensor(TensorWriter& writer, const std::string& name, const std::vector<Value>& value) {
  writer.add(name, std::span<const Value>(value));
}
void save_tensor(TensorWriter& writer, const std::string& name,
                 const std::vector<std::string>& value);
void save_tensor(TensorWriter& writer, const std::string& name, const Sparse& value);
void save_tensor(TensorWriter& writer, const std::string& name, const double& value);
void save_tensor(TensorWriter& writer, const std::string& name, const std::int64_t& value);

/// Reads it, and returns its shape. Error if it is missing, of another type, or a number of it is
/// not finite.
TensorShape load_tensor(const TensorFile& file, const std::string& name, Matrix& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name, MatrixD& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name, VectorD& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name, Eigen::RowVectorXd& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name, Eigen::RowVectorXf& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name, std::vector<float>& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name,
                        std::vector<double>& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name,
                        std::vector<std::int32_t>& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name,
                        std::vector<std::int64_t>& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name,
                        std::vector<std::uint8_t>& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name,
                        std::vector<std::string>& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name, Sparse& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name, double& value);
TensorShape load_tensor(const TensorFile& file, const std::string& name, std::int64_t& value);

/// A file that stands inside another one, such as a model within a model.
TensorFile inner_file(const TensorFile& file, const std::string& name);

/// Error, naming the tensor and both shapes, unless it has that shape.
void check_shape(const TensorFile& file, const std::string& name, const TensorShape& found,
                 const TensorShape& expected);

/// Saves what visit_tensors lists.
struct TensorSaver {
  TensorWriter& writer;

  template <class Value>
  void operator()(const std::string& name, const Value& value, const TensorShape& = {}) const {
    save_tensor(writer, name, value);
  }
};

/// Loads what visit_tensors lists.
struct TensorLoader {
  const TensorFile& file;

  template <class Value>
  void operator()(const std::string& name, Value& value, const TensorShape& expected = {}) const {
    check_shape(file, name, load_tensor(file, name, value), expected);
  }
};

/// A file of a model that has options and lists its tensors.
template <class Model>
TensorWriter model_writer(const Model& model, const std::string& kind, int layout) {
  TensorWriter writer;
  describe_model(writer, kind, layout, options_to_json(model.options));
  visit_tensors(model, TensorSaver{writer});
  return writer;
}
/// The model of that kind in a file. `check` is called with its options before its tensors are
/// read.
template <class Model, class Check>
Model read_model(const TensorFile& file, const std::string& kind, int max_layout, Check check) {
  require_kind(file, kind, max_layout);
  Model model;
  model.options = options_from_json<decltype(model.options)>(file.metadata("options"));
  check(model.options);
  visit_tensors(model, TensorLoader{file});
  return model;
}

}  // namespace commonplace

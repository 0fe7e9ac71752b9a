#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/io/files.h"

namespace commonplace {

/// The element types of the safetensors format that Commonplace writes or reads.
enum class TensorType { f32, f64, i32, i64, u8 };

/// A tensor inside an open file: little-endian, row-major, aligned for its type.
struct TensorView {
  TensorType type = TensorType::u8;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;

  std::int64_t elements() const;
};

/// A model file: named tensors and text metadata. The header is checked in full when the file is
/// opened (sizes, overlaps, alignment) and, where `__metadata__` has a checksum, the contents too.
class TensorFile {
 public:
  explicit TensorFile(const std::filesystem::path& path);
  /// From memory; `name` is what errors call it.
  TensorFile(std::string content, std::string name);

  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// The metadata value of `key`; Error if there is none.
  const std::string& metadata(const std::string& key) const;
  std::vector<std::string> names() const;
  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
  /// Error if there is none of that name.
  const TensorView& tensor(const std::string& name) const;

  /// Typed reads; Error if the tensor has another type or number of dimensions. Views live as long
  /// as the file.
  MatrixView matrix(const std::string& name) const;  ///< f32, two dimensions
  MatrixD matrix_d(const std::string& name) const;   ///< f64, two dimensions, copied
  std::span<const float> floats(const std::string& name) const;
  std::span<const double> doubles(const std::string& name) const;
  std::span<const std::int32_t> ints(const std::string& name) const;
  std::span<const std::int64_t> longs(const std::string& name) const;
  /// The strings that TensorWriter::add_strings stored, each checked to lie within its tensor.
  std::vector<std::string> strings(const std::string& name) const;
  /// The matrix that TensorWriter::add_sparse stored; starts and column numbers are checked.
  SparseView sparse(const std::string& name) const;

 private:
  void parse(std::span<const std::byte> bytes);
  MappedFile file_;
  std::string content_;
  std::string name_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, TensorView> tensors_;
};

/// Collects tensors (by reference: they must outlive `write`) and writes them whole or not at all.
/// `__metadata__` gets the given entries, "library_version" and "checksum" (XXH64 of the data
/// section, in hexadecimal).
class TensorWriter {
 public:
  void set(const std::string& key, std::string value);  ///< metadata
  void add(const std::string& name, const Matrix& matrix);
  void add(const std::string& name, const MatrixD& matrix);
  void add(const std::string& name, std::span<const float> values);
  void add(const std::string& name, std::span<const double> values);
  void add(const std::string& name, std::span<const std::int32_t> values);
  void add(const std::string& name, std::span<const std::int64_t> values);
  /// Stored as NAME.bytes (u8) and NAME.ends (i64).
  void add_strings(const std::string& name, const std::vector<std::string>& strings);
  /// Stored as NAME.starts (i64), NAME.indices (i32), NAME.values (f32) and NAME.shape (i64).
  void add_sparse(const std::string& name, const SparseView& matrix);

  void write(const std::filesystem::path& path) const;
  std::string bytes() const;  ///< the same file in memory

 private:
  struct Entry {
    TensorType type;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> bytes;
  };
  std::map<std::string, std::string> metadata_;
  std::map<std::string, Entry> entries_;
  std::vector<std::string> owned_;  ///< buffers made here, such as joined strings
};

}  // namespace commonplace

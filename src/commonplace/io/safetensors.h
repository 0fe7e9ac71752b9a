#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/io/files.h"

namespace commonplace {

/// The element types that Commonplace writes and reads as numbers. A file of somebody else may hold
/// `other` types (F16, BOOL, ...), which are kept as raw bytes.
enum class TensorType { f32, f64, i32, i64, u8, other };

/// A tensor inside an open file: little-endian, row-major, aligned for its type.
struct TensorView {
  TensorType type = TensorType::u8;
  std::string dtype;  ///< as the file spells it, e.g. "F32"
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;

  std::int64_t elements() const;  ///< the product of the shape
};

/// A safetensors file: named tensors and text metadata, read through a mapping. The header is
/// checked in full when the file is opened (sizes, holes, overlaps), and so is the checksum, which
/// files written here always have: opening costs one pass over the file. Tensors that lie unaligned
/// for their type are copied then. Movable; views live as long as the file and survive its move.
class TensorFile {
 public:
  explicit TensorFile(const std::filesystem::path& path);
  /// From memory; `name` is what errors call it.
  TensorFile(std::string content, std::string name);

  /// What errors call the file.
  const std::string& name() const { return name_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// The metadata value of `key`; Error if there is none.
  const std::string& metadata(const std::string& key) const;
  std::vector<std::string> names() const;
  bool has(const std::string& name) const { return tensors_.count(name) != 0; }
  /// Error if there is none of that name.
  const TensorView& tensor(const std::string& name) const;

  /// Typed reads; Error if the tensor has another type or number of dimensions.
  MatrixView matrix(const std::string& name) const;              ///< f32, two dimensions
  MatrixD matrix_d(const std::string& name) const;               ///< f64, two dimensions, copied
  std::span<const float> floats(const std::string& name) const;  ///< these have one dimension
  std::span<const double> doubles(const std::string& name) const;
  std::span<const std::int32_t> ints(const std::string& name) const;
  std::span<const std::int64_t> longs(const std::string& name) const;
  std::span<const std::uint8_t> small(const std::string& name) const;
  /// The strings that TensorWriter::add_strings stored, each checked to lie within its tensor.
  std::vector<std::string> strings(const std::string& name) const;
  /// The matrix that TensorWriter::add_sparse stored; starts and column numbers are checked, which
  /// costs one pass over them.
  SparseView sparse(const std::string& name) const;

 private:
  void parse(std::span<const std::byte> bytes);
  const TensorView& typed(const std::string& name, TensorType type, std::size_t dimensions) const;
  template <class T>
  std::span<const T> values(const std::string& name, TensorType type) const;

  MappedFile file_;
  std::unique_ptr<const std::string> content_;  ///< by pointer: short strings move with their owner
  std::string name_;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, TensorView> tensors_;
  std::vector<std::vector<std::uint64_t>> aligned_;  ///< copies of unaligned tensors
};

/// Collects tensors, by reference: they must outlive the writing, so temporaries are refused. The
/// file appears whole or not at all. `__metadata__` gets the given entries and three of its own:
/// "format" ("commonplace"), "library_version", and "checksum", which is "xxh64:" and XXH64 of the
/// other metadata, the tensors' descriptions and the data section, in hexadecimal.
class TensorWriter {
 public:
  /// A metadata entry, both parts UTF-8.
  void set(const std::string& key, const std::string& value);
  void add(const std::string& name, const Matrix& matrix);
  void add(const std::string& name, const MatrixD& matrix);
  void add(const std::string& name, Matrix&& matrix) = delete;
  void add(const std::string& name, MatrixD&& matrix) = delete;
  void add(const std::string& name, std::span<const float> values);
  void add(const std::string& name, std::span<const double> values);
  void add(const std::string& name, std::span<const std::int32_t> values);
  void add(const std::string& name, std::span<const std::int64_t> values);
  void add(const std::string& name, std::span<const std::uint8_t> values);
  /// Bytes that the writer keeps, such as another file's (u8).
  void add_bytes(const std::string& name, std::string bytes);
  /// Copied, and stored as NAME.bytes (u8) and NAME.ends (i64).
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
    std::shared_ptr<const void> owner;  ///< of bytes that were made here, such as joined strings
  };
  void add_entry(const std::string& name, Entry entry);
  /// Hands the file to `sink`, piece by piece.
  void emit(const std::function<void(std::span<const std::byte>)>& sink) const;

  std::map<std::string, std::string> metadata_;
  std::map<std::string, Entry> entries_;
};

}  // namespace commonplace

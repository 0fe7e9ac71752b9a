#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "commonplace/base/matrix.h"
#include "commonplace/io/files.h"

namespace commonplace {

/// What a .npy header says (versions 1 to 3).
struct NpyHeader {
  std::string type;  ///< "<f4", "<f8", "<i4", "|u1", ...
  bool fortran_order = false;
  std::int64_t rows = 0;
  std::int64_t columns = 1;       ///< 1 for a vector
  std::uint64_t data_offset = 0;  ///< where the numbers begin
};

/// Parses the header at the front of `bytes` and checks that the numbers it promises are all there.
/// `name` is what errors call the file.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name);

/// A matrix in a .npy file of little-endian float32, rows contiguous, read through the mapping and
/// never copied. This is how the library keeps features.
class NpyMatrix {
 public:
  NpyMatrix() = default;
  explicit NpyMatrix(const std::filesystem::path& path);
  MatrixView view() const;

 private:
  MappedFile file_;
  NpyHeader header_;
};

/// Calls `visit(first_row, rows)` over blocks of any .npy matrix or vector of float32, float64 or
/// integers, converted to float32, with O(block) memory. Error for other types or shapes.
void read_npy_blocks(const std::filesystem::path& path,
                     const std::function<void(std::int64_t first_row, const Matrix& rows)>& visit);

/// Writes float32 rows one block after the other; the row count is fixed at the end, by `commit`.
class NpyWriter {
 public:
  NpyWriter(const std::filesystem::path& path, std::int64_t columns);
  void write(const Eigen::Ref<const Matrix>& rows);
  void commit();

 private:
  AtomicFile file_;
  std::int64_t columns_;
  std::int64_t rows_ = 0;
};

}  // namespace commonplace

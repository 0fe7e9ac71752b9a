#pragma once

#include <cstddef>
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

/// Parses the header at the front of `bytes` and checks that exactly the numbers it promises
/// follow. Error for anything but a matrix (with columns) or a vector of little-endian float16,
/// float32, float64, integers or booleans. `name` is what errors call the file.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& name);

/// The numbers that the library keeps features as.
enum class NpyNumbers { float32, float16 };

/// A matrix in a .npy file of little-endian float32, rows contiguous, read through the mapping and
/// never copied; one of float16 is widened in memory when it is opened. This is how the library
/// keeps features. Movable; views survive the move.
class NpyMatrix {
 public:
  NpyMatrix() = default;
  explicit NpyMatrix(const std::filesystem::path& path);
  MatrixView view() const;
  NpyNumbers numbers() const {
    return header_.type == "<f2" ? NpyNumbers::float16 : NpyNumbers::float32;
  }

 private:
  MappedFile file_;
  NpyHeader header_;
  Matrix wide_;  ///< of float16
};

/// Called with the number of the first row of a block and the block itself, in order.
using NpyVisitor = std::function<void(std::int64_t first_row, const Matrix& rows)>;

/// Calls `visit` over blocks of a .npy matrix or vector in either order, its numbers converted to
/// float32, with memory for one block (about 4 MiB, or one row if that is more). A file without
/// rows has no blocks. Error if a number is not finite as float32, naming its row and column, so
/// blocks before it may have been visited.
void read_npy_blocks(const std::filesystem::path& path, const NpyVisitor& visit);
/// The same for a file in memory; `name` is what errors call it.
void read_npy_blocks(std::span<const std::byte> bytes, const std::string& name,
                     const NpyVisitor& visit);

/// The whole matrix or vector, its numbers converted to float32. Error if there are no rows.
Matrix read_npy(const std::filesystem::path& path);

/// Writes rows one block after the other; the row count is fixed at the end, by `commit`.
/// The numbers begin at byte 128. Without `commit` no file appears.
class NpyWriter {
 public:
  NpyWriter(const std::filesystem::path& path, std::int64_t columns,
            NpyNumbers numbers = NpyNumbers::float32);
  void write(const Eigen::Ref<const Matrix>& rows);
  void commit();

 private:
  AtomicFile file_;
  std::string name_;
  std::int64_t columns_;
  NpyNumbers numbers_;
  std::int64_t rows_ = 0;
};

}  // namespace commonplace

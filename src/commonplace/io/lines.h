#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "commonplace/base/error.h"

namespace commonplace {

/// Bytes in order from a file (plain or gzip, told by its first bytes) or from memory.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Fills up to `size` bytes and returns how many; 0 at the end. Error on a damaged file.
  virtual std::size_t read(char* into, std::size_t size) = 0;
  /// Bytes of the (compressed) file consumed so far, for progress.
  virtual std::uint64_t consumed() const = 0;
  virtual std::uint64_t total() const = 0;
};

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& path);
/// `content` is kept by the source. Gzip is recognised here too.
std::unique_ptr<ByteSource> bytes_of(std::string content);

/// Everything that is left in `source`; Error if it is more than `limit` bytes.
std::string read_all(ByteSource& source, std::uint64_t limit, const std::string& name);

/// The lines of a source, without their ends (\n, \r\n), a leading byte order mark left out.
class LineReader {
 public:
  /// `name` is what error messages call the source.
  LineReader(std::unique_ptr<ByteSource> source, std::string name);

  /// The next line in `line`, valid until the next call; false at the end. Error for a line of
  /// more than 64 MiB, which no text file has.
  bool next(std::string_view& line);
  /// The place of the line last returned.
  Where where() const { return {name_, number_}; }
  const ByteSource& source() const { return *source_; }

 private:
  bool fill();
  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::string buffer_;
  std::size_t begin_ = 0;
  std::size_t number_ = 0;
  bool ended_ = false;
};

}  // namespace commonplace

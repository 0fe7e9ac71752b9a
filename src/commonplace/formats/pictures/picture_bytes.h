#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "commonplace/io/files.h"

namespace commonplace {

/// More than any block of metadata has; whoever claims more is damaged or hostile.
constexpr std::uint64_t metadata_limit = 16 << 20;

/// Numbers in bytes that the caller knows to be long enough.
std::uint64_t big_endian(std::string_view bytes);
std::uint64_t little_endian(std::string_view bytes);

/// The bytes of a picture, read where they are wanted: metadata is a small part of a large file.
/// Nothing is mapped, so a file that shrinks meanwhile is an Error and not a signal.
class PictureBytes {
 public:
  explicit PictureBytes(const std::filesystem::path& path);
  /// From memory; `name` is what errors call it.
  PictureBytes(std::string_view content, std::string name);
  PictureBytes(const PictureBytes&) = delete;
  PictureBytes& operator=(const PictureBytes&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  bool holds(std::uint64_t offset, std::uint64_t count) const {
    return offset <= size_ && count <= size_ - offset;
  }
  /// `count` bytes from `offset`, valid until the next call; Error if the file has not that many
  /// or if they are more than `metadata_limit`.
  std::string_view read(std::uint64_t offset, std::uint64_t count);

 private:
  void fill(std::uint64_t offset, std::uint64_t count);
  std::string name_;
  std::uint64_t size_ = 0;
  std::optional<ReadableFile> file_;
  std::string buffer_;       ///< of a file: a window of it
  std::string_view window_;  ///< what is at hand, from `begin_`
  std::uint64_t begin_ = 0;
};

}  // namespace commonplace

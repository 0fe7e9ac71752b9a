#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace commonplace::server {

/// A fresh file that a request's body goes to. It is removed with the object, unless somebody has
/// moved it away. These functions wait for the disk.
class BodyFile {
 public:
  BodyFile() = default;
  ~BodyFile();
  BodyFile(const BodyFile&) = delete;
  BodyFile& operator=(const BodyFile&) = delete;

  /// Each is 0, or what errno says: a full disk is ENOSPC.
  int open(const std::filesystem::path& folder);
  int write(std::string_view bytes);
  int close();

  const std::filesystem::path& path() const { return path_; }

 private:
  int descriptor_ = -1;
  std::filesystem::path path_;
};

/// A file that is sent as an answer, read piece by piece.
class AnswerFile {
 public:
  AnswerFile() = default;
  ~AnswerFile();
  AnswerFile(const AnswerFile&) = delete;
  AnswerFile& operator=(const AnswerFile&) = delete;

  /// False if it is not there, may not be read, or is no ordinary file.
  bool open(const std::filesystem::path& path);
  std::uint64_t size() const { return size_; }
  /// Goes on from this byte. False if that fails.
  bool seek(std::uint64_t first);
  /// The next `most` bytes at most; none at the end or when reading fails.
  std::string read(std::size_t most);

 private:
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace commonplace::server

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace commonplace {

/// The whole file, at most `limit` bytes; Error if it is missing, unreadable or longer.
std::string read_file(const std::filesystem::path& path, std::uint64_t limit);

/// A regular file open for reading.
class ReadableFile {
 public:
  explicit ReadableFile(const std::filesystem::path& path);
  ~ReadableFile();
  ReadableFile(const ReadableFile&) = delete;
  ReadableFile& operator=(const ReadableFile&) = delete;

  /// Its size when it was opened.
  std::uint64_t size() const { return size_; }
  /// Up to `count` bytes from `offset`; fewer only at the end of the file.
  std::size_t read(char* into, std::size_t count, std::uint64_t offset) const;
  int descriptor() const { return descriptor_; }

 private:
  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// A file that appears whole or not at all: it is written beside `path` under a hidden temporary
/// name, synced to the disk and renamed by `commit`. Without `commit` the temporary is removed and
/// whatever stood at `path` is untouched.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);  ///< buffered
  /// Overwrites bytes written earlier, e.g. a header whose counts are known only at the end.
  void write_at(std::uint64_t offset, std::string_view bytes);
  std::uint64_t size() const { return size_; }
  void commit();

 private:
  void flush();
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;     ///< with what is still in the buffer
  std::uint64_t flushed_ = 0;  ///< without it
  std::string buffer_;
};

/// A folder of files that appears whole or not at all, in the same way. An earlier folder at `path`
/// is exchanged for the new one in a single step.
class AtomicFolder {
 public:
  explicit AtomicFolder(std::filesystem::path path);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// Where to write the files until `commit`.
  const std::filesystem::path& temporary() const { return temporary_; }
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
};

/// A new name for a temporary in `folder`, which sweep_temporaries knows as this process's.
std::filesystem::path temporary_name(const std::filesystem::path& folder);

/// Removes temporaries that a killed process left in `directory` (not below it). Ones that belong
/// to a living process are kept.
void sweep_temporaries(const std::filesystem::path& directory);

/// A file mapped read-only. Movable; the mapping lives as long as the object.
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace commonplace

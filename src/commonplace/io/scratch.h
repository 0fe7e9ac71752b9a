#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <type_traits>

#include "commonplace/io/files.h"

namespace commonplace {

/// Bytes that grow on disk instead of in memory: a nameless file in `directory` that vanishes with
/// the object, however the process ends.
class ScratchBytes {
 public:
  explicit ScratchBytes(const std::filesystem::path& directory);
  ~ScratchBytes();
  ScratchBytes(ScratchBytes&& other) noexcept;
  ScratchBytes& operator=(ScratchBytes&&) = delete;

  void append(std::span<const std::byte> bytes);
  /// Everything appended so far, mapped; appending after this is an error of the caller.
  std::span<const std::byte> bytes();

 private:
  void flush();
  int descriptor_ = -1;
  std::string name_;
  std::string buffer_;
  std::uint64_t size_ = 0;
  const std::byte* mapping_ = nullptr;
};

/// The same for numbers.
template <class T>
requires std::is_trivially_copyable_v<T>
class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& directory) : bytes_(directory) {}
  void append(std::span<const T> values) { bytes_.append(std::as_bytes(values)); }
  void append(const T& value) { append(std::span<const T>(&value, 1)); }
  std::span<const T> view() {
    const std::span<const std::byte> all = bytes_.bytes();
    return {reinterpret_cast<const T*>(all.data()), all.size() / sizeof(T)};
  }

 private:
  ScratchBytes bytes_;
};

}  // namespace commonplace

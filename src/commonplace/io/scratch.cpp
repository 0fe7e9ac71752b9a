#include "commonplace/io/scratch.h"

#include <cassert>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

constexpr std::size_t kScratchBuffer = 1 << 20;

}  // namespace

ScratchBytes::ScratchBytes(const std::filesystem::path& directory)
    : name_(temporary_name(directory).string()) {
  descriptor_ = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor_ < 0) {
    // Not every file system has nameless files. A kill before the unlink leaves one to sweep.
    descriptor_ = ::open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    require(descriptor_ >= 0, directory.string(),
            ": cannot hold temporary data: ", std::strerror(errno));
    ::unlink(name_.c_str());
  }
}

ScratchBytes::~ScratchBytes() {
  if (mapping_ != nullptr) ::munmap(const_cast<std::byte*>(mapping_), size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

ScratchBytes::ScratchBytes(ScratchBytes&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      name_(std::move(other.name_)),
      buffer_(std::move(other.buffer_)),
      size_(other.size_),
      mapping_(std::exchange(other.mapping_, nullptr)) {}

void ScratchBytes::append(std::span<const std::byte> bytes) {
  assert(mapping_ == nullptr);
  if (buffer_.size() + bytes.size() > kScratchBuffer) flush();
  buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void ScratchBytes::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    require(written > 0, name_, ": cannot be written: ", std::strerror(errno));
    rest.remove_prefix(static_cast<std::size_t>(written));
    size_ += static_cast<std::uint64_t>(written);
  }
  buffer_.clear();
}

std::span<const std::byte> ScratchBytes::bytes() {
  flush();
  if (size_ == 0) return {};
  if (mapping_ == nullptr) {
    void* mapping = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
    require(mapping != MAP_FAILED, name_, ": cannot be mapped: ", std::strerror(errno));
    mapping_ = static_cast<const std::byte*>(mapping);
  }
  return {mapping_, size_};
}

}  // namespace commonplace

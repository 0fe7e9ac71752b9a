#include "commonplace/io/files.h"

#include <atomic>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferSize = 1 << 20;
constexpr std::string_view kTemporaryPrefix = ".commonplace-";

std::string reason() { return std::strerror(errno); }

void write_all(int descriptor, std::string_view bytes, std::uint64_t offset, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    require(written > 0, path.string(), ": cannot be written: ", reason());
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void sync_folder(const fs::path& folder) {
  const int directory =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

/// The process number in a temporary's name, or 0 if it is not one of ours.
pid_t owner_of_temporary(const std::string& name) {
  if (!name.starts_with(kTemporaryPrefix)) return 0;
  pid_t process = 0;
  const char* begin = name.data() + kTemporaryPrefix.size();
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), process);
  return error == std::errc() && end != begin && *end == '-' ? process : 0;
}

}  // namespace

ReadableFile::ReadableFile(const fs::path& path) : name_(path.string()) {
  // Without O_NONBLOCK, opening a named pipe would wait for its writer.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  require(descriptor_ >= 0, name_, ": cannot be read: ", reason());
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(descriptor_);
    fail(name_, ": is not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

ReadableFile::~ReadableFile() { ::close(descriptor_); }

std::size_t ReadableFile::read(char* into, std::size_t count, std::uint64_t offset) const {
  std::size_t filled = 0;
  while (filled < count) {
    const ssize_t got =
        ::pread(descriptor_, into + filled, count - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    require(got >= 0, name_, ": cannot be read: ", reason());
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

std::string read_file(const fs::path& path, std::uint64_t limit) {
  const ReadableFile file(path);
  require(file.size() <= limit, path.string(), ": has ", file.size(), " bytes; at most ", limit,
          " are accepted here");
  std::string content(file.size(), '\0');
  content.resize(file.read(content.data(), content.size(), 0));
  return content;
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)) {
  std::error_code ignored;
  // A link stays a link: what it points to is replaced.
  if (fs::is_symlink(path_, ignored)) path_ = fs::weakly_canonical(path_);
  require(!fs::is_directory(path_, ignored), path_.string(), ": is a folder, not a file");
  temporary_ = temporary_name(path_.parent_path());
  descriptor_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  require(descriptor_ >= 0, path_.string(), ": cannot be written: ", reason());
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0) ::fchmod(descriptor_, status.st_mode & 07777);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferSize) flush();
  if (bytes.size() > kBufferSize) {
    write_all(descriptor_, bytes, size_, path_);
    flushed_ += bytes.size();
  } else {
    buffer_.append(bytes);
  }
  size_ += bytes.size();
}

void AtomicFile::write_at(std::uint64_t offset, std::string_view bytes) {
  assert(offset + bytes.size() <= size_);
  flush();
  write_all(descriptor_, bytes, offset, path_);
}

void AtomicFile::flush() {
  write_all(descriptor_, buffer_, flushed_, path_);
  flushed_ += buffer_.size();
  buffer_.clear();
}

void AtomicFile::commit() {
  flush();
  require(::fsync(descriptor_) == 0, path_.string(), ": cannot be written: ", reason());
  require(::rename(temporary_.c_str(), path_.c_str()) == 0, path_.string(),
          ": cannot be replaced: ", reason());
  ::close(std::exchange(descriptor_, -1));
  sync_folder(path_.parent_path());
}

AtomicFolder::AtomicFolder(fs::path path) : path_(std::move(path)) {
  if (!path_.has_filename()) path_ = path_.parent_path();  // "folder/"
  temporary_ = temporary_name(path_.parent_path());
  std::error_code error;
  fs::create_directory(temporary_, error);
  require(!error, path_.string(), ": cannot be written: ", error.message());
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
}

void AtomicFolder::commit() {
  sync_folder(temporary_);
  const unsigned flags = fs::exists(path_) ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  require(::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, path_.c_str(), flags) == 0,
          path_.string(), ": cannot be replaced: ", reason());
  sync_folder(path_.parent_path());
}

fs::path temporary_name(const fs::path& folder) {
  static std::atomic<unsigned> counter{0};
  return folder / concat(kTemporaryPrefix, ::getpid(), "-", counter.fetch_add(1), ".tmp");
}

void sweep_temporaries(const fs::path& directory) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const pid_t owner = owner_of_temporary(entry->path().filename().string());
    if (owner == 0) continue;
    const bool alive = ::kill(owner, 0) == 0 || errno == EPERM;
    std::error_code ignored;
    if (!alive) fs::remove_all(entry->path(), ignored);
  }
}

MappedFile::MappedFile(const fs::path& path) {
  const ReadableFile file(path);
  size_ = static_cast<std::size_t>(file.size());
  if (size_ == 0) return;
  void* mapping = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  require(mapping != MAP_FAILED, path.string(), ": cannot be mapped into memory: ", reason());
  data_ = static_cast<const std::byte*>(mapping);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace commonplace

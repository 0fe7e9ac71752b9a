#include "app/server/http/body_files.h"

#include <cerrno>
#include <random>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace commonplace::server {
namespace {

std::string random_name() {
  std::random_device device;
  std::string name = "upload-";
  for (int i = 0; i < 24; ++i) name.push_back("0123456789abcdef"[device() % 16U]);
  return name;
}

}  // namespace

BodyFile::~BodyFile() {
  close();
  if (!path_.empty()) ::unlink(path_.c_str());
}

int BodyFile::open(const std::filesystem::path& folder) {
  for (int attempt = 0; attempt < 16; ++attempt) {
    const std::filesystem::path path = folder / random_name();
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                         S_IRUSR | S_IWUSR);
    if (descriptor_ >= 0) {
      path_ = path;
      return 0;
    }
    if (errno != EEXIST && errno != EINTR) break;
  }
  return errno;
}

int BodyFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int BodyFile::close() {
  if (descriptor_ < 0) return 0;
  const int result = ::close(descriptor_);
  descriptor_ = -1;
  return result == 0 || errno == EINTR ? 0 : errno;
}

AnswerFile::~AnswerFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool AnswerFile::open(const std::filesystem::path& path) {
  // A pipe must not hold us up before it is known to be one.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  size_ = static_cast<std::uint64_t>(status.st_size);
  return true;
}

bool AnswerFile::seek(std::uint64_t first) {
  return ::lseek(descriptor_, static_cast<off_t>(first), SEEK_SET) >= 0;
}

std::string AnswerFile::read(std::size_t most) {
  std::string bytes(most, '\0');
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}

}  // namespace commonplace::server

#include "commonplace/io/folder_state.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include <sys/stat.h>

#include "commonplace/base/error.h"
#include "commonplace/io/xxhash64.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPart = std::size_t{64} << 10;

bool is_skipped(const std::string& name) { return name.starts_with('.') || name == "@eaDir"; }

std::string line_of(const std::string& name, const struct stat& status) {
  return concat(name, '\n', status.st_size, ' ', status.st_mtim.tv_sec, ' ', status.st_mtim.tv_nsec,
                '\n');
}

/// Visits every folder, and the line of every file.
void walk(const fs::path& source, const std::function<void(const fs::path&)>& on_folder,
          const std::function<void(std::string&&)>& on_file) {
  std::set<std::pair<dev_t, ino_t>> entered;
  std::vector<fs::path> waiting = {fs::path()};
  while (!waiting.empty()) {
    const fs::path below = std::move(waiting.back());
    waiting.pop_back();
    struct stat status {};
    const fs::path folder = below.empty() ? source : source / below;
    if (::stat(folder.c_str(), &status) != 0 ||
        !entered.insert({status.st_dev, status.st_ino}).second)
      continue;
    on_folder(folder);
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (is_skipped(name) || ::stat(entry->path().c_str(), &status) != 0) continue;
      if (S_ISDIR(status.st_mode))
        waiting.push_back(below / name);
      else if (S_ISREG(status.st_mode))
        on_file(line_of((below / name).generic_string(), status));
    }
  }
}

}  // namespace

FolderState folder_state(const fs::path& source) {
  std::vector<std::string> lines;
  struct stat status {};
  if (::stat(source.c_str(), &status) != 0) return {};
  if (S_ISDIR(status.st_mode))
    walk(
        source, [](const fs::path&) {},
        [&](std::string&& line) { lines.push_back(std::move(line)); });
  else
    lines.push_back(line_of(source.filename().string(), status));
  std::sort(lines.begin(), lines.end());
  Xxh64 hash;
  for (const std::string& line : lines) hash.update(std::as_bytes(std::span(line)));
  return {static_cast<std::int64_t>(lines.size()), hexadecimal(hash.digest())};
}

std::vector<fs::path> folders_below(const fs::path& source) {
  std::vector<fs::path> folders;
  walk(
      source, [&](const fs::path& folder) { folders.push_back(folder); }, [](std::string&&) {});
  return folders;
}

std::uint64_t content_number(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::error_code error;
  const std::uint64_t size = fs::file_size(file, error);
  if (error || !stream) return 0;
  Xxh64 hash;
  hash.update(std::as_bytes(std::span(&size, 1)));
  std::vector<char> part(kPart);
  const auto take = [&] {
    stream.read(part.data(), static_cast<std::streamsize>(part.size()));
    hash.update(std::as_bytes(std::span(part.data(), static_cast<std::size_t>(stream.gcount()))));
  };
  take();
  if (size > kPart) {
    stream.clear();
    stream.seekg(static_cast<std::streamoff>(std::max<std::uint64_t>(kPart, size - kPart)));
    take();
  }
  return std::max<std::uint64_t>(hash.digest(), 1);
}

}  // namespace commonplace

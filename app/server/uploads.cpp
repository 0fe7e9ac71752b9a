#include "app/server/uploads.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/library/library.h"

namespace commonplace::server {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kKept{1};
constexpr std::size_t kLongestName = 200;
constexpr int kDeepest = 16;  ///< folders in folders

bool can_be_a_file_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
         invalid_utf8(name) == std::string_view::npos &&
         std::none_of(name.begin(), name.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == '\\' || c == 0x7F;
         });
}

/// Folders and a file, each of which can be one: it leads nowhere else.
bool can_be_a_path(std::string_view path) {
  for (int depth = 0; depth < kDeepest; ++depth) {
    const std::size_t slash = path.find('/');
    if (!can_be_a_file_name(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
  return false;
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& each : fs::recursive_directory_iterator(folder))
    if (each.is_regular_file()) files.push_back(each.path().lexically_relative(folder));
  std::sort(files.begin(), files.end());
  return files;
}

bool same_bytes(const fs::path& one, const fs::path& other) {
  std::error_code error;
  if (fs::file_size(one, error) != fs::file_size(other, error) || error) return false;
  std::ifstream left(one, std::ios::binary);
  std::ifstream right(other, std::ios::binary);
  return left && right &&
         std::equal(std::istreambuf_iterator<char>(left), {},
                    std::istreambuf_iterator<char>(right));
}

bool is_upload_id(const std::string& upload) {
  return upload.size() == 17 && upload.front() == 'u' &&
         upload.find_first_not_of("0123456789abcdef", 1) == std::string::npos;
}

/// Not to be guessed, so that nobody takes another's.
std::string new_id() {
  std::random_device device;
  char text[24];
  std::snprintf(text, sizeof text, "u%08x%08x", device(), device());
  return text;
}

bool is_picture(const fs::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  static constexpr const char* kPictures[] = {".jpg", ".jpeg", ".png", ".webp",
                                              ".tif", ".tiff", ".svg", ".xmp"};
  return std::find(std::begin(kPictures), std::end(kPictures), extension) != std::end(kPictures);
}

}  // namespace

Uploads::Uploads(fs::path library)
    : library_(std::move(library)),
      uploads_(library_ / "uploads"),
      arrivals_(uploads_ / "arriving") {}

fs::path Uploads::folder_of(const std::string& upload) const {
  require(is_upload_id(upload) && fs::is_directory(uploads_ / upload), "there is no upload '",
          upload, "'; what is not used within an hour is removed");
  return uploads_ / upload;
}

std::string Uploads::take(const fs::path& arrived, const std::string& name,
                          const std::string& into) {
  require(can_be_a_path(name), "'", name,
          "' cannot name a file; give a name, or folders and a name with slashes between them");
  const std::scoped_lock lock(mutex_);
  const std::string id = into.empty() ? new_id() : into;
  if (into.empty()) fs::create_directories(uploads_ / id);
  const fs::path file = folder_of(id) / name;
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (!error) fs::rename(arrived, file, error);
  require(!error, "the upload cannot keep '", name, "': ", error.message());
  // An hour from the last file on, also where that went into a folder of the upload.
  fs::last_write_time(uploads_ / id, fs::file_time_type::clock::now());
  return id;
}

std::vector<UploadedFile> Uploads::files(const std::string& upload) {
  const std::scoped_lock lock(mutex_);
  const fs::path folder = folder_of(upload);
  std::vector<UploadedFile> found;
  for (const fs::path& each : files_below(folder))
    found.push_back({each.generic_string(), fs::file_size(folder / each)});
  return found;
}

fs::path Uploads::source(const std::string& upload, const std::string& collection) {
  const std::scoped_lock lock(mutex_);
  const fs::path folder = folder_of(upload);
  const std::vector<fs::path> files = files_below(folder);
  require(!files.empty(), "the upload is empty");
  if (std::none_of(files.begin(), files.end(), is_picture)) {
    require(files.size() == 1, "only pictures can be added several at a time");
    return folder / files.front();
  }
  check_collection_name(collection);
  const fs::path pictures = library_ / "pictures" / collection;
  for (const fs::path& file : files)
    require(!fs::exists(pictures / file) || same_bytes(folder / file, pictures / file),
            "collection '", collection, "' has another picture '", file.generic_string(),
            "' already; give this one another name");
  for (const fs::path& file : files) {
    fs::create_directories((pictures / file).parent_path());
    fs::rename(folder / file, pictures / file);
  }
  return pictures;
}

void Uploads::remove(const std::string& upload) {
  if (!is_upload_id(upload)) return;
  const std::scoped_lock lock(mutex_);
  std::error_code error;
  fs::remove_all(uploads_ / upload, error);
}

void Uploads::sweep() {
  const std::scoped_lock lock(mutex_);
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (const fs::directory_entry& each : fs::directory_iterator(uploads_, error))
    if (is_upload_id(each.path().filename().string()) && now - each.last_write_time(error) > kKept)
      fs::remove_all(each.path(), error);
}

}  // namespace commonplace::server

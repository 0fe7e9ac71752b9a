#include <algorithm>
#include <map>
#include <set>

#include <sys/stat.h>

#include "commonplace/base/parallel.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/import.h"
#include "commonplace/formats/pictures/photo.h"
#include "commonplace/formats/reading.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

/// Hidden files and the thumbnails that network drives keep.
bool is_skipped(const std::string& name) { return name.starts_with('.') || name == "@eaDir"; }

/// Pictures and films of kinds that are not read: camera raws, HEIF, GIF and the like.
bool is_other_media(const fs::path& path) {
  static const std::set<std::string> endings = {
      ".3fr", ".arw",  ".avi",  ".avif", ".bmp", ".cr2",  ".cr3", ".dng", ".erf",
      ".gif", ".heic", ".heif", ".hif",  ".iiq", ".jp2",  ".jxl", ".kdc", ".m4v",
      ".mkv", ".mov",  ".mp4",  ".mpg",  ".mts", ".nef",  ".nrw", ".orf", ".pef",
      ".psd", ".raf",  ".raw",  ".rw2",  ".srw", ".webm", ".x3f", ".xcf"};
  return endings.count(lower_case(path.extension().string())) != 0;
}

/// Gathers the pictures below a folder. Links to folders are followed; each folder is entered once,
/// whatever the number of ways to it, so loops end.
class FolderWalk {
 public:
  FolderWalk(const fs::path& folder, const Sink& sink) : folder_(folder), sink_(sink) {}

  /// Paths relative to the folder, sorted by their bytes.
  std::vector<std::string> pictures() {
    std::vector<fs::path> waiting = {fs::path()};
    while (!waiting.empty()) {
      const fs::path below = std::move(waiting.back());
      waiting.pop_back();
      if (is_new(folder_ / below)) enter(below, waiting);
    }
    std::sort(found_.begin(), found_.end());
    tell_passed_over();
    return std::move(found_);
  }

 private:
  bool is_new(const fs::path& folder) {
    struct stat status {};
    return ::stat(folder.c_str(), &status) != 0 ||
           entered_.insert({status.st_dev, status.st_ino}).second;
  }

  void enter(const fs::path& below, std::vector<fs::path>& waiting) {
    std::error_code error;
    std::vector<fs::path> folders;
    fs::directory_iterator entry(folder_ / below, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (is_skipped(name)) continue;
      std::error_code unknown;
      if (entry->is_directory(unknown)) {
        folders.push_back(below / name);
      } else if (is_picture(name)) {
        add((below / name).generic_string());
      } else if (is_other_media(name)) {
        ++passed_over_[lower_case(entry->path().extension().string())];
      }
    }
    if (error)
      report_bad(sink_, {(folder_ / below).string()}, "cannot be read: " + error.message());
    // Last in, first out: sorted backwards, so that of several ways to a folder the first is taken.
    std::sort(folders.rbegin(), folders.rend());
    waiting.insert(waiting.end(), folders.begin(), folders.end());
  }

  void add(std::string path) {
    if (invalid_utf8(path) == std::string::npos) {
      found_.push_back(std::move(path));
    } else {
      report_bad(sink_, {assume_utf8((folder_ / path).string())},
                 "the name of the file is not UTF-8; rename it");
    }
  }

  /// Says which pictures and films are of kinds that are not read.
  void tell_passed_over() const {
    std::size_t count = 0;
    std::string kinds;
    for (const auto& [ending, files] : passed_over_) {
      count += files;
      kinds += concat(kinds.empty() ? "" : ", ", files, " ", ending);
    }
    if (count > 0)
      report_note(sink_, {folder_.string()},
                  concat(count, " files are of kinds that are not read (", kinds,
                         "); JPEG, PNG, WebP, TIFF and SVG are"));
  }

  const fs::path& folder_;
  const Sink& sink_;
  std::map<std::string, std::size_t> passed_over_;  ///< by ending
  std::set<std::pair<dev_t, ino_t>> entered_;
  std::vector<std::string> found_;
};

struct Outcome {
  Item item;
  std::string error;
  std::vector<std::string> notes;
};

Outcome read_one(const fs::path& folder, const std::string& path, const ReadOptions& options) {
  Outcome outcome;
  try {
    outcome.item = read_photo(
        folder / path, [&](const std::string& message) { outcome.notes.push_back(message); });
  } catch (const Error& error) {
    const std::string name = (folder / path).string() + ": ";
    outcome.error = error.what();
    // The place is told apart from the message.
    if (outcome.error.starts_with(name)) outcome.error.erase(0, name.size());
    return outcome;
  }
  outcome.item.id = path;
  outcome.item.image = path;
  const std::string label = fs::path(path).parent_path().generic_string();
  if (options.labels_from_folders && !label.empty())
    outcome.item.labels.push_back({"folder", label});
  return outcome;
}

}  // namespace

bool is_picture(const fs::path& path) {
  static const std::set<std::string> endings = {".jpg", ".jpeg", ".jpe", ".png", ".webp",
                                                ".tif", ".tiff", ".svg", ".svgz"};
  return endings.count(lower_case(path.extension().string())) != 0;
}

void read_photos(const fs::path& folder, const ReadOptions& options, const Sink& sink) {
  std::error_code ignored;
  require(fs::is_directory(folder, ignored), folder.string(), ": is not a folder of photographs");
  const std::vector<std::string> paths = FolderWalk(folder, sink).pictures();
  const std::size_t batch = 64 * static_cast<std::size_t>(resolve_jobs(options.jobs));
  const std::string stage = "reading " + folder.string();
  std::vector<Outcome> outcomes;
  for (std::size_t begin = 0; begin < paths.size(); begin += batch) {
    const std::size_t end = std::min(paths.size(), begin + batch);
    outcomes.assign(end - begin, {});
    parallel_for(
        end - begin, options.jobs,
        [&](std::size_t first, std::size_t last) {
          for (std::size_t i = first; i < last; ++i)
            outcomes[i] = read_one(folder, paths[begin + i], options);
        },
        4);
    for (std::size_t i = begin; i < end; ++i) {
      Outcome& outcome = outcomes[i - begin];
      const Where where{(folder / paths[i]).string()};
      for (const std::string& note : outcome.notes) report_note(sink, where, note);
      if (outcome.error.empty()) {
        sink.record({std::move(outcome.item), where, {}});
      } else {
        report_bad(sink, where, outcome.error);
      }
    }
    sink.progress({stage, end, paths.size(), "files"});
  }
}

}  // namespace commonplace

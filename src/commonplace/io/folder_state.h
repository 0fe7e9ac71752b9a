#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace commonplace {

/// What the files of a folder (or the file) are by their names, sizes and times.
struct FolderState {
  std::int64_t files = 0;  ///< 0: it is away, or nothing is in it
  std::string digest;      ///< other files, sizes or times give another
};

/// Hidden files and folders are passed over, as are the thumbnails that network drives keep; links
/// to folders are followed, each folder once. What cannot be read counts as not there. One stat a
/// file.
FolderState folder_state(const std::filesystem::path& source);

/// The folders below `source` and itself, in the same way.
std::vector<std::filesystem::path> folders_below(const std::filesystem::path& source);

/// A number that is the same for files of the same bytes, whatever they are called, and another for
/// others, but for chance: of the size, the first and the last 64 KiB. 0 if it cannot be read.
std::uint64_t content_number(const std::filesystem::path& file);

}  // namespace commonplace

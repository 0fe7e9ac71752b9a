#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace commonplace {

/// The format of a file by its name and its first bytes, or nothing. A photograph is "photos".
std::optional<std::string> format_of_file(const std::filesystem::path& file);

/// A file's name without .gz and then without its ending: "train" of train.txt.gz.
std::string plain_stem(const std::filesystem::path& file);

/// The files in `folder` (not below it) that are of `format`, by name; hidden ones, and the names
/// that go with XC's numbers, are left out.
std::vector<std::filesystem::path> files_of_format(const std::filesystem::path& folder,
                                                   const std::string& format);

}  // namespace commonplace

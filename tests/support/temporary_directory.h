#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace commonplace::test {

/// A fresh directory that is removed with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  /// Writes a file below the directory, with its folders, and returns its path.
  std::filesystem::path write(std::string_view name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

/// The whole file; a missing one fails the test by an exception.
std::string slurp(const std::filesystem::path& path);

/// Where the real data sets are (COMMONPLACE_DATA, default ../shared/data), or an empty path.
std::filesystem::path data_directory();
/// Where the outputs of other people's programs are (COMMONPLACE_ORACLES, default tests/oracles).
std::filesystem::path oracle_directory();

}  // namespace commonplace::test

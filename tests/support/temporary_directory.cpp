#include "tests/support/temporary_directory.h"

#include <cstdlib>
#include <iterator>
#include <stdexcept>

namespace commonplace::test {
namespace {

namespace fs = std::filesystem;

fs::path directory_from(const char* variable, const char* fallback) {
  const char* given = std::getenv(variable);
  const fs::path path = given != nullptr ? fs::path(given) : fs::path(fallback);
  return fs::is_directory(path) ? path : fs::path();
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = (fs::temp_directory_path() / "commonplace-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp: " + pattern);
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path TemporaryDirectory::write(std::string_view name, std::string_view content) const {
  const fs::path file = path_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
  return file;
}

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

fs::path data_directory() { return directory_from("COMMONPLACE_DATA", "../shared/data"); }
fs::path oracle_directory() { return directory_from("COMMONPLACE_ORACLES", "tests/oracles"); }

}  // namespace commonplace::test

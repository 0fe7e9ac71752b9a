#include "commonplace/task/partial_rows.h"

#include <algorithm>

#include "commonplace/base/error.h"
#include "commonplace/io/files.h"
#include "commonplace/io/model_file.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKind = "partial_rows";
constexpr int kLayout = 1;
constexpr const char* kEnding = ".safetensors";

std::vector<fs::path> files_in(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().filename().string().starts_with(prefix + "-")) files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

PartialRows::PartialRows(fs::path folder, std::string prefix, std::string key, std::int64_t columns)
    : folder_(std::move(folder)),
      prefix_(std::move(prefix)),
      key_(std::move(key)),
      columns_(columns) {
  fs::create_directories(folder_);
  sweep_temporaries(folder_);
  for (const fs::path& path : files_in(folder_, prefix_)) {
    try {
      open(path);
    } catch (const Error&) {
      std::error_code ignored;
      fs::remove(path, ignored);
    }
  }
}

void PartialRows::open(const fs::path& path) {
  TensorFile file(path);
  require_kind(file, kKind, kLayout);
  require(file.metadata("options") == key_, path.string(), ": made in another way");
  const std::span<const std::int64_t> fingerprints = file.longs("fingerprints");
  const MatrixView rows = file.matrix("rows");
  std::vector<std::string> problems = file.strings("problems");
  require(rows.cols() == columns_ && rows.rows() == std::ssize(fingerprints) &&
              rows.rows() == std::ssize(problems),
          path.string(), ": the rows do not fit");
  for (std::size_t i = 0; i < fingerprints.size(); ++i)
    places_.try_emplace(static_cast<std::uint64_t>(fingerprints[i]),
                        Place{blocks_.size(), static_cast<std::int64_t>(i)});
  blocks_.push_back({std::move(file), std::move(problems)});
  const std::string number = path.stem().string().substr(prefix_.size() + 1);
  next_ = std::max<std::int64_t>(next_, std::strtoll(number.c_str(), nullptr, 10) + 1);
}

std::span<const float> PartialRows::row(std::uint64_t fingerprint) const {
  const Place& place = places_.at(fingerprint);
  const MatrixView rows = blocks_[place.block].file.matrix("rows");
  return {rows.data() + place.row * columns_, static_cast<std::size_t>(columns_)};
}

const std::string& PartialRows::problem(std::uint64_t fingerprint) const {
  const Place& place = places_.at(fingerprint);
  return blocks_[place.block].problems[static_cast<std::size_t>(place.row)];
}

void PartialRows::add(const std::vector<std::uint64_t>& fingerprints, const Matrix& rows,
                      const std::vector<std::string>& problems) {
  if (fingerprints.empty()) return;
  TensorWriter writer;
  describe_model(writer, kKind, kLayout, key_);
  const std::vector<std::int64_t> longs(fingerprints.begin(), fingerprints.end());
  writer.add("fingerprints", std::span<const std::int64_t>(longs));
  writer.add("rows", rows);
  writer.add_strings("problems", problems);
  const fs::path path = folder_ / concat(prefix_, "-", next_, kEnding);
  writer.write(path);
  open(path);
}

}  // namespace commonplace

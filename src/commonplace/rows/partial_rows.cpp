#include "commonplace/rows/partial_rows.h"

#include <algorithm>
#include <sstream>

#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/io/files.h"
#include "commonplace/io/model_file.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPartialRowsKind = "partial_rows";
constexpr int kPartialRowsLayout = 1;
constexpr const char* kEnding = ".safetensors";

/// Names below `folder`, of all ranks' files. Temporaries of killed processes are removed.
std::vector<std::string> files_in(const fs::path& folder, const std::string& prefix) {
  std::vector<std::string> names;
  sweep_temporaries(folder);
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_directory(error))
      sweep_temporaries(entry->path());
    else if (entry->path().filename().string().starts_with(prefix + "-"))
      names.push_back(entry->path().lexically_relative(folder).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Names hold no line ends.
std::string as_lines(const std::vector<std::string>& names) {
  std::string lines;
  for (const std::string& name : names) lines += name + "\n";
  return lines;
}

std::vector<std::string> from_lines(const std::string& lines) {
  std::vector<std::string> names;
  std::istringstream stream(lines);
  for (std::string name; std::getline(stream, name);) names.push_back(name);
  return names;
}

}  // namespace

PartialRows::PartialRows(fs::path folder, std::string prefix, std::string key, std::int64_t columns,
                         Comm& comm)
    : folder_(std::move(folder)),
      own_folder_(comm.rank() == 0 ? "" : concat("rank-", comm.rank())),
      prefix_(std::move(prefix)),
      key_(std::move(key)),
      columns_(columns) {
  // Rank 0 alone looks into the folder: another host may see an older state of it for a while.
  std::vector<std::string> found;
  if (comm.rank() == 0) {
    fs::create_directories(folder_);
    for (const std::string& name : files_in(folder_, prefix_)) {
      try {
        open(name);
        found.push_back(name);
      } catch (const Error&) {
        std::error_code ignored;
        fs::remove(folder_ / name, ignored);
      }
    }
  }
  found = from_lines(broadcast_text(comm, as_lines(found)));
  if (comm.rank() == 0) return;
  for (const std::string& name : found) open(name);
}

void PartialRows::open(const std::string& name) {
  const fs::path path = folder_ / name;
  TensorFile file(path);
  require_kind(file, kPartialRowsKind, kPartialRowsLayout);
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
  describe_model(writer, kPartialRowsKind, kPartialRowsLayout, key_);
  const std::vector<std::int64_t> longs(fingerprints.begin(), fingerprints.end());
  writer.add("fingerprints", std::span<const std::int64_t>(longs));
  writer.add("rows", rows);
  writer.add_strings("problems", problems);
  const fs::path name = fs::path(own_folder_) / concat(prefix_, "-", next_, kEnding);
  fs::create_directories(folder_ / own_folder_);
  writer.write(folder_ / name);
  open(name.string());
  added_.push_back(name.string());
}

void PartialRows::join(Comm& comm) {
  const std::vector<std::string> added = comm.gather_texts(as_lines(added_));
  added_.clear();
  if (comm.rank() != 0) return;
  for (std::size_t rank = 1; rank < added.size(); ++rank)
    for (const std::string& name : from_lines(added[rank])) open(name);
}

}  // namespace commonplace

#include "commonplace/task/image_rows.h"

#include <algorithm>
#include <unordered_set>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"

namespace commonplace {
namespace {

/// Pictures that are lost at most when the work is interrupted.
constexpr std::size_t kBlock = 128;
constexpr const char* kCallIt = "the file";

struct MadeRow {
  bool made = false;
  Eigen::RowVectorXf row;  ///< empty if there was a problem
};

/// Reads the file and, unless its row is kept already, makes it.
MadeRow make_row(const ImageSource& source, const ImageFeatureOptions& options,
                 const RowMaking& making, const PartialRows& rows, ImageState& state) {
  MadeRow result;
  state = {};
  ImageBytes image;
  try {
    image = read_image(source);
  } catch (const Error& error) {
    state.problem = error.what();
    return result;
  }
  state.known = true;
  state.fingerprint = image.fingerprint;
  if (rows.has(image.fingerprint)) {
    state.problem = rows.problem(image.fingerprint);
    return result;
  }
  result.made = true;
  try {
    result.row = making.make(decode_for_features(options, image.bytes, kCallIt));
  } catch (const Error& error) {
    state.problem = error.what();
  }
  return result;
}

void keep_block(std::span<const std::int64_t> chosen, const std::vector<MadeRow>& made,
                const RowMaking& making, const std::vector<ImageState>& states, PartialRows& rows) {
  std::vector<std::uint64_t> fingerprints;
  std::vector<std::string> problems;
  std::vector<const Eigen::RowVectorXf*> good;
  std::vector<std::int64_t> good_at;
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const ImageState& state = states[static_cast<std::size_t>(chosen[i])];
    if (!made[i].made || !seen.insert(state.fingerprint).second) continue;
    if (state.problem.empty()) {
      good.push_back(&made[i].row);
      good_at.push_back(std::ssize(fingerprints));
    }
    fingerprints.push_back(state.fingerprint);
    problems.push_back(state.problem);
  }
  Matrix kept = Matrix::Zero(std::ssize(fingerprints), rows.columns());
  if (!good.empty()) {
    Matrix block(std::ssize(good), good.front()->size());
    for (std::size_t i = 0; i < good.size(); ++i)
      block.row(static_cast<std::int64_t>(i)) = *good[i];
    if (making.finish) block = making.finish(block);
    for (std::size_t i = 0; i < good.size(); ++i)
      kept.row(good_at[i]) = block.row(static_cast<std::int64_t>(i));
  }
  rows.add(fingerprints, kept, problems);
}

}  // namespace

void ImageMeter::step() {
  const std::lock_guard lock(mutex_);
  ++done_;
  progress_(
      {stage_, static_cast<std::uint64_t>(done_), static_cast<std::uint64_t>(total_), "pictures"});
}

void make_image_rows(const std::vector<ImageSource>& sources, std::span<const std::int64_t> chosen,
                     const ImageFeatureOptions& options, const RowMaking& making, int jobs,
                     PartialRows& rows, std::vector<ImageState>& states, const Progress& progress) {
  ImageMeter meter(making.stage, std::ssize(chosen), progress);
  for (std::size_t first = 0; first < chosen.size(); first += kBlock) {
    const auto block = chosen.subspan(first, std::min(kBlock, chosen.size() - first));
    std::vector<MadeRow> made(block.size());
    parallel_for(
        block.size(), jobs,
        [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            const auto at = static_cast<std::size_t>(block[i]);
            made[i] = make_row(sources[at], options, making, rows, states[at]);
            meter.step();
          }
        },
        1);
    keep_block(block, made, making, states, rows);
  }
}

}  // namespace commonplace

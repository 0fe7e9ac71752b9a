#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "commonplace/base/progress.h"
#include "commonplace/features/image_features.h"
#include "commonplace/task/image_sources.h"
#include "commonplace/task/partial_rows.h"

namespace commonplace {

/// What became of an item's picture.
struct ImageState {
  bool known = false;             ///< the file was read
  std::uint64_t fingerprint = 0;  ///< of the file
  std::string problem;            ///< why there are no features; empty if there are
};

/// Counts pictures for a progress that many threads report to.
class ImageMeter {
 public:
  ImageMeter(std::string stage, std::int64_t total, const Progress& progress)
      : stage_(std::move(stage)), total_(total), progress_(progress) {}
  /// One more is done. It may throw Cancelled.
  void step();

 private:
  std::string stage_;
  std::int64_t total_;
  std::int64_t done_ = 0;
  const Progress& progress_;
  std::mutex mutex_;
};

/// How a row is made of pixels, and what blocks of such rows become before they are kept.
struct RowMaking {
  std::string stage;  ///< for the progress
  std::function<Eigen::RowVectorXf(const Picture&)> make;
  std::function<Matrix(const Matrix&)> finish;  ///< may be empty
};

/// Makes the rows of the pictures numbered `chosen`, with `jobs` threads, except those that `rows`
/// has already, and keeps them there block by block. `states` (one for each source) tells what
/// became of each: a picture that cannot be read has a problem, and a row of zeros.
void make_image_rows(const std::vector<ImageSource>& sources, std::span<const std::int64_t> chosen,
                     const ImageFeatureOptions& options, const RowMaking& making, int jobs,
                     PartialRows& rows, std::vector<ImageState>& states, const Progress& progress);

}  // namespace commonplace

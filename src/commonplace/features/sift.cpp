#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include <vl/dsift.h>
#include <vl/imopv.h>

#include "commonplace/base/error.h"
#include "commonplace/features/image_descriptors.h"

namespace commonplace {
namespace {

constexpr std::array<int, 4> kBinSizes = {4, 6, 8, 10};  ///< pixels; a patch is 4 x 4 bins
constexpr int kLeastSide = 48;                           ///< holds a patch of every size
constexpr int kColumns = 128;
constexpr double kWindow = 1.5;         ///< bins
constexpr double kSmoothing = 1.0 / 6;  ///< standard deviation for a bin's size
constexpr double kLeastGradient = 0.005;

using Filter = std::unique_ptr<VlDsiftFilter, void (*)(VlDsiftFilter*)>;

/// A plane as the camera would have seen it from so far away that a bin has its usual size.
std::vector<float> smoothed(const std::vector<float>& plane, int width, int height, int bin) {
  const double sigma = std::sqrt(std::max(0.0, std::pow(bin * kSmoothing, 2) - 0.25));
  if (sigma < 0.1) return plane;
  std::vector<float> result(plane.size());
  const auto stride = static_cast<vl_size>(width);
  vl_imsmooth_f(result.data(), stride, plane.data(), stride, static_cast<vl_size>(height), stride,
                sigma, sigma);
  return result;
}

/// The patches of all sizes have the same centres, those for which the largest fits.
Filter make_filter(int width, int height, int bin, int grid) {
  Filter filter(vl_dsift_new_basic(width, height, grid, bin), vl_dsift_delete);
  require(filter != nullptr, "there is no memory for SIFT on ", width, " x ", height, " pixels");
  const int margin = 3 * (kBinSizes.back() - bin) / 2;
  vl_dsift_set_bounds(filter.get(), margin, margin, width - 1 - margin, height - 1 - margin);
  vl_dsift_set_flat_window(filter.get(), VL_TRUE);
  vl_dsift_set_window_size(filter.get(), kWindow);
  return filter;
}

/// Writes the descriptors of one plane into `columns` columns of `into` from `column` on.
void describe(const std::vector<float>& plane, int width, int height, int bin, int grid,
              Eigen::Ref<Matrix> into) {
  const Filter filter = make_filter(width, height, bin, grid);
  vl_dsift_process(filter.get(), smoothed(plane, width, height, bin).data());
  const int count = vl_dsift_get_keypoint_num(filter.get());
  require(count == into.rows(), "SIFT found ", count, " patches where ", into.rows(), " fit");
  const VlDsiftKeypoint* points = vl_dsift_get_keypoints(filter.get());
  const MatrixView found(vl_dsift_get_descriptors(filter.get()), count, kColumns);
  for (std::int64_t i = 0; i < count; ++i) {
    const float sum = found.row(i).sum();
    if (points[i].norm < kLeastGradient || !(sum > 0))
      into.row(i).setZero();
    else
      // Rounds as IEEE says: Eigen's root of floats begins with a guess that each maker's
      // processors make in another way.
      into.row(i) = (found.row(i) / sum).unaryExpr([](float share) { return std::sqrt(share); });
  }
}

int patches_along(int side, int grid) { return (side - 1 - 3 * kBinSizes.back()) / grid + 1; }

Picture large_enough(const Picture& picture) {
  if (picture.width >= kLeastSide && picture.height >= kLeastSide) return picture;
  return resized(picture, std::max(picture.width, kLeastSide),
                 std::max(picture.height, kLeastSide));
}

void check_grid(int grid) { require(grid >= 1, "grid is ", grid, "; expected 1 or more pixels"); }

}  // namespace

Matrix sift_descriptors(const Picture& given, int grid) {
  check_grid(grid);
  const Picture picture = large_enough(given);
  const std::vector<float> plane = grey(picture);
  const std::int64_t patches =
      std::int64_t{patches_along(picture.width, grid)} * patches_along(picture.height, grid);
  Matrix result(patches * std::ssize(kBinSizes), kColumns);
  std::int64_t first = 0;
  for (const int bin : kBinSizes) {
    describe(plane, picture.width, picture.height, bin, grid, result.middleRows(first, patches));
    first += patches;
  }
  return result;
}

Matrix rgb_sift_descriptors(const Picture& given, int grid) {
  check_grid(grid);
  const Picture picture = large_enough(given);
  const std::int64_t patches =
      std::int64_t{patches_along(picture.width, grid)} * patches_along(picture.height, grid);
  Matrix result(patches * std::ssize(kBinSizes), 3 * kColumns);
  Matrix part(patches, kColumns);
  for (int channel = 0; channel < 3; ++channel) {
    std::int64_t first = 0;
    for (const int bin : kBinSizes) {
      describe(picture.channels[static_cast<std::size_t>(channel)], picture.width, picture.height,
               bin, grid, part);
      result.block(first, std::int64_t{channel} * kColumns, patches, kColumns) = part;
      first += patches;
    }
  }
  return result;
}

}  // namespace commonplace

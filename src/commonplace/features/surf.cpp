#include <algorithm>
#include <cmath>

// dlib asks for its library, and for a BLAS, wherever a header of it is included; what is used here
// is headers alone. Debian's has its asserts off; they would ask for a margin that is wider than
// what the descriptor reads.
#define DLIB_TEST_FOR_ODR_VIOLATIONS_H_
#define DLIB_DISABLE_ASSERTS
#include <dlib/algs.h>
#undef DLIB_USE_BLAS
#undef DLIB_USE_LAPACK
#include <dlib/array2d.h>
#include <dlib/image_keypoint/surf.h>

#include "commonplace/base/error.h"
#include "commonplace/features/image_descriptors.h"

namespace commonplace {
namespace {

constexpr double kScale = 2;  ///< pixels from sample to sample; a patch is 20 x 20 samples
constexpr int kMargin = 26;   ///< from a patch's centre to the farthest pixel it may need
constexpr int kLeastSide = 2 * kMargin + 1;
constexpr int kColumns = 64;

}  // namespace

Matrix surf_descriptors(const Picture& given, int grid) {
  require(grid >= 1, "grid is ", grid, "; expected 1 or more pixels");
  const Picture picture =
      resized(given, std::max(given.width, kLeastSide), std::max(given.height, kLeastSide));
  const std::vector<float> plane = grey(picture);
  dlib::array2d<float> image(picture.height, picture.width);
  std::copy(plane.begin(), plane.end(), &image[0][0]);
  dlib::integral_image_generic<double> sums;
  sums.load(image);

  const int across = (picture.width - kLeastSide) / grid + 1;
  const int down = (picture.height - kLeastSide) / grid + 1;
  Matrix result(std::int64_t{across} * down, kColumns);
  dlib::matrix<double, kColumns, 1> descriptor;
  for (int y = 0; y < down; ++y)
    for (int x = 0; x < across; ++x) {
      const dlib::point centre(kMargin + x * grid, kMargin + y * grid);
      dlib::compute_surf_descriptor(sums, centre, kScale, 0.0, descriptor);
      for (int i = 0; i < kColumns; ++i)
        result(std::int64_t{y} * across + x, i) = static_cast<float>(descriptor(i));
    }
  return result;
}

}  // namespace commonplace

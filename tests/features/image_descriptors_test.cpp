#include "commonplace/features/image_descriptors.h"

#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>
#include <unsupported/Eigen/FFT>

#include "commonplace/base/error.h"
#include "commonplace/features/gist.h"
#include "tests/support/sample_pictures.h"

namespace commonplace {
namespace image_descriptors_test {

Picture picture_of(int width, int height, int number) {
  const test::Pixels pixels = test::pattern(width, height, number);
  Picture picture;
  picture.width = width;
  picture.height = height;
  for (std::size_t i = 0; i < pixels.rgb.size(); ++i)
    picture.channels[i % 3].push_back(static_cast<float>(pixels.rgb[i]) / 255);
  return picture;
}

/// A picture that is `of(x, y)` in all channels.
template <class Of>
Picture grey_picture(int width, int height, const Of& of) {
  Picture picture;
  picture.width = width;
  picture.height = height;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (auto& channel : picture.channels) channel.push_back(static_cast<float>(of(x, y)));
  return picture;
}

Picture mirrored(const Picture& picture) {
  Picture result = picture;
  for (std::size_t c = 0; c < 3; ++c)
    for (int y = 0; y < picture.height; ++y)
      for (int x = 0; x < picture.width; ++x)
        result.channels[c][static_cast<std::size_t>(y * picture.width + x)] =
            picture
                .channels[c][static_cast<std::size_t>(y * picture.width + picture.width - 1 - x)];
  return result;
}

TEST(SiftTest, AGridOfPatchesInEverySize) {
  // The largest patch is 31 pixels from its first bin's centre to its last.
  const Matrix found = sift_descriptors(picture_of(67, 61, 1), 6);
  EXPECT_EQ(found.rows(), 4 * 7 * 6);
  EXPECT_EQ(found.cols(), 128);
  for (std::int64_t i = 0; i < found.rows(); ++i) EXPECT_NEAR(found.row(i).norm(), 1, 1e-4);
  EXPECT_GT(sift_descriptors(picture_of(67, 61, 1), 3).rows(), 3 * found.rows());
}

TEST(SiftTest, ARampHasOneDirection) {
  const Matrix found =
      sift_descriptors(grey_picture(64, 64, [](int x, int) { return x / 64.0; }), 6);
  // Eight directions a bin: those that the brightness rises in are one of each eight.
  Eigen::Index strongest = 0;
  found.row(0).head(8).maxCoeff(&strongest);
  for (std::int64_t i = 0; i < found.rows(); ++i)
    for (std::int64_t j = 0; j < 128; ++j)
      if (j % 8 != strongest) {
        EXPECT_NEAR(found(i, j), 0, 1e-2);
      }
}

TEST(SiftTest, TheMirroredPictureHasTheMirroredDescriptors) {
  // 30 + 6 k pixels from the first centre to the last: the grid is its own mirror image.
  const Picture picture = picture_of(31 + 36, 61, 3);
  const Matrix right = sift_descriptors(picture, 6);
  const Matrix left = sift_descriptors(mirrored(picture), 6);
  const std::int64_t across = 7;
  ASSERT_EQ(right.rows() % across, 0);
  for (std::int64_t i = 0; i < right.rows(); ++i) {
    const std::int64_t other = i - i % across + across - 1 - i % across;
    for (std::int64_t y = 0; y < 4; ++y)
      for (std::int64_t x = 0; x < 4; ++x)
        for (std::int64_t t = 0; t < 8; ++t)
          EXPECT_NEAR(right(i, (y * 4 + x) * 8 + t),
                      left(other, (y * 4 + 3 - x) * 8 + (12 - t) % 8), 0.02);
  }
}

TEST(SiftTest, AnEvenPictureHasZerosAndATinyOneIsStretched) {
  const Picture even = grey_picture(60, 60, [](int, int) { return 0.4; });
  EXPECT_EQ(sift_descriptors(even, 6), Matrix::Zero(sift_descriptors(even, 6).rows(), 128));
  const Picture one = grey_picture(1, 1, [](int, int) { return 0.4; });
  for (const Matrix& found :
       {sift_descriptors(one, 6), rgb_sift_descriptors(one, 6), surf_descriptors(one, 6),
        sift_descriptors(picture_of(1, 90, 2), 6), surf_descriptors(picture_of(90, 1, 2), 6)}) {
    EXPECT_GE(found.rows(), 1);
    EXPECT_TRUE(found.allFinite());
  }
  EXPECT_TRUE(gist(one).allFinite());
}

TEST(SiftTest, RgbIsSiftOfEachChannel) {
  const Picture picture = picture_of(70, 64, 5);
  const Matrix found = rgb_sift_descriptors(picture, 6);
  ASSERT_EQ(found.cols(), 384);
  for (int c = 0; c < 3; ++c) {
    Picture channel = picture;
    channel.channels = {picture.channels[static_cast<std::size_t>(c)],
                        picture.channels[static_cast<std::size_t>(c)],
                        picture.channels[static_cast<std::size_t>(c)]};
    const Matrix alone = sift_descriptors(channel, 6);
    EXPECT_LT((found.middleCols(128 * c, 128) - alone).cwiseAbs().maxCoeff(), 1e-3);
  }
}

TEST(DescriptorTest, WrongGridsAreRefused) {
  const Picture picture = picture_of(70, 64, 5);
  EXPECT_THROW(sift_descriptors(picture, 0), Error);
  EXPECT_THROW(rgb_sift_descriptors(picture, 0), Error);
  EXPECT_THROW(surf_descriptors(picture, -1), Error);
}

TEST(SurfTest, LengthOneWhateverTheLight) {
  const Picture picture = picture_of(90, 80, 2);
  Picture dark = picture;
  for (auto& channel : dark.channels)
    for (float& value : channel) value = 0.5F * value + 0.1F;
  const Matrix found = surf_descriptors(picture, 6);
  EXPECT_EQ(found.rows(), 7 * 5);
  for (std::int64_t i = 0; i < found.rows(); ++i) EXPECT_NEAR(found.row(i).norm(), 1, 1e-5);
  EXPECT_LT((found - surf_descriptors(dark, 6)).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(SurfTest, ARampHasOneDirection) {
  const Matrix found =
      surf_descriptors(grey_picture(80, 80, [](int x, int) { return x / 80.0; }), 6);
  // Sums of dx, dy, |dx|, |dy| for each cell: all that rises does so to the right.
  for (std::int64_t i = 0; i < found.rows(); ++i)
    for (std::int64_t cell = 0; cell < 16; ++cell) {
      EXPECT_GT(std::abs(found(i, 4 * cell)), 0.1);
      EXPECT_NEAR(std::abs(found(i, 4 * cell)), found(i, 4 * cell + 2), 1e-5);
      EXPECT_NEAR(found(i, 4 * cell + 1), 0, 1e-5);
      EXPECT_NEAR(found(i, 4 * cell + 3), 0, 1e-5);
    }
}

/// GIST by its definition, in double precision and with Eigen's Fourier transform.
class NaiveGist {
 public:
  static constexpr int kSide = 96;
  static constexpr int kBorder = 16;
  static constexpr int kGrid = 128;
  using Field = Eigen::MatrixXcd;

  static std::vector<double> of(const Picture& given) {
    const Picture picture = resized(given, kSide, kSide);
    std::vector<Field> channels;
    for (const auto& channel : picture.channels) {
      Field field(kGrid, kGrid);
      for (int y = 0; y < kGrid; ++y)
        for (int x = 0; x < kGrid; ++x)
          field(y, x) = std::log(
              1 + 255.0 * static_cast<double>(
                              channel[static_cast<std::size_t>(inside(y) * kSide + inside(x))]));
      channels.push_back(field - smooth(field));
    }
    Field mean = (channels[0] + channels[1] + channels[2]) / 3;
    const Field contrast = smooth(mean.cwiseProduct(mean));
    std::vector<double> result;
    for (Field& channel : channels) {
      for (int y = 0; y < kGrid; ++y)
        for (int x = 0; x < kGrid; ++x)
          channel(y, x) /= 0.2 + std::sqrt(std::max(0.0, contrast(y, x).real()));
      for (int scale = 0; scale < 4; ++scale)
        for (int orientation = 0; orientation < 8; ++orientation)
          add_cells(gabor(channel, scale, orientation), result);
    }
    return result;
  }

 private:
  static int inside(int at) {
    at -= kBorder;
    if (at < 0) at = -1 - at;
    return at < kSide ? at : 2 * kSide - 1 - at;
  }
  static Field transformed(Field field, bool back) {
    Eigen::FFT<double> fft;
    for (int pass = 0; pass < 2; ++pass) {
      for (int i = 0; i < kGrid; ++i) {
        const Eigen::VectorXcd column = field.col(i);
        Eigen::VectorXcd out(kGrid);
        if (back)
          fft.inv(out, column);
        else
          fft.fwd(out, column);
        field.col(i) = out;
      }
      field.transposeInPlace();
    }
    return field;
  }
  template <class Of>
  static Field filtered(const Field& field, const Of& transfer) {
    Field spectrum = transformed(field, false);
    for (int y = 0; y < kGrid; ++y)
      for (int x = 0; x < kGrid; ++x)
        spectrum(y, x) *= transfer(x < kGrid / 2 ? x : x - kGrid, y < kGrid / 2 ? y : y - kGrid);
    return transformed(spectrum, true);
  }
  static Field smooth(const Field& field) {
    return filtered(field,
                    [](int x, int y) { return std::exp(-(x * x + y * y) * std::log(2.0) / 16); });
  }
  static Field gabor(const Field& field, int scale, int orientation) {
    return filtered(field, [&](int x, int y) {
      constexpr double pi = std::numbers::pi;
      const double off = std::sqrt(x * x + y * y) / kGrid * std::pow(1.85, scale) / 0.3 - 1;
      double angle = std::atan2(y, x) + orientation * pi / 8;
      if (angle > pi) angle -= 2 * pi;
      return std::exp(-10 * 0.35 * off * off - 2 * pi * angle * angle);
    });
  }
  static void add_cells(const Field& answer, std::vector<double>& result) {
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 4; ++column)
        result.push_back(
            answer.block(kBorder + 24 * row, kBorder + 24 * column, 24, 24).cwiseAbs().mean());
  }
};

TEST(GistTest, IsTheNaiveOne) {
  const Picture picture = picture_of(150, 110, 4);
  const Eigen::RowVectorXf made = gist(picture);
  const std::vector<double> expected = NaiveGist::of(picture);
  ASSERT_EQ(made.size(), std::ssize(expected));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(made(static_cast<std::int64_t>(i)), expected[i], 1e-4) << i;
}

TEST(GistTest, AGratingIsSeenByItsFilter) {
  // 0.162 cycles a pixel of the square, rising to the right: scale 1, orientation 0.
  const Picture picture = grey_picture(
      96, 96, [](int x, int) { return 0.5 + 0.4 * std::sin(2 * std::numbers::pi * 0.162 * x); });
  const Eigen::RowVectorXf made = gist(picture);
  Eigen::Index strongest = 0;
  made.head(512).maxCoeff(&strongest);
  EXPECT_EQ(strongest / 16, 8);
}

}  // namespace image_descriptors_test
}  // namespace commonplace

#include "commonplace/features/picture.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/sample_library.h"
#include "tests/support/sample_pictures.h"
#include "tests/support/tiny_images.h"

namespace commonplace {
namespace picture_test {

using test::as_jpeg;
using test::as_png;
using test::as_webp;
using test::pattern;
using test::Pixels;

Picture as_picture(const Pixels& pixels) {
  Picture picture;
  picture.width = pixels.width;
  picture.height = pixels.height;
  for (std::size_t i = 0; i < pixels.rgb.size(); ++i)
    picture.channels[i % 3].push_back(static_cast<float>(pixels.rgb[i]) / 255);
  return picture;
}

void expect_near(const Picture& a, const Picture& b, float tolerance) {
  ASSERT_EQ(a.width, b.width);
  ASSERT_EQ(a.height, b.height);
  for (std::size_t c = 0; c < 3; ++c) {
    ASSERT_EQ(a.channels[c].size(), b.channels[c].size());
    for (std::size_t i = 0; i < a.channels[c].size(); ++i)
      ASSERT_NEAR(a.channels[c][i], b.channels[c][i], tolerance) << "channel " << c << " at " << i;
  }
}

std::string message_of(const std::string& bytes, const PictureOptions& options = {}) {
  return test::message_of([&] { decode_picture(bytes, "p.jpg", options); });
}

/// Without noise, so that JPEG keeps it.
Pixels smooth(int width, int height) {
  Pixels pixels{width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const int value : {20 + 200 * x / width, 30 + 180 * y / height, 220 - 150 * x / width})
        pixels.rgb.push_back(static_cast<std::uint8_t>(value));
  return pixels;
}

TEST(PictureTest, LosslessFilesGiveTheirPixels) {
  const Pixels pixels = pattern(37, 23, 1);
  expect_near(decode_picture(as_png(pixels), "p"), as_picture(pixels), 1e-6F);
  expect_near(decode_picture(as_webp(pixels), "p"), as_picture(pixels), 1e-6F);
  const std::string interlaced = as_png(37, 23, pixels.rgb, {.interlaced = true});
  expect_near(decode_picture(interlaced, "p"), as_picture(pixels), 1e-6F);
}

TEST(PictureTest, JpegOfEveryKindGivesItsPixels) {
  const Pixels pixels = smooth(60, 44);
  expect_near(decode_picture(as_jpeg(pixels), "p"), as_picture(pixels), 0.03F);
  const std::string progressive = as_jpeg(pixels, {.progressive = true});
  expect_near(decode_picture(progressive, "p"), decode_picture(as_jpeg(pixels), "p"), 1e-6F);
  expect_near(decode_picture(as_jpeg(pixels, {.four_inks = true}), "p"), as_picture(pixels), 0.03F);
  Pixels grey = pixels;
  for (std::size_t i = 0; i < grey.rgb.size(); ++i) grey.rgb[i] = pixels.rgb[i - i % 3];
  expect_near(decode_picture(as_jpeg(pixels, {.grey = true}), "p"), as_picture(grey), 0.03F);
}

TEST(PictureTest, PngOfEveryKindGivesItsPixels) {
  const Picture grey = decode_picture(as_png(2, 1, {0, 128}, {.type = PNG_COLOR_TYPE_GRAY}), "p");
  EXPECT_FLOAT_EQ(grey.channels[2][1], 128.0F / 255);
  const Picture bits =
      decode_picture(as_png(3, 1, {0xa0}, {.depth = 1, .type = PNG_COLOR_TYPE_GRAY}), "p");
  EXPECT_EQ(bits.channels[0], (std::vector<float>{1, 0, 1}));
  const Picture deep =
      decode_picture(as_png(1, 1, {0xff, 0xff, 0x80, 0x80, 0, 0}, {.depth = 16}), "p");
  EXPECT_FLOAT_EQ(deep.channels[0][0], 1);
  EXPECT_FLOAT_EQ(deep.channels[1][0], 128.0F / 255);
  EXPECT_FLOAT_EQ(deep.channels[2][0], 0);
  // Red, half seen through; blue.
  const Picture palette = decode_picture(as_png(2, 1, {0, 1},
                                                {.type = PNG_COLOR_TYPE_PALETTE,
                                                 .palette = {{255, 0, 0}, {0, 0, 255}},
                                                 .palette_alpha = {128}}),
                                         "p");
  EXPECT_NEAR(palette.channels[0][0], 1, 1e-6);
  EXPECT_NEAR(palette.channels[1][0], 127.0 / 255, 1e-6);
  EXPECT_NEAR(palette.channels[2][1], 1, 1e-6);
  EXPECT_NEAR(palette.channels[0][1], 0, 1e-6);
}

TEST(PictureTest, WhatIsTransparentIsWhite) {
  const Picture png =
      decode_picture(as_png(1, 1, {10, 20, 30, 0}, {.type = PNG_COLOR_TYPE_RGB_ALPHA}), "p");
  EXPECT_FLOAT_EQ(png.channels[1][0], 1);
  Pixels black{1, 1, {0, 0, 0}};
  EXPECT_NEAR(decode_picture(as_webp(black, 51), "p").channels[0][0], 0.8, 1e-6);
}

/// The stored form of an upright picture, from EXIF's own words: where its first row and its first
/// column are seen.
Pixels stored(Pixels upright, int orientation) {
  struct Seen {
    char row;
    char column;
  };
  constexpr Seen seen[] = {{'t', 'l'}, {'t', 'r'}, {'b', 'r'}, {'b', 'l'},
                           {'l', 't'}, {'r', 't'}, {'r', 'b'}, {'l', 'b'}};
  const Seen where = seen[orientation - 1];
  const bool turned = where.row == 'l' || where.row == 'r';
  Pixels result{
      turned ? upright.height : upright.width, turned ? upright.width : upright.height, {}};
  for (int row = 0; row < result.height; ++row)
    for (int column = 0; column < result.width; ++column) {
      int x = 0;
      int y = 0;
      auto place = [&](char side, int number) {
        if (side == 't') y = number;
        if (side == 'b') y = upright.height - 1 - number;
        if (side == 'l') x = number;
        if (side == 'r') x = upright.width - 1 - number;
      };
      place(where.row, row);
      place(where.column, column);
      result.rgb.insert(result.rgb.end(), upright.at(x, y), upright.at(x, y) + 3);
    }
  return result;
}

TEST(PictureTest, TurnsAsExifSays) {
  const Pixels pixels = pattern(14, 9, 2);
  for (int orientation = 1; orientation <= 8; ++orientation) {
    SCOPED_TRACE(orientation);
    const bool big_endian = orientation % 2 == 0;
    const std::string exif = test::exif_block(orientation, big_endian);
    std::string png = as_png(stored(pixels, orientation));
    png.insert(33, test::png_chunk("eXIf", exif));
    expect_near(decode_picture(png, "p"), as_picture(pixels), 1e-6F);

    const std::string plain = as_webp(stored(pixels, orientation));
    const Pixels shape = stored(pixels, orientation);
    const std::string size = {static_cast<char>(shape.width - 1),  '\0', '\0',
                              static_cast<char>(shape.height - 1), '\0', '\0'};
    const std::string body = "WEBP" +
                             test::webp_chunk("VP8X", std::string("\x08\0\0\0", 4) + size) +
                             plain.substr(12) + test::webp_chunk("EXIF", exif);
    const std::string length = {static_cast<char>(body.size() & 0xff),
                                static_cast<char>(body.size() >> 8), '\0', '\0'};
    expect_near(decode_picture("RIFF" + length + body, "p"), as_picture(pixels), 1e-6F);

    const Pixels even = smooth(32, 16);
    std::string jpeg = as_jpeg(stored(even, orientation));
    jpeg.insert(2, test::jpeg_segment(0xe1, std::string("Exif\0\0", 6) + exif));
    expect_near(decode_picture(jpeg, "p"), as_picture(even), 0.05F);
  }
}

TEST(PictureTest, NonsenseInExifIsNoOrientation) {
  const Pixels pixels = pattern(5, 3, 2);
  const std::string good = test::exif_block(6, false);
  for (std::size_t length = 0; length < 20; ++length) {
    std::string png = as_png(pixels);
    png.insert(33, test::png_chunk("eXIf", good.substr(0, length)));
    EXPECT_EQ(decode_picture(png, "p").width, 5) << length;
  }
  std::string png = as_png(pixels);
  png.insert(33, test::png_chunk("eXIf", test::exif_block(9, true)));
  EXPECT_EQ(decode_picture(png, "p").width, 5);
}

/// The average over the area of each pixel of the result, sampled finely.
float naive_average(const Picture& picture, std::size_t channel, double x0, double x1, double y0,
                    double y1) {
  double sum = 0;
  double area = 0;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      const double wide = std::min(x1, x + 1.0) - std::max(x0, double(x));
      const double high = std::min(y1, y + 1.0) - std::max(y0, double(y));
      if (wide <= 0 || high <= 0) continue;
      sum += wide * high *
             static_cast<double>(
                 picture.channels[channel][static_cast<std::size_t>(y * picture.width + x)]);
      area += wide * high;
    }
  return static_cast<float>(sum / area);
}

TEST(PictureTest, ReducesByAveragingAreas) {
  const Pixels pixels = pattern(50, 30, 3);
  const Picture full = as_picture(pixels);
  for (const int side : {49, 33, 25, 10, 1}) {
    PictureOptions options;
    options.side = side;
    const Picture reduced = decode_picture(as_png(pixels), "p", options);
    EXPECT_EQ(reduced.width, side);
    EXPECT_EQ(reduced.height, std::max(1L, std::lround(30.0 * side / 50)));
    for (std::size_t channel = 0; channel < 3; ++channel)
      for (int y = 0; y < reduced.height; ++y)
        for (int x = 0; x < reduced.width; ++x)
          ASSERT_NEAR(
              reduced.channels[channel][static_cast<std::size_t>(y * reduced.width + x)],
              naive_average(full, channel, x * 50.0 / reduced.width, (x + 1) * 50.0 / reduced.width,
                            y * 30.0 / reduced.height, (y + 1) * 30.0 / reduced.height),
              1e-5);
  }
}

TEST(PictureTest, JpegDecodedSmallIsNearTheReducedOne) {
  const Pixels pixels = smooth(640, 480);
  PictureOptions options;
  options.side = 70;
  expect_near(decode_picture(as_jpeg(pixels), "p", options),
              decode_picture(as_png(pixels), "p", options), 0.03F);
}

TEST(PictureTest, ResizesBothWays) {
  const Picture picture = as_picture(smooth(20, 10));
  const Picture wide = resized(picture, 60, 5);
  EXPECT_EQ(wide.width, 60);
  EXPECT_EQ(wide.height, 5);
  for (int x = 1; x < 60; ++x)
    EXPECT_GE(wide.channels[0][static_cast<std::size_t>(x)],
              wide.channels[0][static_cast<std::size_t>(x - 1)]);
  expect_near(resized(picture, 20, 10), picture, 1e-6F);
  const Picture one = resized(as_picture(Pixels{1, 1, {51, 102, 153}}), 4, 4);
  for (const float value : one.channels[1]) EXPECT_FLOAT_EQ(value, 0.4F);
}

TEST(PictureTest, FilesThatAreCutOffAreRefused) {
  const Pixels pixels = pattern(40, 30, 4);
  for (const std::string& file :
       {as_jpeg(pixels), as_jpeg(pixels, {.progressive = true}), as_png(pixels),
        as_png(40, 30, pixels.rgb, {.interlaced = true}), as_webp(pixels)}) {
    for (std::size_t keep = 1; keep < 10; ++keep) {
      const std::string cut = file.substr(0, file.size() * keep / 10);
      EXPECT_NE(message_of(cut).find("p.jpg is "), std::string::npos) << keep << " tenths";
    }
  }
  EXPECT_NE(message_of(as_jpeg(pixels).substr(0, 500)).find("broken JPEG"), std::string::npos);
}

TEST(PictureTest, TooLargePicturesAreRefusedBeforeMemoryIsTaken) {
  std::string png = as_png(pattern(8, 8, 1));
  const std::string header = std::string("\x7f\xff\xff\xff\x7f\xff\xff\xff", 8) + png.substr(24, 5);
  png.replace(8, 25, test::png_chunk("IHDR", header));
  EXPECT_NE(message_of(png), "");
  std::string jpeg = as_jpeg(pattern(8, 8, 1));
  const std::size_t frame = jpeg.find("\xff\xc0");
  jpeg.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  EXPECT_NE(message_of(jpeg).find("65500 x 65500"), std::string::npos);
  jpeg.replace(frame + 5, 4, "\x20\xdc\x20\xdc");
  EXPECT_NE(message_of(jpeg).find("cannot hold"), std::string::npos);
  PictureOptions options;
  options.most_pixels = 63;
  EXPECT_NE(message_of(as_webp(pattern(8, 8, 1)), options).find("more than 63"), std::string::npos);
  options.most_pixels = 64;
  EXPECT_EQ(message_of(as_webp(pattern(8, 8, 1)), options), "");
}

TEST(PictureTest, OtherFormatsAreNamed) {
  EXPECT_NE(message_of(test::tiny_tiff()).find("a TIFF"), std::string::npos);
  EXPECT_NE(message_of("<?xml version='1.0'?><a/>").find("markup"), std::string::npos);
  EXPECT_NE(message_of("GIF89a").find("a GIF"), std::string::npos);
  EXPECT_NE(message_of("").find("an empty file"), std::string::npos);
  EXPECT_NE(message_of("hello").find("unknown format"), std::string::npos);
}

TEST(PictureTest, TheSmallestPicturesAreRead) {
  EXPECT_EQ(decode_picture(test::tiny_jpeg(), "p").width, 8);
  EXPECT_EQ(decode_picture(test::tiny_png(), "p").width, 1);
  EXPECT_EQ(decode_picture(test::tiny_webp(), "p").width, 1);
}

}  // namespace picture_test
}  // namespace commonplace

#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <jpeglib.h>
#include <png.h>
#include <webp/encode.h>

#include "commonplace/base/rng.h"

namespace commonplace::test {

/// Eight bits a channel: red, green, blue.
struct Pixels {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;

  std::uint8_t* at(int x, int y) {
    return rgb.data() + 3 * (static_cast<std::ptrdiff_t>(y) * width + x);
  }
};

/// A picture of its own for each number: stripes of some direction, width and colour, with noise.
inline Pixels pattern(int width, int height, int number) {
  Pixels pixels{width, height, {}};
  const double angle = 0.7 * number;
  const double frequency = 0.2 + 0.05 * (number % 7);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double wave = std::sin(frequency * (x * std::cos(angle) + y * std::sin(angle)));
      for (int c = 0; c < 3; ++c) {
        const double noise = random_uniform(static_cast<std::uint64_t>(number),
                                            static_cast<std::uint64_t>(y * width + x),
                                            static_cast<std::uint64_t>(c));
        const double value = 128 + 70 * wave * ((number + c) % 3 == 0 ? -1 : 1) + 40 * noise;
        pixels.rgb.push_back(static_cast<std::uint8_t>(value));
      }
    }
  return pixels;
}

struct JpegForm {
  int quality = 95;
  bool grey = false;
  bool four_inks = false;  ///< inverted, as Adobe's programs write them
  bool progressive = false;
};

inline std::string as_jpeg(const Pixels& pixels, const JpegForm& form = {}) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* buffer = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &buffer, &size);
  info.image_width = static_cast<JDIMENSION>(pixels.width);
  info.image_height = static_cast<JDIMENSION>(pixels.height);
  const int channels = form.grey ? 1 : form.four_inks ? 4 : 3;
  info.input_components = channels;
  info.in_color_space = form.grey ? JCS_GRAYSCALE : form.four_inks ? JCS_CMYK : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, form.quality, TRUE);
  for (int i = 0; i < channels; ++i)
    info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
  if (form.four_inks) info.write_Adobe_marker = TRUE;
  if (form.progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < pixels.height; ++y) {
    std::vector<std::uint8_t> row;
    for (int x = 0; x < pixels.width; ++x) {
      const std::uint8_t* pixel =
          pixels.rgb.data() + 3 * (static_cast<std::ptrdiff_t>(y) * pixels.width + x);
      row.insert(row.end(), pixel, pixel + (form.grey ? 1 : 3));
      if (form.four_inks) row.push_back(255);
    }
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  const std::string result(reinterpret_cast<const char*>(buffer), size);
  jpeg_destroy_compress(&info);
  std::free(buffer);
  return result;
}

struct PngForm {
  int depth = 8;
  int type = PNG_COLOR_TYPE_RGB;
  bool interlaced = false;
  std::vector<png_color> palette = {};
  std::vector<png_byte> palette_alpha = {};
};

/// `rows` holds the samples as the file has them, row after row.
inline std::string as_png(int width, int height, const std::vector<std::uint8_t>& rows,
                          const PngForm& form = {}) {
  std::string result;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &result,
      [](png_structp to, png_bytep bytes, std::size_t count) {
        static_cast<std::string*>(png_get_io_ptr(to))
            ->append(reinterpret_cast<const char*>(bytes), count);
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height),
               form.depth, form.type, form.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!form.palette.empty())
    png_set_PLTE(png, info, form.palette.data(), static_cast<int>(form.palette.size()));
  if (!form.palette_alpha.empty())
    png_set_tRNS(png, info, form.palette_alpha.data(), static_cast<int>(form.palette_alpha.size()),
                 nullptr);
  png_write_info(png, info);
  const std::size_t stride = png_get_rowbytes(png, info);
  if (rows.size() != stride * static_cast<std::size_t>(height))
    throw std::logic_error("rows of the wrong length for a PNG");
  std::vector<png_bytep> pointers;
  for (int y = 0; y < height; ++y)
    pointers.push_back(const_cast<png_bytep>(rows.data()) + stride * static_cast<std::size_t>(y));
  png_write_image(png, pointers.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return result;
}

inline std::string as_png(const Pixels& pixels) {
  return as_png(pixels.width, pixels.height, pixels.rgb);
}

/// Lossless; `alpha` is that of every pixel.
inline std::string as_webp(const Pixels& pixels, std::uint8_t alpha = 255) {
  std::vector<std::uint8_t> rgba;
  for (std::size_t i = 0; i < pixels.rgb.size(); i += 3) {
    rgba.insert(rgba.end(), pixels.rgb.begin() + static_cast<std::ptrdiff_t>(i),
                pixels.rgb.begin() + static_cast<std::ptrdiff_t>(i) + 3);
    rgba.push_back(alpha);
  }
  std::uint8_t* bytes = nullptr;
  const std::size_t size =
      WebPEncodeLosslessRGBA(rgba.data(), pixels.width, pixels.height, 4 * pixels.width, &bytes);
  const std::string result(reinterpret_cast<const char*>(bytes), size);
  WebPFree(bytes);
  return result;
}

/// A block of EXIF that says nothing but the orientation.
inline std::string exif_block(int orientation, bool big_endian) {
  auto number = [&](unsigned value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) {
      const int shift = 8 * (big_endian ? bytes - 1 - i : i);
      text += static_cast<char>(value >> shift & 0xff);
    }
    return text;
  };
  return (big_endian ? "MM" : "II") + number(42, 2) + number(8, 4) + number(1, 2) +
         number(0x112, 2) + number(3, 2) + number(1, 4) +
         number(static_cast<unsigned>(orientation), 2) + number(0, 2) + number(0, 4);
}

}  // namespace commonplace::test

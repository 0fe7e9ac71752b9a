#include "commonplace/features/encode_jpeg.h"

// As in decode_jpeg.cpp, libjpeg's jumps pass over no destructors.
#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

struct Failure {
  jpeg_error_mgr manager;  ///< first, so that a pointer to it is one to the whole
  std::jmp_buf place;
};

[[noreturn]] void jump(j_common_ptr info) {
  std::longjmp(reinterpret_cast<Failure*>(info->err)->place, 1);
}
void be_silent(j_common_ptr) {}

/// What the compressor writes to, freed whatever happens.
struct Output {
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { std::free(bytes); }
};

bool compress(const std::vector<unsigned char>& pixels, int width, int height, int quality,
              jpeg_compress_struct& info, Failure& failure, Output& output) {
  info.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = jump;
  failure.manager.output_message = be_silent;
  if (setjmp(failure.place) != 0) return false;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &output.bytes, &output.size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, quality, TRUE);
  info.optimize_coding = TRUE;
  jpeg_start_compress(&info, TRUE);
  const auto stride = static_cast<std::size_t>(width) * 3;
  while (info.next_scanline < info.image_height) {
    auto* row = const_cast<JSAMPROW>(pixels.data() + info.next_scanline * stride);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  return true;
}

}  // namespace

std::string encode_jpeg(const Picture& picture, int quality) {
  require(picture.width > 0 && picture.height > 0 && picture.width <= 65'500 &&
              picture.height <= 65'500,
          "a picture of ", picture.width, " x ", picture.height, " cannot be a JPEG");
  const auto count =
      static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
  std::vector<unsigned char> pixels(3 * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      pixels[3 * i + c] = static_cast<unsigned char>(
          std::lround(255 * std::clamp(picture.channels[c][i], 0.0F, 1.0F)));
  jpeg_compress_struct info{};
  Failure failure;
  Output output;
  const bool done = compress(pixels, picture.width, picture.height, quality, info, failure, output);
  jpeg_destroy_compress(&info);
  require(done, "not enough memory for a JPEG of ", picture.width, " x ", picture.height);
  return {reinterpret_cast<const char*>(output.bytes), output.size};
}

}  // namespace commonplace

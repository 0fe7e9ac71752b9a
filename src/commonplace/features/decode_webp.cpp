#include <cstdint>
#include <memory>

#include <webp/decode.h>

#include "commonplace/base/error.h"
#include "commonplace/features/area_average.h"
#include "commonplace/features/picture_decoders.h"

namespace commonplace {
namespace {

const char* reason(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
      return "there is no memory for it";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return "it uses what cannot be read";
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return "it is cut off";
    default:
      return "its data are damaged";
  }
}

}  // namespace

Picture decode_webp(std::string_view bytes, const PictureOptions& options) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  WebPBitstreamFeatures features;
  VP8StatusCode status = WebPGetFeatures(data, bytes.size(), &features);
  require(status == VP8_STATUS_OK, "is a broken WebP: ", reason(status));
  require(features.has_animation == 0, "is an animated WebP; only still pictures are read");
  check_picture_size(features.width, features.height, options);

  WebPDecoderConfig config;
  require(WebPInitDecoderConfig(&config) != 0, "cannot be read: libwebp is of another version");
  config.output.colorspace = MODE_RGBA;
  const std::unique_ptr<WebPDecBuffer, void (*)(WebPDecBuffer*)> release(&config.output,
                                                                         WebPFreeDecBuffer);
  status = WebPDecode(data, bytes.size(), &config);
  require(status == VP8_STATUS_OK, "is a broken WebP: ", reason(status));

  AreaAverage average(features.width, features.height, options.side);
  const auto width = static_cast<std::size_t>(features.width);
  std::vector<std::uint8_t> rgb(3 * width);
  for (int y = 0; y < features.height; ++y) {
    const std::uint8_t* rgba =
        config.output.u.RGBA.rgba + static_cast<std::ptrdiff_t>(y) * config.output.u.RGBA.stride;
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        const int alpha = rgba[4 * i + 3];
        rgb[3 * i + c] =
            static_cast<std::uint8_t>((rgba[4 * i + c] * alpha + 255 * (255 - alpha) + 127) / 255);
      }
    average.add_row(rgb.data());
  }
  return average.take();
}

}  // namespace commonplace

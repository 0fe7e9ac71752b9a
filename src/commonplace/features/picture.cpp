#include "commonplace/features/picture.h"

#include <algorithm>

#include "commonplace/base/error.h"
#include "commonplace/features/exif_orientation.h"
#include "commonplace/features/picture_decoders.h"

namespace commonplace {
namespace {

constexpr int kMostSide = 4096;  ///< of the reduced picture

bool is_webp(std::string_view bytes) {
  return bytes.size() >= 12 && bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP";
}

/// What a file that cannot be decoded seems to be, for the message.
std::string_view other_format(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.empty()) return "an empty file";
  if (bytes.starts_with("II*\0"sv) || bytes.starts_with("MM\0*"sv)) return "a TIFF";
  if (bytes.starts_with("GIF8")) return "a GIF";
  if (bytes.starts_with("BM")) return "a BMP";
  if (bytes.size() >= 12 && bytes.substr(4, 4) == "ftyp") return "a HEIF, AVIF or a film";
  if (bytes.starts_with("<")) return "markup";
  return "of an unknown format";
}

Picture decode(std::string_view bytes, const PictureOptions& options) {
  if (bytes.starts_with("\xff\xd8\xff"))
    return upright(decode_jpeg(bytes, options), jpeg_orientation(bytes));
  if (bytes.starts_with("\x89PNG\r\n\x1a\n"))
    return upright(decode_png(bytes, options), png_orientation(bytes));
  if (is_webp(bytes)) return upright(decode_webp(bytes, options), webp_orientation(bytes));
  if (bytes.starts_with("\x1f\x8b")) return decode_svg(unpack_svgz(bytes), options);
  if (is_svg(bytes)) return decode_svg(bytes, options);
  fail("is ", other_format(bytes), "; pixels are read from JPEG, PNG, WebP and SVG");
}

}  // namespace

void check_picture_size(std::int64_t width, std::int64_t height, const PictureOptions& options) {
  require(width >= 1 && height >= 1, "is ", width, " x ", height, " pixels");
  require(width <= options.most_pixels / height, "is ", width, " x ", height,
          " pixels, which is more than ", options.most_pixels, " in all");
}

Picture decode_picture(std::string_view bytes, const std::string& name,
                       const PictureOptions& options) {
  require(options.side >= 1 && options.side <= kMostSide, "side is ", options.side,
          "; expected 1 .. ", kMostSide, " pixels");
  try {
    return decode(bytes, options);
  } catch (const Error& error) {
    fail(name, " ", error.what());
  }
}

std::vector<float> grey(const Picture& picture) {
  std::vector<float> result(picture.channels[0].size());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = 0.299F * picture.channels[0][i] + 0.587F * picture.channels[1][i] +
                0.114F * picture.channels[2][i];
  return result;
}

Picture upright(Picture picture, int orientation) {
  require(orientation >= 1 && orientation <= 8, "orientation is ", orientation,
          "; expected 1 .. 8");
  if (orientation == 1) return picture;
  const bool swaps = orientation >= 5;
  const bool from_right =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_below =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  Picture result;
  result.width = swaps ? picture.height : picture.width;
  result.height = swaps ? picture.width : picture.height;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const std::vector<float>& from = picture.channels[channel];
    std::vector<float>& to = result.channels[channel];
    to.reserve(from.size());
    for (int y = 0; y < result.height; ++y)
      for (int x = 0; x < result.width; ++x) {
        const int along = swaps ? y : x;  // the stored column, before mirroring
        const int down = swaps ? x : y;
        const int column = from_right ? picture.width - 1 - along : along;
        const int row = from_below ? picture.height - 1 - down : down;
        to.push_back(from[static_cast<std::size_t>(row) * static_cast<std::size_t>(picture.width) +
                          static_cast<std::size_t>(column)]);
      }
  }
  return result;
}

}  // namespace commonplace

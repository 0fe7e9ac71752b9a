#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace commonplace {

/// Pixels, upright and small enough to work with: three planes of numbers in [0, 1], row by row.
struct Picture {
  int width = 0;
  int height = 0;
  std::array<std::vector<float>, 3> channels;  ///< red, green, blue
};

struct PictureOptions {
  int side = 320;                                ///< the longer side of the result, at most
  std::int64_t most_pixels = 200 * 1000 * 1000;  ///< a larger picture is refused
};

/// Decodes JPEG, PNG, WebP and SVG (also packed by gzip), known by their first bytes, reduces the
/// picture by averaging areas (it is never enlarged), puts what is transparent on white and turns
/// it as its EXIF orientation says. A drawing is drawn at `side`, whatever size it gives itself,
/// and no file that it refers to is read. Error, with `name` in front, if it is of another format,
/// broken, cut off, or larger than the limits (a drawing: 32 MiB, unpacked too); sizes are checked
/// before memory is taken. Memory is that of the reduced picture and a few rows, but for interlaced
/// PNG, progressive JPEG and WebP, which need all pixels at once, and drawings, all of whose
/// elements are kept.
Picture decode_picture(std::string_view bytes, const std::string& name,
                       const PictureOptions& options = {});

/// Brightness: 0.299 red + 0.587 green + 0.114 blue.
std::vector<float> grey(const Picture& picture);

/// Turned and mirrored so that a picture stored with EXIF orientation 1 .. 8 becomes upright.
Picture upright(Picture picture, int orientation);

/// The picture stretched to that size, by averaging where it shrinks and linear interpolation
/// where it grows, each direction on its own.
Picture resized(const Picture& picture, int width, int height);

}  // namespace commonplace

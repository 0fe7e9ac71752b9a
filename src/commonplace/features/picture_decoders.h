#pragma once

#include <string>
#include <string_view>

#include "commonplace/features/picture.h"

namespace commonplace {

/// The decoders behind decode_picture: pixels as they are stored, not turned. Their errors do not
/// name the picture.
Picture decode_jpeg(std::string_view bytes, const PictureOptions& options);
Picture decode_png(std::string_view bytes, const PictureOptions& options);
Picture decode_webp(std::string_view bytes, const PictureOptions& options);
/// Drawn with its longer side of `options.side` pixels, whatever size it gives itself.
Picture decode_svg(std::string_view bytes, const PictureOptions& options);

/// Whether the bytes begin like markup with an <svg> in it.
bool is_svg(std::string_view bytes);
/// What a gzip file holds; Error if it is no SVG or longer than one may be.
std::string unpack_svgz(std::string_view bytes);

/// Error unless a picture of that size is allowed.
void check_picture_size(std::int64_t width, std::int64_t height, const PictureOptions& options);

}  // namespace commonplace

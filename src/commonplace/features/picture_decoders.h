#pragma once

#include <string_view>

#include "commonplace/features/picture.h"

namespace commonplace {

/// The decoders behind decode_picture: pixels as they are stored, not turned. Their errors do not
/// name the picture.
Picture decode_jpeg(std::string_view bytes, const PictureOptions& options);
Picture decode_png(std::string_view bytes, const PictureOptions& options);
Picture decode_webp(std::string_view bytes, const PictureOptions& options);

/// Error unless a picture of that size is allowed.
void check_picture_size(std::int64_t width, std::int64_t height, const PictureOptions& options);

}  // namespace commonplace

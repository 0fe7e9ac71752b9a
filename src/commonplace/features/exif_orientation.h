#pragma once

#include <string_view>

namespace commonplace {

/// The orientation (1 .. 8) that a block of EXIF, which begins with a TIFF header, gives its
/// picture; 1 if it says none or cannot be understood.
int exif_orientation(std::string_view exif);

/// That of the first EXIF block in a JPEG, a WebP or a PNG; 1 if there is none.
int jpeg_orientation(std::string_view bytes);
int webp_orientation(std::string_view bytes);
int png_orientation(std::string_view bytes);

}  // namespace commonplace

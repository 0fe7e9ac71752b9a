#pragma once

#include <string>

#include "commonplace/features/picture.h"

namespace commonplace {

/// A JPEG of the picture. Error if it is empty or too large for one.
std::string encode_jpeg(const Picture& picture, int quality);

}  // namespace commonplace

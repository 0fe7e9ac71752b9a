#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "commonplace/encode/picture_rules.h"
#include "commonplace/features/picture.h"

namespace commonplace {

/// The tensor of one picture: {3, height, width}, or {height, width, 3} with channels_last.
std::array<std::int64_t, 3> shape_of(const PictureRules& rules);

/// Fills `out`, of exactly the shape's size. Pixels are rounded to 0 .. 255 and resized as PIL
/// does it, to the bit; a picture that was reduced when it was decoded should still be larger than
/// resize_height x resize_width.
void make_picture_tensor(const Picture& picture, const PictureRules& rules, std::span<float> out);

}  // namespace commonplace

#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/features/picture.h"

namespace commonplace {

/// What remains of a picture to know copies of it by, in other sizes, crops, formats and with small
/// edits: about 5 kB. Lengths are in parts of the picture's longer side.
struct PictureTrace {
  /// A spot that stands out, with what surrounds it (SIFT, upright) as the signs of 64 projections.
  struct Detail {
    std::uint64_t code = 0;
    float x = 0;
    float y = 0;
  };
  float width = 0;
  float height = 0;
  std::uint64_t layout = 0;     ///< perceptual hash: signs of the 63 lowest frequencies
  std::vector<Detail> details;  ///< at most 64, those that stand out most first
  int columns = 0;              ///< of what follows
  int rows = 0;
  std::vector<std::uint8_t> light;      ///< brightness, at most 64 x 64
  std::vector<std::uint8_t> blue, red;  ///< differences from it, a quarter as wide and high
};

/// The longer side that pictures are best decoded at for this.
inline constexpr int kTraceSide = 256;

/// Error if the picture is empty.
PictureTrace trace_of(const Picture& picture);

/// How two pictures lie on each other.
struct PictureMatch {
  bool same = false;        ///< one is a copy of the other, or of a part of it
  double likeness = 0;      ///< correlation of what both show, but for the worst quarter; at most 1
  double first_shared = 0;  ///< part of the first picture that both show
  double second_shared = 0;  ///< and of the second
};

/// Lays one on the other, stretched as a whole or as their details fit, and compares brightness and
/// colour where both are. Neither a change of brightness or contrast nor what changed on a small
/// part of the picture makes them differ. O(1), about half a millisecond.
PictureMatch match_pictures(const PictureTrace& first, const PictureTrace& second);

}  // namespace commonplace

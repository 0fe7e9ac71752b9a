#pragma once

#include "commonplace/features/picture.h"

namespace commonplace::test {

/// The picture of tests/oracles/pictures/make.py.
inline Picture formula_picture(int width, int height) {
  Picture picture{width, height, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < 3; ++c) {
        const int value =
            (x * x * 3 + y * y * 5 + x * y * (c + 1) + 40 * c + (x / 7 + y / 5) * 60) % 256;
        picture.channels[static_cast<std::size_t>(c)].push_back(static_cast<float>(value) / 255);
      }
  return picture;
}

}  // namespace commonplace::test

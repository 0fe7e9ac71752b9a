#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "commonplace/base/rng.h"
#include "tests/support/sample_pictures.h"

namespace commonplace::test {

/// What of a scene is shown: from (left, top), so much of it; and how bright.
struct View {
  double left = 0;
  double top = 0;
  double width = 1;
  double height = 1;
  double brightness = 1;
};

/// A picture of its own for each number, of discs and boxes before a background: `moved` of the 40
/// lie elsewhere than in the scene of that number. It can be drawn at any size and in parts.
inline Pixels scene(int width, int height, int number, const View& view = {}, int moved = 0) {
  struct Shape {
    double x, y, size, red, green, blue;
    bool round;
  };
  std::vector<Shape> shapes;
  for (int i = 0; i < 40; ++i) {
    const auto draw = [&](std::uint64_t column) {
      const auto seed = static_cast<std::uint64_t>(number + (i < moved && column < 3 ? 1000 : 0));
      return random_uniform(seed, static_cast<std::uint64_t>(i), column);
    };
    shapes.push_back(
        {draw(0), draw(1), 0.03 + 0.12 * draw(2), draw(3), draw(4), draw(5), draw(6) < 0.5});
  }
  Pixels pixels{width, height, {}};
  for (int row = 0; row < height; ++row)
    for (int column = 0; column < width; ++column) {
      double sum[3] = {};
      for (int part = 0; part < 4; ++part) {  // without steps at the edges
        const double x = view.left + view.width * (column + 0.25 + 0.5 * (part % 2)) / width;
        const double y = view.top + view.height * (row + 0.25 + 0.5 * (part / 2)) / height;
        double colour[3] = {0.4 + 0.3 * x, 0.5, 0.6 - 0.3 * y};
        for (const Shape& each : shapes) {
          const double dx = std::abs(x - each.x);
          const double dy = std::abs(y - each.y);
          if (each.round ? dx * dx + dy * dy > each.size * each.size : std::max(dx, dy) > each.size)
            continue;
          colour[0] = each.red;
          colour[1] = each.green;
          colour[2] = each.blue;
        }
        for (int c = 0; c < 3; ++c) sum[c] += colour[c] / 4;
      }
      for (const double each : sum)
        pixels.rgb.push_back(
            static_cast<std::uint8_t>(std::clamp(255 * each * view.brightness, 0.0, 255.0)));
    }
  return pixels;
}

}  // namespace commonplace::test

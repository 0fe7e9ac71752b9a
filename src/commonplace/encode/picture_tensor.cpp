#include "commonplace/encode/picture_tensor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

constexpr int kWeightBits = 22;  ///< of a weight's fraction, as PIL has it
constexpr std::int32_t kHalfWeight = 1 << (kWeightBits - 1);

double sinc(double x) {
  if (x == 0) return 1;
  x *= std::numbers::pi;
  return std::sin(x) / x;
}

double support_of(PictureFilter filter) {
  switch (filter) {
    case PictureFilter::box:
      return 0.5;
    case PictureFilter::bicubic:
      return 2;
    case PictureFilter::lanczos:
      return 3;
    default:
      return 1;
  }
}

double weight_of(PictureFilter filter, double x) {
  const double distance = std::abs(x);
  switch (filter) {
    case PictureFilter::box:
      return x > -0.5 && x <= 0.5 ? 1 : 0;
    case PictureFilter::bilinear:
      return std::max(0.0, 1 - distance);
    case PictureFilter::hamming:
      if (distance >= 1) return 0;
      return sinc(distance) * (0.54 + 0.46 * std::cos(distance * std::numbers::pi));
    case PictureFilter::bicubic: {
      constexpr double a = -0.5;
      if (distance < 1) return ((a + 2) * distance - (a + 3)) * distance * distance + 1;
      if (distance < 2) return (((distance - 5) * distance + 8) * distance - 4) * a;
      return 0;
    }
    case PictureFilter::lanczos:
      return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
    default:
      return 0;
  }
}

/// What one number of a resized line is made of: those of the line from `first` on.
struct Taps {
  int first = 0;
  std::vector<std::int32_t> weights;  ///< empty: padding
};

Taps filter_taps(PictureFilter filter, int from, int to, int at) {
  const double scale = static_cast<double>(from) / to;
  const double wide = std::max(scale, 1.0);  // the filter widens where the line shrinks
  const double support = support_of(filter) * wide;
  const double centre = (at + 0.5) * scale;
  const int first = std::max(static_cast<int>(centre - support + 0.5), 0);
  const int end = std::min(static_cast<int>(centre + support + 0.5), from);
  std::vector<double> weights;
  double sum = 0;
  for (int i = first; i < end; ++i) {
    weights.push_back(weight_of(filter, (i - centre + 0.5) / wide));
    sum += weights.back();
  }
  Taps taps{first, {}};
  for (const double weight : weights) {
    const double whole = (sum == 0 ? weight : weight / sum) * (1 << kWeightBits);
    taps.weights.push_back(static_cast<std::int32_t>(whole < 0 ? whole - 0.5 : whole + 0.5));
  }
  return taps;
}

/// One side of the way from a picture to its tensor: `from` numbers become `to`, of which `length`
/// from `offset` on are kept; those outside are padding.
struct Side {
  int from = 0;
  int to = 0;
  int offset = 0;
  int length = 0;
};

std::vector<Taps> taps_of(const Side& side, PictureFilter filter) {
  std::vector<Taps> result(static_cast<std::size_t>(side.length));
  // PIL adds up steps to find the nearest pixel rather than to multiply, which rounds differently.
  const double step = static_cast<double>(side.from) / side.to;
  double place = step / 2;
  for (int at = 0; filter == PictureFilter::nearest && at < side.offset; ++at) place += step;
  for (int i = 0; i < side.length; ++i) {
    const int at = side.offset + i;
    if (at < 0 || at >= side.to) continue;
    Taps& taps = result[static_cast<std::size_t>(i)];
    if (side.from == side.to)
      taps = {at, {1 << kWeightBits}};
    else if (filter == PictureFilter::nearest)
      taps = {std::min(static_cast<int>(place), side.from - 1), {1 << kWeightBits}};
    else
      taps = filter_taps(filter, side.from, side.to, at);
    place += step;
  }
  return result;
}

/// The sizes of the resized picture: {height, width}.
std::array<std::int64_t, 2> resized_sizes(const Picture& picture, const PictureRules& rules) {
  const std::int64_t height = picture.height;
  const std::int64_t width = picture.width;
  switch (rules.fit) {
    case PictureFit::keep:
      return {height, width};
    case PictureFit::stretch:
      return {rules.resize_height, rules.resize_width};
    case PictureFit::shortest_edge: {
      const std::int64_t edge = rules.resize_height;
      if (height < width) return {edge, edge * width / height};
      return {edge * height / width, edge};
    }
    case PictureFit::longest_edge:
      break;
  }
  const double ratio = std::max(static_cast<double>(height) / rules.resize_height,
                                static_cast<double>(width) / rules.resize_width);
  const auto shrunk = [&](std::int64_t side) {
    return std::max<std::int64_t>(std::llrint(static_cast<double>(side) / ratio), 1);
  };
  return {shrunk(height), shrunk(width)};
}

Side side_of(int from, std::int64_t to, int length, PictureFit fit) {
  const auto excess = static_cast<int>(to - length);
  // What lacks an odd number of pixels gets more of them first, but for pictures that are fitted
  // in.
  const bool more_last = excess >= 0 || fit == PictureFit::longest_edge;
  const int offset = more_last ? excess / 2 : -((1 - excess) / 2);
  return {from, static_cast<int>(to), offset, length};
}

std::uint8_t clipped(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

/// One channel, resized and cropped, in bytes.
std::vector<std::uint8_t> resampled(const std::vector<float>& channel, int width,
                                    const std::vector<Taps>& rows, const std::vector<Taps>& columns,
                                    std::uint8_t fill) {
  int first_row = std::numeric_limits<int>::max();
  int last_row = 0;
  for (const Taps& taps : rows) {
    if (taps.weights.empty()) continue;
    first_row = std::min(first_row, taps.first);
    last_row = std::max(last_row, taps.first + static_cast<int>(taps.weights.size()));
  }
  const std::size_t across = columns.size();
  std::vector<std::uint8_t> lines;  // the rows that count, at the result's width
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width));
  for (int row = first_row; row < last_row; ++row) {
    const float* source = channel.data() + static_cast<std::ptrdiff_t>(row) * width;
    for (std::size_t x = 0; x < pixels.size(); ++x)
      pixels[x] = static_cast<std::uint8_t>(std::clamp(source[x], 0.0F, 1.0F) * 255 + 0.5F);
    for (const Taps& taps : columns) {
      std::int32_t sum = kHalfWeight;
      for (std::size_t i = 0; i < taps.weights.size(); ++i)
        sum += pixels[static_cast<std::size_t>(taps.first) + i] * taps.weights[i];
      lines.push_back(taps.weights.empty() ? fill : clipped(sum));
    }
  }
  std::vector<std::uint8_t> result(rows.size() * across, fill);
  std::vector<std::int32_t> sums(across);
  for (std::size_t y = 0; y < rows.size(); ++y) {
    const Taps& taps = rows[y];
    if (taps.weights.empty()) continue;
    std::fill(sums.begin(), sums.end(), kHalfWeight);
    for (std::size_t i = 0; i < taps.weights.size(); ++i) {
      const std::uint8_t* line =
          lines.data() + (static_cast<std::size_t>(taps.first - first_row) + i) * across;
      for (std::size_t x = 0; x < across; ++x) sums[x] += line[x] * taps.weights[i];
    }
    for (std::size_t x = 0; x < across; ++x) result[y * across + x] = clipped(sums[x]);
  }
  return result;
}

}  // namespace

std::array<std::int64_t, 3> shape_of(const PictureRules& rules) {
  if (rules.channels_last) return {rules.height, rules.width, 3};
  return {3, rules.height, rules.width};
}

void make_picture_tensor(const Picture& picture, const PictureRules& rules, std::span<float> out) {
  const auto area = static_cast<std::size_t>(rules.height) * static_cast<std::size_t>(rules.width);
  require(picture.width >= 1 && picture.height >= 1, "a picture without pixels has no tensor");
  require(out.size() == 3 * area, "a tensor of ", out.size(), " numbers is given for one of ",
          3 * area);
  const auto [height, width] = resized_sizes(picture, rules);
  require(height <= std::numeric_limits<int>::max() && width <= std::numeric_limits<int>::max(),
          "a picture of ", picture.width, " x ", picture.height, " pixels is too narrow");
  const std::vector<Taps> rows =
      taps_of(side_of(picture.height, height, rules.height, rules.fit), rules.filter);
  const std::vector<Taps> columns =
      taps_of(side_of(picture.width, width, rules.width, rules.fit), rules.filter);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const std::vector<std::uint8_t> pixels =
        resampled(picture.channels[rules.blue_first ? 2 - channel : channel], picture.width, rows,
                  columns, static_cast<std::uint8_t>(std::clamp(rules.fill, 0, 255)));
    std::array<float, 256> values{};
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(
          (static_cast<double>(i) * rules.rescale + rules.offset - rules.mean[channel]) /
          rules.deviation[channel]);
    const std::size_t first = rules.channels_last ? channel : channel * area;
    const std::size_t step = rules.channels_last ? 3 : 1;
    for (std::size_t i = 0; i < area; ++i) out[first + step * i] = values[pixels[i]];
  }
}

}  // namespace commonplace

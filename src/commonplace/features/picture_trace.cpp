#include "commonplace/features/picture_trace.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <tuple>

#include <vl/sift.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/base/top_k.h"

namespace commonplace {
namespace {

constexpr int kLightSide = 64;  ///< of the brightness that is kept
constexpr int kMostDetails = 64;
constexpr int kSiftNumbers = 128;  ///< of a SIFT descriptor
constexpr int kLeastForSift = 24;  ///< pixels
constexpr double kLeastPeak = 0.006;

std::uint8_t byte_of(float value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255.0F));
}

/// Signs of the lowest frequencies of a cosine transform of 32 x 32 pixels, but the constant.
std::uint64_t layout_of(const std::vector<float>& light) {
  constexpr int kSize = 32;
  constexpr int kLow = 8;
  static const auto kWaves = [] {
    std::array<std::array<double, kSize>, kLow> waves{};
    for (std::size_t u = 0; u < kLow; ++u)
      for (std::size_t x = 0; x < kSize; ++x)
        waves[u][x] = std::cos(std::numbers::pi / kSize * (static_cast<double>(x) + 0.5) *
                               static_cast<double>(u));
    return waves;
  }();
  std::uint64_t bits = 0;
  for (std::size_t v = 0; v < kLow; ++v)
    for (std::size_t u = 0; u < kLow; ++u) {
      double sum = 0;
      for (std::size_t y = 0; y < kSize; ++y)
        for (std::size_t x = 0; x < kSize; ++x)
          sum += kWaves[v][y] * kWaves[u][x] * static_cast<double>(light[y * kSize + x]);
      if (sum > 0 && u + v > 0) bits |= std::uint64_t{1} << (v * kLow + u);
    }
  return bits;
}

std::uint64_t code_of(std::span<const float, kSiftNumbers> descriptor) {
  static const auto kSigns = [] {
    std::array<std::array<float, kSiftNumbers>, 64> signs{};
    for (std::size_t bit = 0; bit < 64; ++bit) {
      for (std::size_t i = 0; i < kSiftNumbers; ++i)
        signs[bit][i] = random_bits(1, bit, i) % 2 == 0 ? 1.0F : -1.0F;
      // As many of either sign, since descriptors are not below 0.
      int sum = 0;
      for (const float sign : signs[bit]) sum += sign > 0 ? 1 : -1;
      for (std::size_t i = 0; i < kSiftNumbers && sum != 0; ++i)
        if ((signs[bit][i] > 0) == (sum > 0)) {
          signs[bit][i] = -signs[bit][i];
          sum += sum > 0 ? -2 : 2;
        }
    }
    return signs;
  }();
  std::uint64_t code = 0;
  for (std::size_t bit = 0; bit < 64; ++bit) {
    float sum = 0;
    for (std::size_t i = 0; i < kSiftNumbers; ++i) sum += kSigns[bit][i] * descriptor[i];
    if (sum > 0) code |= std::uint64_t{1} << bit;
  }
  return code;
}

std::vector<PictureTrace::Detail> details_of(const std::vector<float>& light, int width,
                                             int height) {
  if (std::min(width, height) < kLeastForSift) return {};
  const std::unique_ptr<VlSiftFilt, void (*)(VlSiftFilt*)> filter(
      vl_sift_new(width, height, -1, 3, 0), vl_sift_delete);
  require(filter != nullptr, "there is no memory for SIFT on ", width, " x ", height, " pixels");
  vl_sift_set_peak_thresh(filter.get(), kLeastPeak);
  struct Found {
    float contrast;
    PictureTrace::Detail detail;
  };
  std::vector<Found> found;
  const auto side = static_cast<float>(std::max(width, height));
  for (int state = vl_sift_process_first_octave(filter.get(), light.data()); state == VL_ERR_OK;
       state = vl_sift_process_next_octave(filter.get())) {
    vl_sift_detect(filter.get());
    const VlSiftKeypoint* points = vl_sift_get_keypoints(filter.get());
    const int count = vl_sift_get_nkeypoints(filter.get());
    const double step = std::pow(2.0, filter->o_cur);
    const std::ptrdiff_t layer = std::ptrdiff_t{filter->octave_width} * filter->octave_height;
    for (int i = 0; i < count; ++i) {
      const VlSiftKeypoint& point = points[i];
      std::array<float, kSiftNumbers> descriptor{};
      vl_sift_calc_keypoint_descriptor(filter.get(), descriptor.data(), &point, 0);
      const float contrast =
          std::abs(filter->dog[std::ptrdiff_t{point.is - filter->s_min} * layer +
                               std::ptrdiff_t{point.iy} * filter->octave_width + point.ix]);
      // What is large is found again in a smaller copy.
      const auto weight = contrast * static_cast<float>(std::sqrt(step));
      found.push_back({weight, {code_of(descriptor), point.x / side, point.y / side}});
    }
  }
  keep_first(found, kMostDetails,
             [](const Found& a, const Found& b) { return a.contrast > b.contrast; });
  std::vector<PictureTrace::Detail> details;
  for (const Found& each : found) details.push_back(each.detail);
  return details;
}

/// One plane, read between its pixels; the point lies in parts of the picture's longer side.
double at(const std::vector<std::uint8_t>& plane, int columns, int rows, double x, double y) {
  x = std::clamp(x - 0.5, 0.0, columns - 1.0);
  y = std::clamp(y - 0.5, 0.0, rows - 1.0);
  const int left = std::min(static_cast<int>(x), std::max(0, columns - 2));
  const int top = std::min(static_cast<int>(y), std::max(0, rows - 2));
  const int right = std::min(left + 1, columns - 1);
  const int bottom = std::min(top + 1, rows - 1);
  const auto value = [&](int column, int row) {
    return static_cast<double>(plane[static_cast<std::size_t>(row * columns + column)]);
  };
  const double across = x - left;
  const double down = y - top;
  return ((1 - across) * (1 - down) * value(left, top) + across * (1 - down) * value(right, top) +
          (1 - across) * down * value(left, bottom) + across * down * value(right, bottom)) /
         255;
}

/// Where a point of the first picture is in the second.
struct Placing {
  double across = 1;  ///< scale
  double down = 1;
  double x = 0;
  double y = 0;
};

constexpr int kAcross = 24;
constexpr int kAllCells = kAcross * kAcross;
constexpr int kBlock = 4;  ///< cells
using Cells = std::array<double, kAllCells>;

/// What both pictures show, as the cells of a grid.
struct Overlap {
  double left, top, width, height;  ///< in the first picture
  double first_shared = 0;
  double second_shared = 0;
};

Overlap overlap_of(const PictureTrace& first, const PictureTrace& second, const Placing& placing) {
  Overlap overlap{};
  overlap.left = std::max(0.0, -placing.x / placing.across);
  overlap.top = std::max(0.0, -placing.y / placing.down);
  const double first_width = static_cast<double>(first.width);
  const double first_height = static_cast<double>(first.height);
  const double second_width = static_cast<double>(second.width);
  const double second_height = static_cast<double>(second.height);
  overlap.width = std::min(first_width, (second_width - placing.x) / placing.across) - overlap.left;
  overlap.height = std::min(first_height, (second_height - placing.y) / placing.down) - overlap.top;
  if (!(overlap.width > 0) || !(overlap.height > 0)) return overlap;
  const double area = overlap.width * overlap.height;
  overlap.first_shared = area / (first_width * first_height);
  overlap.second_shared = area * placing.across * placing.down / (second_width * second_height);
  return overlap;
}

/// The means of a plane over the cells of the overlap; `scale` is the plane's pixels a unit.
Cells cells_of(const std::vector<std::uint8_t>& plane, int columns, int rows,
               const PictureTrace& picture, const Overlap& overlap, const Placing& placing) {
  constexpr int kPoints = 2;
  const double across = columns / static_cast<double>(picture.width);
  const double down = rows / static_cast<double>(picture.height);
  Cells cells{};
  for (int row = 0; row < kAcross; ++row)
    for (int column = 0; column < kAcross; ++column) {
      double sum = 0;
      for (int i = 0; i < kPoints; ++i)
        for (int j = 0; j < kPoints; ++j) {
          const double x = overlap.left + overlap.width * (column + (j + 0.5) / kPoints) / kAcross;
          const double y = overlap.top + overlap.height * (row + (i + 0.5) / kPoints) / kAcross;
          sum += at(plane, columns, rows, (placing.across * x + placing.x) * across,
                    (placing.down * y + placing.y) * down);
        }
      cells[static_cast<std::size_t>(row * kAcross + column)] = sum / (kPoints * kPoints);
    }
  return cells;
}

/// Each cell less the mean of those around it: edges stay, shades go.
Cells edges_of(const Cells& cells) {
  constexpr int kReach = 2;
  Cells result{};
  for (int row = 0; row < kAcross; ++row)
    for (int column = 0; column < kAcross; ++column) {
      double sum = 0;
      int count = 0;
      for (int y = std::max(0, row - kReach); y <= std::min(kAcross - 1, row + kReach); ++y)
        for (int x = std::max(0, column - kReach); x <= std::min(kAcross - 1, column + kReach);
             ++x) {
          sum += cells[static_cast<std::size_t>(y * kAcross + x)];
          ++count;
        }
      const auto cell = static_cast<std::size_t>(row * kAcross + column);
      result[cell] = cells[cell] - sum / count;
    }
  return result;
}

/// Sums over the cells that count.
struct Moments {
  double count = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  void add(double a, double b) {
    count += 1;
    x += a;
    y += b;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  double first_variance() const { return std::max(0.0, xx / count - x / count * (x / count)); }
  double second_variance() const { return std::max(0.0, yy / count - y / count * (y / count)); }
  double covariance() const { return xy / count - x / count * (y / count); }
  double correlation() const {
    const double spread = std::sqrt(first_variance() * second_variance());
    return spread > 0 ? covariance() / spread : 0;
  }
};

/// How well two grids agree.
struct Agreement {
  double correlation = 0;  ///< but for the worst quarter
  double spread = 0;       ///< the lesser standard deviation of both there
  double blocks = 0;       ///< share of the blocks in which they agree
};

Agreement agreement_of(const Cells& first, const Cells& second, double noise) {
  std::array<std::uint8_t, kAllCells> counts{};
  counts.fill(1);
  Moments moments;
  Cells error{};
  for (int round = 0; round < 3; ++round) {
    moments = {};
    for (std::size_t i = 0; i < kAllCells; ++i)
      if (counts[i] != 0) moments.add(first[i], second[i]);
    const double variance = moments.first_variance();
    const double gain = variance > 0 ? moments.covariance() / variance : 0;
    const double offset = moments.y / moments.count - gain * moments.x / moments.count;
    for (std::size_t i = 0; i < kAllCells; ++i)
      error[i] = std::abs(second[i] - gain * first[i] - offset);
    if (round == 2) break;
    Cells order = error;
    std::nth_element(order.begin(), order.begin() + kAllCells * 3 / 4, order.end());
    const double bar = order[kAllCells * 3 / 4];
    for (std::size_t i = 0; i < kAllCells; ++i) counts[i] = error[i] <= bar ? 1 : 0;
  }
  Agreement result;
  result.correlation = moments.correlation();
  result.spread = std::sqrt(std::min(moments.first_variance(), moments.second_variance()));
  int agree = 0;
  for (int top = 0; top < kAcross; top += kBlock)
    for (int left = 0; left < kAcross; left += kBlock) {
      Moments block;
      double squares = 0;
      for (int row = top; row < top + kBlock; ++row)
        for (int column = left; column < left + kBlock; ++column) {
          const auto cell = static_cast<std::size_t>(row * kAcross + column);
          block.add(first[cell], second[cell]);
          squares += error[cell] * error[cell];
        }
      const double bar = std::max(noise * noise, 0.3 * block.second_variance());
      if (squares / block.count <= bar) ++agree;
    }
  result.blocks = agree / static_cast<double>((kAcross / kBlock) * (kAcross / kBlock));
  return result;
}

constexpr double kLeastShared = 0.75;   ///< of one of them
constexpr double kLeastOfOther = 0.1;   ///< of the other
constexpr double kLeastSpread = 0.004;  ///< of edges that can be compared
constexpr double kLightNoise = 0.04;
constexpr double kEdgeNoise = 0.02;

bool is_enough(const Overlap& overlap) {
  return std::max(overlap.first_shared, overlap.second_shared) >= kLeastShared &&
         std::min(overlap.first_shared, overlap.second_shared) >= kLeastOfOther;
}

struct Compared {
  PictureMatch match;
  Agreement light;
  Agreement edges;
};

Compared compare(const PictureTrace& first, const PictureTrace& second, const Placing& placing) {
  Compared result;
  const Overlap overlap = overlap_of(first, second, placing);
  result.match.first_shared = overlap.first_shared;
  result.match.second_shared = overlap.second_shared;
  if (!is_enough(overlap)) return result;
  const Cells a = cells_of(first.light, first.columns, first.rows, first, overlap, {});
  const Cells b = cells_of(second.light, second.columns, second.rows, second, overlap, placing);
  result.light = agreement_of(a, b, kLightNoise);
  result.edges = agreement_of(edges_of(a), edges_of(b), kEdgeNoise);
  result.match.likeness = result.light.correlation;
  return result;
}

/// The mean difference of the colours of both, or 0 where one of them has none at all.
double colour_difference(const PictureTrace& first, const PictureTrace& second,
                         const Placing& placing) {
  const auto is_grey = [](const PictureTrace& trace) {
    return std::all_of(trace.blue.begin(), trace.blue.end(),
                       [](std::uint8_t each) { return std::abs(each - 128) <= 3; }) &&
           std::all_of(trace.red.begin(), trace.red.end(),
                       [](std::uint8_t each) { return std::abs(each - 128) <= 3; });
  };
  if (is_grey(first) != is_grey(second)) return 0;
  const Overlap overlap = overlap_of(first, second, placing);
  const auto small = [](int count) { return (count + 3) / 4; };
  double sum = 0;
  for (const auto plane : {&PictureTrace::blue, &PictureTrace::red}) {
    const Cells a =
        cells_of(first.*plane, small(first.columns), small(first.rows), first, overlap, {});
    const Cells b = cells_of(second.*plane, small(second.columns), small(second.rows), second,
                             overlap, placing);
    Cells error{};
    for (std::size_t i = 0; i < kAllCells; ++i) error[i] = std::abs(a[i] - b[i]);
    std::sort(error.begin(), error.end());
    double kept = 0;
    for (std::size_t i = 0; i < kAllCells * 3 / 4; ++i) kept += error[i];
    sum += kept / (kAllCells * 3.0 / 4);
  }
  return sum;
}

/// How well edges agree there, quickly.
double fit_of(const PictureTrace& first, const PictureTrace& second, const Placing& placing) {
  const Overlap overlap = overlap_of(first, second, placing);
  if (!is_enough(overlap)) return -1;
  const Cells a = edges_of(cells_of(first.light, first.columns, first.rows, first, overlap, {}));
  const Cells b =
      edges_of(cells_of(second.light, second.columns, second.rows, second, overlap, placing));
  Moments moments;
  for (std::size_t i = 0; i < kAllCells; ++i) moments.add(a[i], b[i]);
  return moments.correlation();
}

/// Moves and scales a little for as long as they agree better; not where nothing agrees.
void refine(const PictureTrace& first, const PictureTrace& second, Placing& placing) {
  constexpr double kHopeless = 0.25;
  double best = fit_of(first, second, placing);
  if (best < kHopeless) return;
  for (double step = 0.012; step > 0.002; step /= 2) {
    for (bool better = true; better;) {
      better = false;
      for (int way = 0; way < 8; ++way) {
        Placing moved = placing;
        const double by = way % 2 == 0 ? step : -step;
        if (way < 2) moved.x += by;
        if (way == 2 || way == 3) moved.y += by;
        // About the middle of the first picture.
        if (way == 4 || way == 5) {
          moved.across *= 1 + by;
          moved.x -= by * placing.across * static_cast<double>(first.width) / 2;
        }
        if (way >= 6) {
          moved.down *= 1 + by;
          moved.y -= by * placing.down * static_cast<double>(first.height) / 2;
        }
        const double tried = fit_of(first, second, moved);
        if (tried <= best + 1e-3) continue;
        best = tried;
        placing = moved;
        better = true;
      }
    }
  }
}

/// How details lie that look alike: a scale and a move that at least three of them agree on.
std::vector<Placing> placings_by_details(const PictureTrace& first, const PictureTrace& second) {
  constexpr int kMostBits = 14;
  constexpr std::size_t kMostMatches = 48;
  constexpr double kReach = 0.02;
  struct Pair {
    int bits;
    const PictureTrace::Detail* a;
    const PictureTrace::Detail* b;
  };
  std::vector<Pair> pairs;
  for (const PictureTrace::Detail& a : first.details)
    for (const PictureTrace::Detail& b : second.details)
      if (const int bits = std::popcount(a.code ^ b.code); bits <= kMostBits)
        pairs.push_back({bits, &a, &b});
  keep_first(pairs, std::ssize(pairs) < 48 ? std::ssize(pairs) : std::int64_t{kMostMatches},
             [](const Pair& x, const Pair& y) { return x.bits < y.bits; });
  const auto fits = [&](const Placing& placing, const Pair& pair) {
    const double x = placing.across * static_cast<double>(pair.a->x) + placing.x;
    const double y = placing.down * static_cast<double>(pair.a->y) + placing.y;
    return std::abs(x - static_cast<double>(pair.b->x)) <= kReach &&
           std::abs(y - static_cast<double>(pair.b->y)) <= kReach;
  };
  Placing best;
  int most = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t j = i + 1; j < pairs.size(); ++j) {
      const double ax = static_cast<double>(pairs[j].a->x - pairs[i].a->x);
      const double ay = static_cast<double>(pairs[j].a->y - pairs[i].a->y);
      const double bx = static_cast<double>(pairs[j].b->x - pairs[i].b->x);
      const double by = static_cast<double>(pairs[j].b->y - pairs[i].b->y);
      const double length = ax * ax + ay * ay;
      if (length < 0.01) continue;  // too near each other to say a scale
      const double scale = (ax * bx + ay * by) / length;
      if (scale < 0.2 || scale > 5) continue;
      if (std::abs(bx - scale * ax) > kReach || std::abs(by - scale * ay) > kReach) continue;
      const Placing placing{
          scale, scale,
          static_cast<double>(pairs[i].b->x) - scale * static_cast<double>(pairs[i].a->x),
          static_cast<double>(pairs[i].b->y) - scale * static_cast<double>(pairs[i].a->y)};
      int count = 0;
      for (const Pair& pair : pairs) count += fits(placing, pair) ? 1 : 0;
      if (count <= most) continue;
      most = count;
      best = placing;
    }
  if (most < 3) return {};
  // Least squares over those that fit.
  double count = 0, ax = 0, ay = 0, bx = 0, by = 0;
  for (const Pair& pair : pairs) {
    if (!fits(best, pair)) continue;
    count += 1;
    ax += static_cast<double>(pair.a->x);
    ay += static_cast<double>(pair.a->y);
    bx += static_cast<double>(pair.b->x);
    by += static_cast<double>(pair.b->y);
  }
  double above = 0, below = 0;
  for (const Pair& pair : pairs) {
    if (!fits(best, pair)) continue;
    const double x = static_cast<double>(pair.a->x) - ax / count;
    const double y = static_cast<double>(pair.a->y) - ay / count;
    above += x * (static_cast<double>(pair.b->x) - bx / count) +
             y * (static_cast<double>(pair.b->y) - by / count);
    below += x * x + y * y;
  }
  if (below > 0 && above > 0) {
    best.across = best.down = above / below;
    best.x = bx / count - best.across * ax / count;
    best.y = by / count - best.down * ay / count;
  }
  return {best};
}

}  // namespace

PictureTrace trace_of(const Picture& picture) {
  require(picture.width >= 1 && picture.height >= 1, "the picture has no pixels");
  PictureTrace trace;
  const auto side = static_cast<float>(std::max(picture.width, picture.height));
  trace.width = static_cast<float>(picture.width) / side;
  trace.height = static_cast<float>(picture.height) / side;
  trace.layout = layout_of(grey(resized(picture, 32, 32)));
  trace.details = details_of(grey(picture), picture.width, picture.height);
  trace.columns = std::max(1, static_cast<int>(std::lround(trace.width * kLightSide)));
  trace.rows = std::max(1, static_cast<int>(std::lround(trace.height * kLightSide)));
  for (const float each : grey(resized(picture, trace.columns, trace.rows)))
    trace.light.push_back(byte_of(each));
  const Picture small = resized(picture, (trace.columns + 3) / 4, (trace.rows + 3) / 4);
  const std::vector<float> light = grey(small);
  for (std::size_t i = 0; i < light.size(); ++i) {
    trace.blue.push_back(byte_of(0.5F + 0.564F * (small.channels[2][i] - light[i])));
    trace.red.push_back(byte_of(0.5F + 0.713F * (small.channels[0][i] - light[i])));
  }
  return trace;
}

PictureMatch match_pictures(const PictureTrace& first, const PictureTrace& second) {
  const Placing whole{static_cast<double>(second.width / first.width),
                      static_cast<double>(second.height / first.height), 0, 0};
  std::vector<Placing> placings = placings_by_details(first, second);
  const double stretch = whole.across / whole.down;
  if (stretch > 0.7 && stretch < 1.43) placings.push_back(whole);
  PictureMatch best;
  for (Placing& placing : placings) {
    refine(first, second, placing);
    const Compared compared = compare(first, second, placing);
    PictureMatch match = compared.match;
    const bool has_edges = compared.edges.spread >= kLeastSpread;
    match.same = match.likeness >= 0.93 && compared.light.blocks >= 0.75 && has_edges &&
                 compared.edges.correlation >= 0.8 && compared.edges.blocks >= 0.75 &&
                 colour_difference(first, second, placing) <= 0.08;
    if (std::tie(match.same, match.likeness) > std::tie(best.same, best.likeness)) best = match;
  }
  return best;
}

}  // namespace commonplace

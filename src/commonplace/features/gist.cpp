// The filters work on the spectrum of the picture, which stands in a wider square with its edges
// mirrored outwards so that left and right do not meet.
#include "commonplace/features/gist.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "commonplace/base/simd.h"

namespace commonplace {
namespace {

constexpr int kSide = 96;                   ///< of the picture
constexpr int kBorder = 16;                 ///< mirrored pixels around it
constexpr int kGrid = kSide + 2 * kBorder;  ///< a power of two
constexpr int kPixels = kGrid * kGrid;
constexpr int kScales = 4;
constexpr int kOrientations = 8;
constexpr int kCells = 4;  ///< along a side
constexpr int kFilters = kScales * kOrientations;
constexpr double kPi = std::numbers::pi;
/// Of the greatest frequency, cycles a pixel, and from each scale to the next.
constexpr double kFirstFrequency = 0.3;
constexpr double kFrequencyRatio = 1.85;
/// Cycles in the picture below which contrast is made even, and the least contrast.
constexpr double kEvenBelow = 4;
constexpr float kLeastContrast = 0.2F;

using Plane = std::vector<float>;

/// Where the pixel of a row and a column is in a plane.
constexpr std::size_t place(int row, int column) {
  return static_cast<std::size_t>(row) * kGrid + static_cast<std::size_t>(column);
}

struct Complex {
  Plane real = Plane(kPixels);
  Plane imaginary = Plane(kPixels);
};

struct Twiddles {
  std::array<float, kGrid / 2> cosine;
  std::array<float, kGrid / 2> sine;
  std::array<int, kGrid> reversed;  ///< the bits of a row number in reverse

  Twiddles() {
    for (int i = 0; i < kGrid / 2; ++i) {
      cosine[static_cast<std::size_t>(i)] = static_cast<float>(std::cos(2 * kPi * i / kGrid));
      sine[static_cast<std::size_t>(i)] = static_cast<float>(-std::sin(2 * kPi * i / kGrid));
    }
    for (int i = 0; i < kGrid; ++i) {
      int result = 0;
      for (int bit = 1, mirrored = kGrid / 2; bit < kGrid; bit *= 2, mirrored /= 2)
        if ((i & bit) != 0) result |= mirrored;
      reversed[static_cast<std::size_t>(i)] = result;
    }
  }
};

/// Some columns of a field, few enough to stay in the nearest cache.
constexpr int kPanel = 16;
struct Panel {
  alignas(64) float real[kGrid][kPanel];
  alignas(64) float imaginary[kGrid][kPanel];
};

/// (a, b) := (a + w b, a - w b) for two rows of a panel, w = cosine + i sine.
inline void butterfly(float* __restrict a_real, float* __restrict a_imaginary,
                      float* __restrict b_real, float* __restrict b_imaginary, float cosine,
                      float sine) {
  for (int x = 0; x < kPanel; ++x) {
    const float real = cosine * b_real[x] - sine * b_imaginary[x];
    const float imaginary = cosine * b_imaginary[x] + sine * b_real[x];
    b_real[x] = a_real[x] - real;
    b_imaginary[x] = a_imaginary[x] - imaginary;
    a_real[x] += real;
    a_imaginary[x] += imaginary;
  }
}

/// The Fourier transform of each column of a panel whose rows are in the order of reversed bits.
COMMONPLACE_CLONES void transform_panel(Panel& panel, const Twiddles& twiddles) {
  for (int half = 1; half < kGrid; half *= 2)
    for (int i = 0; i < half; ++i) {
      const int turn = i * (kGrid / (2 * half));
      const float cosine = twiddles.cosine[static_cast<std::size_t>(turn)];
      const float sine = twiddles.sine[static_cast<std::size_t>(turn)];
      for (int a = i; a < kGrid; a += 2 * half)
        butterfly(panel.real[a], panel.imaginary[a], panel.real[a + half],
                  panel.imaginary[a + half], cosine, sine);
    }
}

/// The Fourier transforms of all columns of `from`, as the rows of `to`.
void transform_columns(const Complex& from, Complex& to, const Twiddles& twiddles) {
  Panel panel;
  for (int first = 0; first < kGrid; first += kPanel) {
    for (int row = 0; row < kGrid; ++row) {
      const int source = twiddles.reversed[static_cast<std::size_t>(row)] * kGrid + first;
      std::copy_n(from.real.data() + source, kPanel, panel.real[row]);
      std::copy_n(from.imaginary.data() + source, kPanel, panel.imaginary[row]);
    }
    transform_panel(panel, twiddles);
    for (int x = 0; x < kPanel; ++x) {
      float* real = to.real.data() + (first + x) * kGrid;
      float* imaginary = to.imaginary.data() + (first + x) * kGrid;
      for (int row = 0; row < kGrid; ++row) {
        real[row] = panel.real[row][x];
        imaginary[row] = panel.imaginary[row][x];
      }
    }
  }
}

/// The two-dimensional Fourier transform.
void transform(Complex& values, Complex& room) {
  static const Twiddles twiddles;
  transform_columns(values, room, twiddles);
  transform_columns(room, values, twiddles);
}

/// Back from a spectrum: the transform of the conjugate, whose real part is the picture's.
void transform_back(Complex& values, Complex& room) {
  for (float& value : values.imaginary) value = -value;
  transform(values, room);
  for (float& value : values.real) value /= kPixels;
  for (float& value : values.imaginary) value /= kPixels;
}

int frequency(int index) { return index < kGrid / 2 ? index : index - kGrid; }

/// A transfer function: `of` is given the frequencies along x and y.
template <class Of>
Plane transfer(const Of& of) {
  Plane result(kPixels);
  for (int y = 0; y < kGrid; ++y)
    for (int x = 0; x < kGrid; ++x)
      result[place(y, x)] = static_cast<float>(of(frequency(x), frequency(y)));
  return result;
}

struct Filters {
  std::vector<Plane> gabor;
  Plane smooth;

  Filters() {
    const double spread = kEvenBelow / std::sqrt(std::log(2.0));
    smooth = transfer([&](int x, int y) { return std::exp(-(x * x + y * y) / (spread * spread)); });
    for (int scale = 0; scale < kScales; ++scale)
      for (int orientation = 0; orientation < kOrientations; ++orientation)
        gabor.push_back(transfer([&](int x, int y) {
          const double centre = kFirstFrequency / std::pow(kFrequencyRatio, scale);
          const double off = std::hypot(x, y) / kGrid / centre - 1;
          const double angle =
              std::remainder(std::atan2(y, x) + kPi / kOrientations * orientation, 2 * kPi);
          return std::exp(-3.5 * off * off - 2 * kPi * angle * angle);
        }));
  }
};

const Filters& filters() {
  static const Filters all;
  return all;
}

int mirrored(int at) {
  if (at < 0) return -1 - at;
  return at < kSide ? at : 2 * kSide - 1 - at;
}

/// log(1 + brightness of 255), with the border.
Plane with_border(const Plane& channel) {
  Plane result(kPixels);
  for (int y = 0; y < kGrid; ++y)
    for (int x = 0; x < kGrid; ++x) {
      const int source = mirrored(y - kBorder) * kSide + mirrored(x - kBorder);
      result[place(y, x)] = std::log(1 + 255 * channel[static_cast<std::size_t>(source)]);
    }
  return result;
}

Plane smoothed(const Plane& plane) {
  Complex values;
  Complex room;
  values.real = plane;
  transform(values, room);
  const Plane& smooth = filters().smooth;
  for (std::size_t i = 0; i < smooth.size(); ++i) {
    values.real[i] *= smooth[i];
    values.imaginary[i] *= smooth[i];
  }
  transform_back(values, room);
  return values.real;
}

/// Takes away slow changes of brightness and divides by the contrast around.
void even_out(std::array<Plane, 3>& channels) {
  Plane mean(kPixels, 0.0F);
  for (Plane& channel : channels) {
    const Plane slow = smoothed(channel);
    for (std::size_t i = 0; i < channel.size(); ++i) {
      channel[i] -= slow[i];
      mean[i] += channel[i] / 3;
    }
  }
  for (float& value : mean) value *= value;
  const Plane contrast = smoothed(mean);
  for (Plane& channel : channels)
    for (std::size_t i = 0; i < channel.size(); ++i)
      channel[i] /= kLeastContrast + std::sqrt(std::max(0.0F, contrast[i]));
}

COMMONPLACE_CLONES void multiply(const float* __restrict real, const float* __restrict imaginary,
                                 const float* __restrict by, float* __restrict to_real,
                                 float* __restrict to_imaginary) {
  for (int i = 0; i < kPixels; ++i) {
    to_real[i] = real[i] * by[i];
    to_imaginary[i] = imaginary[i] * by[i];
  }
}

/// The mean strength of an answer in each cell.
void add_cells(const Complex& answer, float* cells) {
  constexpr int cell = kSide / kCells;
  for (int row = 0; row < kCells; ++row)
    for (int column = 0; column < kCells; ++column) {
      float sum = 0;
      for (int y = kBorder + row * cell; y < kBorder + (row + 1) * cell; ++y)
        for (int x = kBorder + column * cell; x < kBorder + (column + 1) * cell; ++x) {
          const auto at = place(y, x);
          sum += std::sqrt(answer.real[at] * answer.real[at] +
                           answer.imaginary[at] * answer.imaginary[at]);
        }
      *cells++ = sum / (cell * cell);
    }
}

}  // namespace

Eigen::RowVectorXf gist(const Picture& given) {
  const Picture picture = resized(given, kSide, kSide);
  std::array<Plane, 3> channels;
  for (std::size_t c = 0; c < 3; ++c) channels[c] = with_border(picture.channels[c]);
  even_out(channels);
  Eigen::RowVectorXf result(kGistSize);
  float* cells = result.data();
  Complex spectrum;
  Complex answer;
  Complex room;
  for (const Plane& channel : channels) {
    spectrum.real = channel;
    std::fill(spectrum.imaginary.begin(), spectrum.imaginary.end(), 0.0F);
    transform(spectrum, room);
    for (int filter = 0; filter < kFilters; ++filter) {
      multiply(spectrum.real.data(), spectrum.imaginary.data(),
               filters().gabor[static_cast<std::size_t>(filter)].data(), answer.real.data(),
               answer.imaginary.data());
      transform_back(answer, room);
      add_cells(answer, cells);
      cells += kCells * kCells;
    }
  }
  return result;
}

}  // namespace commonplace

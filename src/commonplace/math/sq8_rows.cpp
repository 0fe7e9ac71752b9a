#include "commonplace/math/sq8_rows.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(COMMONPLACE_NO_CLONES)
#define COMMONPLACE_SCAN_KERNELS
#include <immintrin.h>
#endif

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"
#include "commonplace/base/top_k.h"

namespace commonplace {
namespace {

constexpr int kGreatestByte = 127;
constexpr double kGreatestWeight = 32767;
/// Rows that a thread scans at a time.
constexpr std::size_t kChunk = 8192;

/// sum of bytes[j] * weights[j] for each of `rows` rows; `totals` are exact, see Weights.
using Scan = void (*)(const std::int8_t* bytes, std::int64_t rows, std::int64_t columns,
                      const std::int16_t* weights, std::int32_t* totals);

void scan_plain(const std::int8_t* bytes, std::int64_t rows, std::int64_t columns,
                const std::int16_t* weights, std::int32_t* totals) {
  for (std::int64_t row = 0; row < rows; ++row, bytes += columns) {
    std::int32_t total = 0;
    for (std::int64_t j = 0; j < columns; ++j)
      total += static_cast<std::int32_t>(bytes[j]) * static_cast<std::int32_t>(weights[j]);
    totals[row] = total;
  }
}

#ifdef COMMONPLACE_SCAN_KERNELS

// What is left of a row after whole vectors is read as a vector that ends with the row; the
// weights of what it repeats are zero, which `tail` has.

__attribute__((target("avx2"))) inline std::int32_t total_of(__m256i sums) {
  __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1));
  return _mm_cvtsi128_si32(half);
}

__attribute__((target("avx2"))) void scan_v3(const std::int8_t* bytes, std::int64_t rows,
                                             std::int64_t columns, const std::int16_t* weights,
                                             std::int32_t* totals) {
  constexpr std::int64_t width = 16;
  const std::int64_t whole = columns / width * width;
  if (whole == 0) {
    scan_plain(bytes, rows, columns, weights, totals);
    return;
  }
  alignas(32) std::int16_t tail[width] = {};
  std::copy(weights + whole, weights + columns, tail + width - (columns - whole));
  const __m256i last = _mm256_load_si256(reinterpret_cast<const __m256i*>(tail));
  for (std::int64_t row = 0; row < rows; ++row, bytes += columns) {
    __m256i sum = _mm256_setzero_si256();
    __m256i other = _mm256_setzero_si256();
    const auto product = [&](std::int64_t at, __m256i weight) __attribute__((target("avx2"))) {
      const __m256i wide =
          _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + at)));
      return _mm256_madd_epi16(wide, weight);
    };
    const auto weight = [&](std::int64_t at) __attribute__((target("avx2"))) {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights + at));
    };
    std::int64_t j = 0;
    for (; j + 2 * width <= columns; j += 2 * width) {
      sum = _mm256_add_epi32(sum, product(j, weight(j)));
      other = _mm256_add_epi32(other, product(j + width, weight(j + width)));
    }
    if (j < whole) sum = _mm256_add_epi32(sum, product(j, weight(j)));
    if (whole < columns) other = _mm256_add_epi32(other, product(columns - width, last));
    totals[row] = total_of(_mm256_add_epi32(sum, other));
  }
}

__attribute__((target("avx512f,avx512bw"))) void scan_v4(const std::int8_t* bytes,
                                                         std::int64_t rows, std::int64_t columns,
                                                         const std::int16_t* weights,
                                                         std::int32_t* totals) {
  constexpr std::int64_t width = 32;
  const std::int64_t whole = columns / width * width;
  if (whole == 0) {
    scan_v3(bytes, rows, columns, weights, totals);
    return;
  }
  alignas(64) std::int16_t tail[width] = {};
  std::copy(weights + whole, weights + columns, tail + width - (columns - whole));
  const __m512i last = _mm512_load_si512(tail);
  for (std::int64_t row = 0; row < rows; ++row, bytes += columns) {
    __m512i sum = _mm512_setzero_si512();
    __m512i other = _mm512_setzero_si512();
    const auto product = [&](std::int64_t at, __m512i weight)
        __attribute__((target("avx512f,avx512bw"))) {
      const __m512i wide =
          _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + at)));
      return _mm512_madd_epi16(wide, weight);
    };
    std::int64_t j = 0;
    for (; j + 2 * width <= columns; j += 2 * width) {
      sum = _mm512_add_epi32(sum, product(j, _mm512_loadu_si512(weights + j)));
      other = _mm512_add_epi32(other, product(j + width, _mm512_loadu_si512(weights + j + width)));
    }
    if (j < whole) sum = _mm512_add_epi32(sum, product(j, _mm512_loadu_si512(weights + j)));
    if (whole < columns) other = _mm512_add_epi32(other, product(columns - width, last));
    sum = _mm512_add_epi32(sum, other);
    totals[row] = total_of(_mm256_add_epi32(_mm512_maskz_extracti64x4_epi64(0xff, sum, 0),
                                            _mm512_maskz_extracti64x4_epi64(0xff, sum, 1)));
  }
}

#endif

std::atomic<int> level_limit{std::numeric_limits<int>::max()};

int best_level() {
#ifdef COMMONPLACE_SCAN_KERNELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return 4;
  if (__builtin_cpu_supports("avx2")) return 3;
#endif
  return 1;
}

Scan chosen_scan() {
  const int level = std::min(best_level(), level_limit.load());
#ifdef COMMONPLACE_SCAN_KERNELS
  if (level >= 4) return scan_v4;
  if (level >= 3) return scan_v3;
#endif
  static_cast<void>(level);
  return scan_plain;
}

/// Weights times the columns' scales, in units that fit 16 bits and of which no sum of products
/// with bytes exceeds 32.
struct Weights {
  std::vector<std::int16_t> units;
  double unit = 0;
};

void check(const Sq8RowsView& rows, std::span<const double> weights) {
  require(std::ssize(weights) == rows.columns && std::ssize(rows.scales) == rows.columns &&
              std::ssize(rows.worst) == rows.columns,
          "there are ", weights.size(), " weights, ", rows.scales.size(), " scales and ",
          rows.worst.size(), " errors for rows of ", rows.columns, " bytes; give one each");
  require(std::ssize(rows.bytes) == rows.rows * rows.columns, "there are ", rows.bytes.size(),
          " bytes for ", rows.rows, " rows of ", rows.columns);
  for (const double weight : weights)
    require(std::isfinite(weight), "a weight is ", weight, "; expected finite ones");
}

Weights round_weights(const Sq8RowsView& rows, std::span<const double> weights) {
  double greatest = 0;
  double sum = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double size = std::abs(weights[j]) * static_cast<double>(rows.scales[j]);
    greatest = std::max(greatest, size);
    sum += size;
  }
  // Rounding adds at most half a unit a column; a byte may be -128 in a file of others.
  const double room = static_cast<double>(std::numeric_limits<std::int32_t>::max()) / 128 -
                      static_cast<double>(weights.size());
  require(room > 0, "rows of ", weights.size(), " bytes are too long to scan");
  Weights result;
  result.unit = std::max(greatest / kGreatestWeight, sum / room);
  for (std::size_t j = 0; j < weights.size(); ++j)
    result.units.push_back(static_cast<std::int16_t>(
        result.unit > 0
            ? std::lround(weights[j] * static_cast<double>(rows.scales[j]) / result.unit)
            : 0));
  return result;
}

std::span<const float> floats_of(const Eigen::Ref<const Matrix>& rows, Eigen::Index row) {
  return {rows.data() + row * rows.outerStride(), static_cast<std::size_t>(rows.cols())};
}

void require_finite(const Eigen::Ref<const Matrix>& rows, int jobs) {
  parallel_for(static_cast<std::size_t>(rows.rows()), jobs,
               [&](std::size_t begin, std::size_t end) {
                 for (auto row = static_cast<Eigen::Index>(begin);
                      row < static_cast<Eigen::Index>(end); ++row)
                   require(rows.row(row).allFinite(), "row ", row + 1,
                           " has a number that is not finite; expected only finite ones");
               });
}

/// Some columns of some rows, and where their bytes go.
struct Rounding {
  const float* values;
  std::int64_t to_next_row;
  std::int8_t* bytes;
  std::int64_t to_next_bytes;
  std::int64_t rows;
  std::int64_t columns;
};

constexpr std::int64_t kColumnsAtOnce = 64;

/// Two loops, as the compiler does not vectorise both in one. At most kColumnsAtOnce columns.
COMMONPLACE_CLONES void round_columns(const Rounding& some, const float* __restrict scales,
                                      const float* __restrict per_unit, float* __restrict worst) {
  float cut[kColumnsAtOnce];
  const std::int64_t columns = some.columns;
  for (std::int64_t row = 0; row < some.rows; ++row) {
    const float* __restrict values = some.values + row * some.to_next_row;
    std::int8_t* __restrict bytes = some.bytes + row * some.to_next_bytes;
    for (std::int64_t j = 0; j < columns; ++j)
      cut[j] = std::min(std::max(values[j] * per_unit[j], -127.0F), 127.0F);
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto rounded = static_cast<std::int32_t>(cut[j] + std::copysign(0.5F, cut[j]));
      bytes[j] = static_cast<std::int8_t>(rounded);
      const float error = std::abs(values[j] - static_cast<float>(rounded) * scales[j]);
      worst[j] = std::max(worst[j], error);
    }
  }
}

/// Keeps the `count` best of the places begin .. end-1.
std::vector<std::int64_t> best_of(std::span<const float> scores, std::size_t begin, std::size_t end,
                                  std::size_t count) {
  const auto score = [&](std::int64_t i) { return scores[static_cast<std::size_t>(i)]; };
  std::vector<std::int64_t> kept;
  // Once there are enough, what is not above the bar cannot be among the best.
  bool full = false;
  float bar = 0;
  const auto cut = [&] {
    keep_first_unordered(kept, static_cast<std::int64_t>(count), greater_by(score));
    bar = scores[static_cast<std::size_t>(kept.back())];
    full = true;
  };
  for (std::size_t i = begin; i < end; ++i) {
    if (full && scores[i] <= bar) continue;
    kept.push_back(static_cast<std::int64_t>(i));
    if (kept.size() >= 2 * count + 64) cut();
  }
  if (kept.size() > count) cut();
  return kept;
}

}  // namespace

void add_magnitudes(const Eigen::Ref<const Matrix>& rows, std::vector<float>& magnitudes) {
  if (magnitudes.empty()) magnitudes.resize(static_cast<std::size_t>(rows.cols()));
  require(std::ssize(magnitudes) == rows.cols(), "rows of ", rows.cols(),
          " columns do not fit magnitudes of ", magnitudes.size());
  require_finite(rows, 1);
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    const auto values = floats_of(rows, row);
    for (std::size_t j = 0; j < values.size(); ++j)
      magnitudes[j] = std::max(magnitudes[j], std::abs(values[j]));
  }
}

Sq8Rows sq8_rows(std::span<const float> magnitudes) {
  Sq8Rows result;
  result.columns = std::ssize(magnitudes);
  for (const float magnitude : magnitudes) {
    require(magnitude >= 0 && std::isfinite(magnitude), "a column has the magnitude ", magnitude,
            "; expected 0 or more");
    result.scales.push_back(magnitude / kGreatestByte);
  }
  result.worst.resize(magnitudes.size());
  return result;
}

void quantise(const Eigen::Ref<const Matrix>& rows, std::span<const float> scales,
              std::span<std::int8_t> bytes, std::span<float> worst, int jobs) {
  const auto columns = scales.size();
  require(std::ssize(scales) == rows.cols() && worst.size() == columns &&
              std::ssize(bytes) == rows.size(),
          "rows of ", rows.cols(), " columns do not fit ", scales.size(), " scales, ", worst.size(),
          " errors and ", bytes.size(), " bytes");
  require_finite(rows, jobs);
  std::vector<float> per_unit(columns);
  for (std::size_t j = 0; j < columns; ++j)
    per_unit[j] = scales[j] > std::numeric_limits<float>::min() ? 1 / scales[j] : 0;
  parallel_for(
      columns, jobs,
      [&](std::size_t begin, std::size_t end) {
        round_columns({rows.data() + begin, rows.outerStride(), bytes.data() + begin,
                       std::ssize(scales), rows.rows(), static_cast<std::int64_t>(end - begin)},
                      scales.data() + begin, per_unit.data() + begin, worst.data() + begin);
      },
      static_cast<std::size_t>(kColumnsAtOnce));
}

void append(Sq8Rows& into, const Eigen::Ref<const Matrix>& rows, int jobs) {
  require(rows.cols() == into.columns, "rows of ", rows.cols(), " columns do not fit those of ",
          into.columns);
  require_finite(rows, jobs);
  const std::size_t before = into.bytes.size();
  into.bytes.resize(before + static_cast<std::size_t>(rows.size()));
  quantise(rows, into.scales, std::span(into.bytes).subspan(before), into.worst, jobs);
}

Sq8Rows quantise(const Eigen::Ref<const Matrix>& rows, int jobs) {
  std::vector<float> magnitudes(static_cast<std::size_t>(rows.cols()));
  add_magnitudes(rows, magnitudes);
  Sq8Rows result = sq8_rows(magnitudes);
  append(result, rows, jobs);
  return result;
}

std::vector<float> scan(const Sq8RowsView& rows, std::span<const double> weights, int jobs) {
  check(rows, weights);
  const Weights rounded = round_weights(rows, weights);
  const Scan use = chosen_scan();
  std::vector<float> scores(static_cast<std::size_t>(rows.rows));
  parallel_for(
      scores.size(), jobs,
      [&](std::size_t begin, std::size_t end) {
        std::vector<std::int32_t> totals(end - begin);
        use(rows.bytes.data() + static_cast<std::int64_t>(begin) * rows.columns,
            static_cast<std::int64_t>(end - begin), rows.columns, rounded.units.data(),
            totals.data());
        for (std::size_t i = 0; i < totals.size(); ++i)
          scores[begin + i] = static_cast<float>(rounded.unit * static_cast<double>(totals[i]));
      },
      kChunk);
  return scores;
}

double scan_error(const Sq8RowsView& rows, std::span<const double> weights) {
  check(rows, weights);
  const Weights rounded = round_weights(rows, weights);
  double error = 0;
  double greatest = 0;  // of a score
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double scale = rows.scales[j];
    const double weight = rounded.unit * static_cast<double>(rounded.units[j]);
    error += std::abs(weights[j]) * static_cast<double>(rows.worst[j]) +
             128 * std::abs(weights[j] * scale - weight);
    greatest += 128 * std::abs(weight);
  }
  // The errors of bytes were themselves computed in float, and so is the score.
  constexpr double kRounding = std::numeric_limits<float>::epsilon();
  return error * (1 + 1e-6) + 2 * kRounding * greatest;
}

std::vector<std::int64_t> best_scores(std::span<const float> scores, std::int64_t count, int jobs) {
  require(count >= 0, "the best ", count, " are asked for; expected 0 or more");
  const auto wanted = std::min(static_cast<std::size_t>(count), scores.size());
  if (wanted == 0) return {};
  constexpr std::size_t kPart = std::size_t{1} << 16;
  const std::size_t parts = (scores.size() + kPart - 1) / kPart;
  std::vector<std::vector<std::int64_t>> found(parts);
  parallel_for(
      parts, jobs,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t part = begin; part < end; ++part)
          found[part] =
              best_of(scores, part * kPart, std::min(scores.size(), (part + 1) * kPart), wanted);
      },
      1);
  std::vector<std::int64_t> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  keep_first(all, static_cast<std::int64_t>(wanted),
             greater_by([&](std::int64_t i) { return scores[static_cast<std::size_t>(i)]; }));
  return all;
}

std::vector<int> levels_of_scans() {
  std::vector<int> levels;
  for (const int level : {1, 3, 4})
    if (level <= best_level()) levels.push_back(level);
  return levels;
}

void limit_scans(int level) { level_limit = level; }

}  // namespace commonplace

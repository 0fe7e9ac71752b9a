#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/comm/comm.h"

/// Exact quantiles of every axis in two passes. The first counts the items by a key of a few
/// thousand values that ascends with the number: sign, exponent and the first bits of the fraction
/// of its distance from the axis' centre, in standard deviations. The key that holds a quantile is
/// then known, and the second pass gathers only the numbers of that key.
namespace commonplace::detect {

// Keys of |z| from 2^-20 to 2^12; what is smaller has one key, and so has what is greater.
constexpr int kFractionBits = 7;
constexpr std::uint32_t kLeastExponent = 127 - 20;
constexpr std::int32_t kOctaves = 32;
constexpr std::int32_t kSide = kOctaves << kFractionBits;  ///< the greatest key of one sign
constexpr std::int32_t kKeys = 2 * kSide + 2;

/// Of a number of deviations from the centre.
inline std::int32_t key_of(float z) {
  const auto bits = std::bit_cast<std::uint32_t>(z);
  const auto size = static_cast<std::int32_t>((bits & 0x7fffffffU) >> (23 - kFractionBits)) -
                    static_cast<std::int32_t>(kLeastExponent << kFractionBits) + 1;
  const std::int32_t side = std::min(std::max(size, 0), kSide);
  return (bits >> 31) != 0 ? kSide - side : kSide + 1 + side;
}

/// Numbers with how often each occurs; equal ones are joined from time to time.
class NumberTally {
 public:
  void add(double value) {
    if (values_.size() >= limit_) {
      join();
      limit_ = std::max<std::size_t>(4096, 2 * values_.size());
    }
    values_.push_back({value, 1});
  }
  void add(double value, double times) { values_.push_back({value, times}); }
  void join();
  /// The number at `place`, from 0, in ascending order; after join().
  double at(std::int64_t place) const;
  struct Entry {
    double value;
    double times;
  };
  const std::vector<Entry>& entries() const { return values_; }
  void clear() { values_.clear(); }

 private:
  std::vector<Entry> values_;
  std::size_t limit_ = 4096;
};

/// Keys begin .. end, and the items before them.
struct Zone {
  std::int32_t begin = 0;
  std::int32_t end = -1;
  std::int64_t before = 0;
};

/// The two quantiles of one axis: places of the items between which each lies, and their zones. If
/// the zones meet, `low` is both together and `high` is empty.
struct Quantiles {
  double place = 0;  ///< from the lower end, and from the upper
  std::int64_t items = 0;
  Zone low;
  Zone high;
  bool apart = true;
  NumberTally low_values;
  NumberTally high_values;

  /// `counts`: items of each key; `all`: their sum.
  Quantiles(const std::int64_t* counts, std::int64_t all, double clip);
  /// Keeps a number that may be one of those wanted.
  void offer(std::int32_t key, double value) {
    if (key >= low.begin && key <= low.end)
      low_values.add(value);
    else if (apart && key >= high.begin && key <= high.end)
      high_values.add(value);
  }
  double lower() const;
  double upper() const;
};

/// Every rank gets the numbers that were kept on all.
void gather_quantiles(std::vector<Quantiles>& quantiles, Comm& comm);

}  // namespace commonplace::detect

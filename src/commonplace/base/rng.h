#pragma once

#include <cstdint>

namespace commonplace {

/// Mixes 64 bits so that every output bit depends on every input bit (splitmix64's finaliser).
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// 64 random bits that depend on (seed, row, column) alone, never on the order of the draws,
/// so that one process and many ranks start equal.
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t row, std::uint64_t column) {
  return mix(mix(mix(seed) ^ row) ^ (column * 0xd1342543de82ef95ULL));
}

/// Uniform in [0, 1), 53 bits, a function of (seed, row, column).
constexpr double random_uniform(std::uint64_t seed, std::uint64_t row, std::uint64_t column) {
  return static_cast<double>(random_bits(seed, row, column) >> 11) * 0x1.0p-53;
}

/// A sequence of draws for work that is sequential by nature (bootstrap, shuffles).
/// Usable as a standard uniform random bit generator.
class Rng {
 public:
  using result_type = std::uint64_t;
  explicit constexpr Rng(std::uint64_t seed, std::uint64_t stream = 0)
      : seed_(seed), stream_(stream) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  constexpr result_type operator()() { return random_bits(seed_, stream_, counter_++); }
  /// Uniform in [0, 1).
  constexpr double uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }
  /// Uniform in 0 .. count-1; `count` must not be 0.
  constexpr std::uint64_t below(std::uint64_t count) {
    return static_cast<std::uint64_t>((static_cast<Wide>((*this)()) * count) >> 64);
  }

 private:
  __extension__ using Wide = unsigned __int128;
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t counter_ = 0;
};

}  // namespace commonplace

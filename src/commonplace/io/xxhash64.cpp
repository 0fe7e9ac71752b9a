#include "commonplace/io/xxhash64.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace commonplace {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they lie in memory");

constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87ULL;
constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4fULL;
constexpr std::uint64_t kPrime3 = 0x165667b19e3779f9ULL;
constexpr std::uint64_t kPrime4 = 0x85ebca77c2b2ae63ULL;
constexpr std::uint64_t kPrime5 = 0x27d4eb2f165667c5ULL;

template <class T>
std::uint64_t load_word(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::uint64_t mix_word(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

std::uint64_t merge_lane(std::uint64_t hash, std::uint64_t lane) {
  return (hash ^ mix_word(0, lane)) * kPrime1 + kPrime4;
}

/// Works in the last bytes, fewer than a stripe.
std::uint64_t mix_tail(std::uint64_t hash, std::span<const std::byte> tail) {
  for (; tail.size() >= 8; tail = tail.subspan(8)) {
    hash ^= mix_word(0, load_word<std::uint64_t>(tail.data()));
    hash = std::rotl(hash, 27) * kPrime1 + kPrime4;
  }
  if (tail.size() >= 4) {
    hash ^= load_word<std::uint32_t>(tail.data()) * kPrime1;
    hash = std::rotl(hash, 23) * kPrime2 + kPrime3;
    tail = tail.subspan(4);
  }
  for (const std::byte byte : tail) {
    hash ^= std::to_integer<std::uint64_t>(byte) * kPrime5;
    hash = std::rotl(hash, 11) * kPrime1;
  }
  return hash;
}

}  // namespace

void Xxh64::mix_stripe(Lanes& lanes, const std::byte* stripe) {
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    lanes[lane] = mix_word(lanes[lane], load_word<std::uint64_t>(stripe + 8 * lane));
  }
}

void Xxh64::update(std::span<const std::byte> bytes) {
  total_ += bytes.size();
  if (pending_size_ > 0) {
    const std::size_t taken = std::min(kStripe - pending_size_, bytes.size());
    std::copy_n(bytes.begin(), taken,
                pending_.begin() + static_cast<std::ptrdiff_t>(pending_size_));
    pending_size_ += taken;
    bytes = bytes.subspan(taken);
    if (pending_size_ < kStripe) return;
    mix_stripe(lanes_, pending_.data());
  }
  Lanes lanes = lanes_;  // here the compiler can keep them in registers
  for (; bytes.size() >= kStripe; bytes = bytes.subspan(kStripe)) mix_stripe(lanes, bytes.data());
  lanes_ = lanes;
  std::copy(bytes.begin(), bytes.end(), pending_.begin());
  pending_size_ = bytes.size();
}

std::uint64_t Xxh64::digest() const {
  std::uint64_t hash = kPrime5;
  if (total_ >= kStripe) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
           std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) hash = merge_lane(hash, lane);
  }
  hash = mix_tail(hash + total_, {pending_.data(), pending_size_});
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

std::string hexadecimal(std::uint64_t digest) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(digest));
  return text.data();
}

}  // namespace commonplace

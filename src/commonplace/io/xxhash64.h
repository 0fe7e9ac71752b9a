#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace commonplace {

/// XXH64, a fast checksum against damage (not against forgery), with seed 0. Bytes may come in
/// pieces of any size; the digest is that of all of them in a row.
class Xxh64 {
 public:
  void update(std::span<const std::byte> bytes);
  std::uint64_t digest() const;

 private:
  using Lanes = std::array<std::uint64_t, 4>;
  static constexpr std::size_t kStripe = 32;
  static void mix_stripe(Lanes& lanes, const std::byte* stripe);

  Lanes lanes_{0x60ea27eeadc0b5d6ULL, 0xc2b2ae3d27d4eb4fULL, 0, 0x61c8864e7a143579ULL};
  std::array<std::byte, kStripe> pending_{};
  std::size_t pending_size_ = 0;
  std::uint64_t total_ = 0;
};

/// A digest as 16 hexadecimal digits.
std::string hexadecimal(std::uint64_t digest);

}  // namespace commonplace

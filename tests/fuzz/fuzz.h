#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "commonplace/base/error.h"

/// What both engines call with one input; it returns 0 or does not return.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace commonplace::fuzz {

/// How many inputs the reader took and how many it refused.
struct Outcomes {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
};
inline Outcomes outcomes;

/// Calls `read`, for which the only allowed failure is Error. Anything else is a finding.
template <class Read>
int only_errors(const Read& read) {
  try {
    read();
    ++outcomes.accepted;
  } catch (const Error&) {
    ++outcomes.refused;
  }
  return 0;
}

/// A finding if `condition` does not hold: what a reader returned contradicts itself.
inline void check(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Reads every byte, so that a view of memory that is not there is noticed.
inline void touch(std::span<const std::byte> bytes) {
  static volatile unsigned char sum;
  for (const std::byte byte : bytes) {
    sum = static_cast<unsigned char>(sum + std::to_integer<unsigned char>(byte));
  }
}

}  // namespace commonplace::fuzz

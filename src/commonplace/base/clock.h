#pragma once

#include <chrono>

namespace commonplace {

/// By which work is timed.
using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace commonplace

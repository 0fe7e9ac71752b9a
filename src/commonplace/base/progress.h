#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace commonplace {

/// One step of long work. `total` is 0 when it is not known.
struct ProgressStep {
  std::string_view stage;  ///< what is being done, e.g. "reading photos.jsonl"
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  std::string_view unit;  ///< e.g. "items", "bytes"
};

/// Called from time to time by long work, from one thread at a time. It may throw Cancelled.
using Progress = std::function<void(const ProgressStep&)>;

/// A progress that nobody watches.
inline void no_progress(const ProgressStep&) {}

}  // namespace commonplace

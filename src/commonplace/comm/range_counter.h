#pragma once

#include <atomic>
#include <cstdint>

#include "commonplace/comm/comm.h"

namespace commonplace::detail {

/// Hands out begin .. end - 1 to the threads of one process.
class RangeCounter final : public WorkCounter {
 public:
  RangeCounter(std::int64_t begin, std::int64_t end) : next_(begin), end_(end) {}

  std::int64_t next() override {
    // Looked at before it is taken, so that asking for ever cannot overflow it.
    if (next_.load(std::memory_order_relaxed) >= end_) return -1;
    const std::int64_t number = next_.fetch_add(1, std::memory_order_relaxed);
    return number < end_ ? number : -1;
  }

 private:
  std::atomic<std::int64_t> next_;
  const std::int64_t end_;
};

}  // namespace commonplace::detail

#include "commonplace/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <sched.h>

namespace commonplace {
namespace {

/// Threads that wait for work, so that a call costs a few microseconds and not the making of
/// threads. One call has them at a time; others, such as those of further ranks, make their own.
///
/// `state_` is a number that grows with each call, and below it how many helpers that call still
/// wants. A thread helps if it can take one of these away, and only then looks at the work: the
/// caller, when it is done itself, takes away the rest and waits for those that came.
class Helpers {
 public:
  /// Never destroyed: its threads end with the process.
  static Helpers& shared() {
    static Helpers* const helpers = new Helpers;
    return *helpers;
  }

  /// Calls `work` here and on at most `count` other threads. False, without a call, if they are
  /// busy.
  bool run(std::size_t count, const std::function<void()>& work) {
    if (count > kMostHelpers || busy_.test_and_set(std::memory_order_acquire)) return false;
    while (threads_ < count) {
      std::thread([this] { wait_for_work(); }).detach();
      ++threads_;
    }
    work_ = &work;
    finished_.store(0, std::memory_order_relaxed);
    const std::uint32_t call = (state_.load(std::memory_order_relaxed) / kCall + 1) * kCall;
    state_.store(call + static_cast<std::uint32_t>(count), std::memory_order_release);
    state_.notify_all();
    work();
    const std::uint32_t not_come = state_.exchange(call, std::memory_order_acq_rel) - call;
    const std::size_t came = count - not_come;
    for (int spins = 0; finished_.load(std::memory_order_acquire) != came; ++spins)
      if (spins < kSpins)
        pause();
      else
        std::this_thread::yield();
    busy_.clear(std::memory_order_release);
    return true;
  }

 private:
  static constexpr std::uint32_t kCall = 256;
  static constexpr std::size_t kMostHelpers = kCall - 1;
  static constexpr int kSpins = 4000;

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  void wait_for_work() {
    std::uint32_t seen = state_.load(std::memory_order_acquire);
    for (;;) {
      while (seen % kCall != 0) {
        if (!state_.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel)) continue;
        (*work_)();
        finished_.fetch_add(1, std::memory_order_release);
        seen = state_.load(std::memory_order_acquire);
      }
      // More work often follows at once, so it does not sleep at once.
      for (int spins = 0; spins < kSpins && seen % kCall == 0; ++spins) {
        pause();
        seen = state_.load(std::memory_order_acquire);
      }
      if (seen % kCall == 0) {
        state_.wait(seen, std::memory_order_acquire);
        seen = state_.load(std::memory_order_acquire);
      }
    }
  }

  std::atomic<std::uint32_t> state_{0};
  std::atomic<std::size_t> finished_{0};
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  const std::function<void()>* work_ = nullptr;
  std::size_t threads_ = 0;
};

}  // namespace

int resolve_jobs(int jobs) {
  if (jobs > 0) return jobs;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, int jobs,
                  const std::function<void(std::size_t, std::size_t)>& body, std::size_t chunk) {
  if (count == 0) return;
  const std::size_t wanted = static_cast<std::size_t>(resolve_jobs(jobs));
  if (chunk == 0) chunk = std::max<std::size_t>(1, count / (8 * wanted));
  const std::size_t threads = std::min(wanted, (count + chunk - 1) / chunk);
  if (threads == 1) {
    for (std::size_t begin = 0; begin < count; begin += chunk)
      body(begin, std::min(count, begin + chunk));
    return;
  }

  std::atomic<std::size_t> next{0};
  std::exception_ptr first_failure;
  std::mutex failure_mutex;
  const std::function<void()> work = [&] {
    try {
      for (;;) {
        const std::size_t begin = next.fetch_add(chunk);
        if (begin >= count) return;
        body(begin, std::min(count, begin + chunk));
      }
    } catch (...) {
      next.store(count);
      const std::lock_guard lock(failure_mutex);
      if (!first_failure) first_failure = std::current_exception();
    }
  };
  if (!Helpers::shared().run(threads - 1, work)) {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  if (first_failure) std::rethrow_exception(first_failure);
}

}  // namespace commonplace

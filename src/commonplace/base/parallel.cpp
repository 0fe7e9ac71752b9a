#include "commonplace/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <sched.h>

namespace commonplace {

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
  auto work = [&] {
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
  {
    std::vector<std::jthread> pool;
    for (std::size_t i = 1; i < threads; ++i) pool.emplace_back(work);
    work();
  }
  if (first_failure) std::rethrow_exception(first_failure);
}

}  // namespace commonplace

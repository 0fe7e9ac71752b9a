#pragma once

#include <cstddef>
#include <functional>

namespace commonplace {

/// `jobs` if it is positive, otherwise the number of processors this process may use.
int resolve_jobs(int jobs);

/// Calls body(begin, end) over disjoint chunks that cover 0 .. count-1, on up to `jobs` threads.
/// Chunks are handed out as threads become free. The first exception stops the hand-out and is
/// rethrown here. `chunk` 0 lets it choose about eight chunks a thread.
void parallel_for(std::size_t count, int jobs,
                  const std::function<void(std::size_t begin, std::size_t end)>& body,
                  std::size_t chunk = 0);

}  // namespace commonplace

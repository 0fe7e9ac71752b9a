#include "commonplace/base/memory.h"

#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace commonplace {
namespace {

/// A line of /proc/self/status such as "VmHWM:   1234 kB".
std::int64_t status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  std::string name;
  while (status >> name) {
    if (name == field) {
      std::int64_t kilobytes = 0;
      status >> kilobytes;
      return kilobytes * 1024;
    }
    std::getline(status, name);
  }
  return 0;
}

}  // namespace

std::int64_t current_memory() { return status_bytes("VmRSS:"); }
std::int64_t peak_memory() { return status_bytes("VmHWM:"); }

void forget_peak_memory() {
  // "5" resets the high-water mark (proc(5)).
  std::ofstream("/proc/self/clear_refs") << "5";
}

void keep_freed_blocks() {
#ifdef __GLIBC__
  constexpr int kBlock = 32 << 20;  // the greatest that it takes
  mallopt(M_MMAP_THRESHOLD, kBlock);
  mallopt(M_TRIM_THRESHOLD, 2 * kBlock);
#endif
}

}  // namespace commonplace

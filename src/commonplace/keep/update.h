#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/keep/plan.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// A step that was done, or could not be.
struct KeptStep {
  std::string collection;
  std::string step;
  std::string why;
  std::string said;     ///< what was done
  std::string problem;  ///< why it could not be; empty: it was done
  double seconds = 0;
};

/// Lets one process at a time keep a library: holds LIB/upkeep.lock, which goes when the process
/// does.
class KeepLock {
 public:
  /// Nothing if another process has it.
  static std::optional<KeepLock> take(const Library& library);
  ~KeepLock();
  KeepLock(KeepLock&& other) noexcept;
  KeepLock& operator=(KeepLock&&) = delete;

 private:
  explicit KeepLock(int file) : file_(file) {}
  int file_;
};

/// Whether some process holds the lock.
bool is_kept_now(const Library& library);

/// Does whatever is out of date, step by step, and looks again after each, until nothing is due.
/// Each step is all or nothing or goes on where it was stopped, so that it may be killed at any
/// moment. A step that fails is told and not tried again by this call. `on_step` is told of each.
std::vector<KeptStep> bring_up_to_date(Library& library, const KeepTools& tools,
                                       const std::function<void(const KeptStep&)>& on_step,
                                       const Run& run);

}  // namespace commonplace

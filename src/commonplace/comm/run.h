#pragma once

#include "commonplace/base/progress.h"
#include "commonplace/comm/comm.h"

namespace commonplace {

/// Carries what all long work needs: the ranks that share it, the threads of this one, and who
/// watches. Without ranks the process is alone: `{}`, `{.jobs = 2}`; `{comm, jobs}` is quiet.
struct Run {
  Comm& comm = self_comm();
  int jobs = 0;  ///< threads of this rank, 0: all processors; does not change the result
  Progress progress = no_progress;  ///< it may throw Cancelled
};

}  // namespace commonplace

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/comm/comm.h"

namespace commonplace {

/// Ends the recording (Comm::record) and makes a timeline of it: on rank 0 the JSON that Chrome's
/// about:tracing and Perfetto show, a process for each rank, with the collective calls and the
/// computing between them; on the others an empty string. Collective. Rank 0 takes about 130 bytes
/// for a call of any rank, the others hold one rank's calls at a time.
std::string chrome_trace(Comm& comm);

/// Where a rank's time went.
struct RankTimes {
  int rank = 0;
  std::string host;
  double compute = 0;        ///< seconds outside collective calls
  double communication = 0;  ///< seconds in them, waiting included
  std::int64_t bytes = 0;    ///< received; see CommUse
  std::int64_t calls = 0;
};

/// The times of all ranks, in their order, on every rank. `seconds_in_all` is how long this rank
/// has been at work since its use of `comm` was `before`. Collective.
std::vector<RankTimes> rank_times(Comm& comm, double seconds_in_all, const CommUse& before = {});

}  // namespace commonplace

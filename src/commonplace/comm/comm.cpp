#include "commonplace/comm/comm.h"

#include <array>

#include <unistd.h>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/comm/range_counter.h"

namespace commonplace {

Comm::Call::~Call() {
  if (comm_.size() == 1) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  ++comm_.use_.calls;
  comm_.use_.bytes += bytes_;
  comm_.use_.seconds += seconds;
  if (!comm_.recording_) return;
  const double begin = std::chrono::duration<double>(begin_ - comm_.recording_began_).count();
  try {
    comm_.events_.push_back({name_, begin, seconds, bytes_});
  } catch (...) {
    // Without memory for it the timeline is short of an event; the work goes on.
  }
}

void Comm::record(bool on) {
  if (recording_) recording_ended_ = Clock::now();
  recording_ = false;
  if (!on) return;
  events_.clear();
  barrier();
  recording_began_ = Clock::now();
  recording_ = true;
}

double Comm::recorded_seconds() const {
  const Clock::time_point end = recording_ ? Clock::now() : recording_ended_;
  return std::chrono::duration<double>(end - recording_began_).count();
}

std::vector<std::string> SelfComm::gather_texts(std::string_view text) {
  return {std::string(text)};
}

std::unique_ptr<WorkCounter> SelfComm::share_work(std::int64_t count) {
  require(count >= 0, "cannot share out ", count, " pieces of work");
  return std::make_unique<detail::RangeCounter>(0, count);
}

int SelfComm::processors() const { return resolve_jobs(0); }

Comm& self_comm() {
  static SelfComm comm;
  return comm;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "an unnamed host";
  return name.data();
}

}  // namespace commonplace

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "commonplace/base/error.h"
#include "commonplace/comm/mpi/mpi_check.h"
#include "commonplace/comm/mpi/mpi_comm.h"
#include "commonplace/comm/range_counter.h"

namespace commonplace {
namespace {

using std::chrono::microseconds;

// Blocking calls of MPI spin, so whoever waits asks, and sleeps ever longer between.
constexpr microseconds shortest_sleep{20};
constexpr microseconds longest_sleep{200};

class Naps {
 public:
  void sleep() {
    std::this_thread::sleep_for(next_);
    next_ = std::min(2 * next_, longest_sleep);
  }
  void begin_again() { next_ = shortest_sleep; }

 private:
  microseconds next_ = shortest_sleep;
};

enum Tag { kRequest, kAnswer, kNoMore };

}  // namespace

/// Rank 0 has the numbers. A request and kNoMore are messages without content; the latter is a
/// rank's last. All travel on a communicator of their own.
class MpiComm::SharedWork final : public WorkCounter {
 public:
  SharedWork(MpiComm& comm, std::int64_t count) : owner_(comm), numbers_(0, count) {
    check(MPI_Comm_dup(comm.comm_, &comm_), "MPI_Comm_dup");
    if (owner_.rank() == 0) service_ = std::thread([this] { serve(); });
  }

  ~SharedWork() override {
    const bool unwinding = std::uncaught_exceptions() > exceptions_before_;
    const Call call(owner_, "end of work");
    if (unwinding) give_up_ = true;
    if (!unwinding && owner_.rank() != 0) MPI_Send(nullptr, 0, MPI_BYTE, 0, kNoMore, comm_);
    if (service_.joinable()) service_.join();
    // A rank that unwinds alone must not wait for the others.
    if (unwinding) return;
    MPI_Barrier(comm_);
    MPI_Comm_free(&comm_);
  }
  SharedWork(const SharedWork&) = delete;
  SharedWork& operator=(const SharedWork&) = delete;

  std::int64_t next() override {
    if (owner_.rank() == 0) return numbers_.next();
    // One question at a time, so that every thread gets its own answer.
    const std::lock_guard lock(mutex_);
    if (exhausted_) return -1;
    std::int64_t number = -1;
    MPI_Request answer = MPI_REQUEST_NULL;
    check(MPI_Irecv(&number, 1, MPI_INT64_T, 0, kAnswer, comm_, &answer), "MPI_Irecv");
    check(MPI_Send(nullptr, 0, MPI_BYTE, 0, kRequest, comm_), "MPI_Send");
    int arrived = 0;
    for (Naps naps;; naps.sleep()) {
      check(MPI_Test(&answer, &arrived, MPI_STATUS_IGNORE), "MPI_Test");
      if (arrived != 0) break;
    }
    exhausted_ = number < 0;
    return number;
  }

 private:
  void serve() {
    try {
      Naps naps;
      for (int asking = owner_.size() - 1; asking > 0 && !give_up_;) {
        int arrived = 0;
        MPI_Status status;
        check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &arrived, &status), "MPI_Iprobe");
        if (arrived == 0) {
          naps.sleep();
          continue;
        }
        naps.begin_again();
        check(MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm_,
                       MPI_STATUS_IGNORE),
              "MPI_Recv");
        if (status.MPI_TAG == kNoMore)
          --asking;
        else
          answer(status.MPI_SOURCE);
      }
    } catch (...) {
      // Those who wait for an answer would wait for ever.
      MPI_Abort(comm_, 1);
    }
  }

  void answer(int rank) {
    const std::int64_t number = numbers_.next();
    check(MPI_Send(&number, 1, MPI_INT64_T, rank, kAnswer, comm_), "MPI_Send");
  }

  MpiComm& owner_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  detail::RangeCounter numbers_;
  std::thread service_;
  std::atomic<bool> give_up_ = false;
  const int exceptions_before_ = std::uncaught_exceptions();
  std::mutex mutex_;
  bool exhausted_ = false;
};

std::unique_ptr<WorkCounter> MpiComm::share_work(std::int64_t count) {
  require(count >= 0, "cannot share out ", count, " pieces of work");
  const Call call(*this, "share_work");
  if (size_ == 1) return std::make_unique<detail::RangeCounter>(0, count);
  if (threads_may_call_) return std::make_unique<SharedWork>(*this, count);
  const RowRange mine = rows_of_rank(count, rank_, size_);
  return std::make_unique<detail::RangeCounter>(mine.begin, mine.end);
}

}  // namespace commonplace

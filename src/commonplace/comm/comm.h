#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// What the collective calls of a rank cost it. With one rank nothing is sent and nothing counted.
///
/// `bytes` is the payload that reaches this rank from the others, the same for threads and MPI: of
/// a sum or maximum of n values, the others' copies of this rank's share of the positions and the
/// totals of all other shares, together about 2 n (size - 1) / size values (exactly: see
/// detail::values_received); of a broadcast, its bytes on all ranks but the root; of a gathering,
/// what the others bring. Sizes that travel ahead and the numbers of a WorkCounter are not counted.
struct CommUse {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;
  double seconds = 0;  ///< inside the calls, waiting included
};

/// One collective call, of a recording.
struct CommEvent {
  const char* call = "";
  double begin = 0;  ///< seconds since the recording began
  double seconds = 0;
  std::int64_t bytes = 0;  ///< as in CommUse
};

/// Hands out pieces of work to whichever rank is free. Threads of one rank may share it. It must
/// not outlive its Comm, and is destroyed collectively: that may wait for the other ranks, but for
/// a rank that unwinds.
class WorkCounter {
 public:
  virtual ~WorkCounter() = default;
  /// A number that nobody else was or will be given, rising on each rank; -1, from then on, when
  /// none is left. Another rank's work never delays it. It throws if the ranks can no longer go on.
  virtual std::int64_t next() = 0;
};

/// The ranks that work on one problem, each on its own items. Serial code is the distributed code
/// with a communicator of size one. Every call is collective: all ranks make the same calls in the
/// same order with the same sizes, and all hold the same bits afterwards.
class Comm {
 public:
  virtual ~Comm() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Element-wise sum over the ranks, in place, added in rank order so that runs repeat exactly.
  virtual void sum(std::span<double> values) = 0;
  virtual void sum(std::span<std::int64_t> values) = 0;
  /// Element-wise maximum over the ranks, in place; a NaN on any rank gives NaN.
  virtual void max(std::span<double> values) = 0;
  /// `bytes` of rank `root` to everyone.
  virtual void broadcast_bytes(std::span<std::byte> bytes, int root) = 0;
  /// The rows of every rank, in rank order, on every rank. Ranks may have different numbers of
  /// rows, but the same number of columns; only a rank without rows may differ.
  virtual Matrix gather_rows(const Matrix& rows) = 0;
  /// The bytes of every rank, in rank order, on every rank; of any lengths.
  virtual std::vector<std::string> gather_texts(std::string_view text) = 0;
  /// Counts from 0 to count - 1; all ranks together are given each number once.
  virtual std::unique_ptr<WorkCounter> share_work(std::int64_t count) = 0;
  virtual void barrier() = 0;

  /// How many of the ranks, this one among them, run on this host.
  virtual int ranks_on_host() const = 0;
  /// How many threads this rank can run without taking processors from the other ranks of its host;
  /// at least one. A processor that several ranks may use is shared out among them.
  virtual int processors() const = 0;
  /// What carries the messages, with its version; empty if nothing outside this program does.
  virtual std::string library() const { return {}; }

  const CommUse& use() const { return use_; }
  double seconds() const { return use_.seconds; }

  /// Begins to keep every call as an event, forgetting earlier ones, or stops. Collective: the
  /// ranks' clocks all start when the last has come.
  void record(bool on);
  bool recording() const { return recording_; }
  /// How long the recording has been going, or went.
  double recorded_seconds() const;
  /// What was recorded, in order.
  std::span<const CommEvent> events() const { return events_; }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void broadcast(std::span<T> values, int root) {
    broadcast_bytes(std::as_writable_bytes(values), root);
  }
  template <class T>
  requires std::is_arithmetic_v<T> T broadcast(T value, int root) {
    broadcast(std::span<T>(&value, 1), root);
    return value;
  }
  void sum(MatrixD& matrix) {
    sum(std::span<double>(matrix.data(), static_cast<std::size_t>(matrix.size())));
  }
  double sum(double value) {
    sum(std::span<double>(&value, 1));
    return value;
  }

 protected:
  using Clock = std::chrono::steady_clock;

  /// Counts, times and records one call, from its construction to its destruction.
  class Call {
   public:
    Call(Comm& comm, const char* name, std::int64_t bytes = 0)
        : comm_(comm), name_(name), bytes_(bytes) {}
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    /// For calls that learn only on their way how much they receive.
    void received(std::int64_t bytes) { bytes_ += bytes; }

   private:
    Comm& comm_;
    const char* name_;
    std::int64_t bytes_;
    Clock::time_point begin_ = Clock::now();
  };

 private:
  CommUse use_;
  bool recording_ = false;
  Clock::time_point recording_began_;
  Clock::time_point recording_ended_;
  std::vector<CommEvent> events_;
};

/// A communicator of one.
class SelfComm final : public Comm {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void sum(std::span<double>) override {}
  void sum(std::span<std::int64_t>) override {}
  void max(std::span<double>) override {}
  void broadcast_bytes(std::span<std::byte>, int) override {}
  Matrix gather_rows(const Matrix& rows) override { return rows; }
  std::vector<std::string> gather_texts(std::string_view text) override;
  std::unique_ptr<WorkCounter> share_work(std::int64_t count) override;
  void barrier() override {}
  int ranks_on_host() const override { return 1; }
  int processors() const override;

  using Comm::sum;
};

/// Gives the communicator of a process on its own; any thread may use it.
Comm& self_comm();

/// The name of the machine this process runs on.
std::string host_name();

/// Runs `body` once per rank, each on a thread of its own, and returns when all have ended. If one
/// throws, the others are released from whatever call they wait in (by an exception that is not a
/// std::exception; let it pass), and the first exception is rethrown: a failing rank never hangs
/// the rest. Nor does one that makes another call than the rest, or too few: that is an Error.
/// A sum or a maximum of n values costs each rank about 2 n reads and no memory.
void run_as_threads(int ranks, const std::function<void(Comm&)>& body);

/// The rows [begin, end) of `count` that belong to `rank` of `size`: contiguous, in rank order,
/// sizes differing by at most one.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
RowRange rows_of_rank(std::int64_t count, int rank, int size);

}  // namespace commonplace

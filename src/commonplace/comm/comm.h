#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>

#include "commonplace/base/matrix.h"

namespace commonplace {

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
  virtual void barrier() = 0;

  /// Seconds spent inside the calls above, waiting included.
  double seconds() const { return seconds_; }

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
  /// Adds its own lifetime to seconds_.
  class Stopwatch {
   public:
    explicit Stopwatch(Comm& comm) : comm_(comm) {}
    ~Stopwatch() { comm_.seconds_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

   private:
    using Clock = std::chrono::steady_clock;
    Comm& comm_;
    Clock::time_point begin_ = Clock::now();
  };

  double seconds_ = 0;
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
  void barrier() override {}

  using Comm::sum;
};

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

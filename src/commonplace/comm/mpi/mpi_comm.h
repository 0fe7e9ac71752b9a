#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "commonplace/comm/comm.h"

namespace commonplace {

/// The ranks of an MPI job. Sums are added in rank order, so they are the same bits on every rank,
/// in every run, and with run_as_threads of the same size. For that each rank is sent its share of
/// the positions by everyone, adds it up, and sends the result to everyone: 2 n (size - 1) / size
/// values each way for n values, what the best all-reduce needs too, against two steps of latency.
/// Long arrays travel in pieces, so the memory taken is at most 8 MiB and no count overflows an
/// int. Texts and rows that are gathered may be of any size, too. An error of MPI is thrown as
/// Error. That all ranks make the same calls with the same sizes is not checked here
/// (run_as_threads does).
class MpiComm final : public Comm {
 public:
  /// Works on a duplicate, so that its messages meet no others on `parent`.
  explicit MpiComm(MPI_Comm parent);
  ~MpiComm() override;
  MpiComm(const MpiComm&) = delete;
  MpiComm& operator=(const MpiComm&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  using Comm::sum;
  void sum(std::span<double> values) override;
  void sum(std::span<std::int64_t> values) override;
  void max(std::span<double> values) override;
  void broadcast_bytes(std::span<std::byte> bytes, int root) override;
  Matrix gather_rows(const Matrix& rows) override;
  std::vector<std::string> gather_texts(std::string_view text) override;
  /// Rank 0 answers the others from a thread of its own, that mostly sleeps. Where MPI does not let
  /// several threads call it, every rank is given a fixed share instead.
  std::unique_ptr<WorkCounter> share_work(std::int64_t count) override;
  void barrier() override;
  int ranks_on_host() const override { return ranks_on_host_; }
  int processors() const override { return processors_; }
  std::string library() const override;

 private:
  class SharedWork;
  template <class T, class Operation>
  void reduce(std::span<T> values, const char* name, Operation operation);
  template <class T, class Operation>
  void reduce_piece(std::span<T> values, std::span<T> received, Operation operation);
  void send_to_all(std::span<std::byte> bytes, int root);
  std::vector<std::string> gather_short_texts(std::string_view text,
                                              std::span<const std::int64_t> lengths);
  void look_around_host();

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int ranks_on_host_ = 1;
  int processors_ = 1;
  bool threads_may_call_ = false;
};

/// MPI, from its initialisation to its finalisation. One in a process, made by `main`. It asks for
/// MPI_THREAD_MULTIPLE, for the sake of share_work, and is content with MPI_THREAD_FUNNELED; the
/// collective calls belong to the thread that made it in any case. It undoes the binding to
/// processors that Open MPI's mpirun does unasked. Where MPI runs already, it is used and left
/// running.
class MpiSession {
 public:
  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

 private:
  bool owner_ = false;
};

inline constexpr int kEveryRank = -1;

/// Told why a run fails, before it ends: on the rank that failed, with its number, or on rank 0
/// with kEveryRank where all failed with the same message.
using FailureHandler = std::function<void(int rank, const std::string& message)>;

/// What `main` of an MPI program calls: runs `body` on every rank and returns its result, the exit
/// status. Whatever a body throws is caught, and `on_failure` is told. If the other ranks fail too
/// within a second, all return 1; otherwise the whole job is aborted, so that a failing rank never
/// leaves the rest waiting.
int run_mpi(int& argc, char**& argv, const std::function<int(Comm&)>& body,
            const FailureHandler& on_failure);

}  // namespace commonplace

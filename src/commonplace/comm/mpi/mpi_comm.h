#pragma once

#include <functional>
#include <string>

#include <mpi.h>

#include "commonplace/comm/comm.h"

namespace commonplace {

/// The ranks of an MPI job. Sums are added in rank order, so they are the same bits on every rank,
/// in every run, and with run_as_threads of the same size. For that each rank is sent its share of
/// the positions by everyone, adds it up, and sends the result to everyone: 2 n (size - 1) / size
/// values each way for n values, what the best all-reduce needs too, against two steps of latency.
/// Long arrays travel in pieces, so the memory taken is at most 8 MiB and no count overflows an
/// int. An error of MPI is thrown as Error. That all ranks make the same calls with the same sizes
/// is not checked here (run_as_threads does).
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
  void barrier() override;

 private:
  template <class T, class Operation>
  void reduce(std::span<T> values, Operation operation);
  template <class T, class Operation>
  void reduce_piece(std::span<T> values, std::span<T> received, Operation operation);
  void send_to_all(std::span<std::byte> bytes, int root);

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

/// MPI, from its initialisation to its finalisation. One in a process, made by `main`; only the
/// thread that made it may call MPI. Where MPI runs already, it is used and left running.
class MpiSession {
 public:
  MpiSession(int& argc, char**& argv);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

 private:
  bool owner_ = false;
};

/// Told of the failure of this rank, before the job is ended.
using FailureHandler = std::function<void(int rank, const std::string& message)>;

/// What `main` of an MPI program calls: runs `body` on every rank and returns its result, the exit
/// status. Whatever a body throws is caught, `on_failure` is told, and the whole job is aborted, so
/// that a failing rank never leaves the rest waiting. A job of one rank returns 1 instead.
int run_mpi(int& argc, char**& argv, const std::function<int(Comm&)>& body,
            const FailureHandler& on_failure);

}  // namespace commonplace

#pragma once

#include <cstdio>
#include <functional>
#include <span>
#include <string>

#include "commonplace/base/error.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/mpi/mpi_comm.h"

namespace commonplace::test {

/// Runs a test as `main` of a program under mpirun: `PROGRAM <ranks>` calls `compare` on every rank
/// of so many. What it throws is told with the rank, and fails the test.
inline int run_on_ranks(int argc, char** argv, const std::function<void(Comm&)>& compare) {
  return run_mpi(
      argc, argv,
      [&](Comm& comm) {
        require(argc == 2, "give the number of ranks");
        require(comm.size() == std::stoi(argv[1]), "there are ", comm.size(), " ranks");
        compare(comm);
        return 0;
      },
      [](int rank, const std::string& message) {
        std::fprintf(stderr, "rank %d failed: %s\n", rank, message.c_str());
      });
}

/// Requires that a matrix or a text has the same bits on all ranks.
template <class Values>
void require_same_on_all(const std::string& what, const Values& values, Comm& comm) {
  Values first = values;
  comm.broadcast(std::span(first.data(), static_cast<std::size_t>(first.size())), 0);
  require(first == values, what, ": rank ", comm.rank(), " holds others than rank 0");
}

/// Requires that no entry is off by `tolerance` or more, relative to the largest expected.
template <class Values>
void require_near(const std::string& what, const Values& found, const Values& expected,
                  double tolerance) {
  require(found.rows() == expected.rows() && found.cols() == expected.cols(), what, " are ",
          found.rows(), " x ", found.cols());
  const auto difference = static_cast<double>((found - expected).cwiseAbs().maxCoeff() /
                                              expected.cwiseAbs().maxCoeff());
  require(difference < tolerance, what, " differ by ", difference);
}

inline void require_near(const std::string& what, double found, double expected, double tolerance) {
  require_near(what, MatrixD::Constant(1, 1, found).eval(),
               MatrixD::Constant(1, 1, expected).eval(), tolerance);
}

/// Requires that all ranks hold the same bits, and about what one process finds.
template <class Values>
void require_agreement(const std::string& what, const Values& together, const Values& alone,
                       double tolerance, Comm& comm) {
  require_same_on_all(what, together, comm);
  require_near(what, together, alone, tolerance);
}

}  // namespace commonplace::test

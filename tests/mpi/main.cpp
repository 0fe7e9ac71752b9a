// Run under mpirun: `mpi_ranks learners <ranks>` compares what learners find on all ranks with what
// one process finds; `check <ranks>` checks what every Comm must do, and that it has that many
// ranks on one host; `check-hosts <ranks>` the same with one rank on each host; `fail <rank>`
// throws on that rank while the others wait; `fail-at-work <rank>` while they draw numbers;
// `fail-all <ranks>` throws on all; `wait <rank>` sleeps on that rank for ever while the others
// wait for it.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include <unistd.h>

#include "commonplace/comm/mpi/mpi_comm.h"
#include "tests/comm/collective_checks.h"
#include "tests/mpi/frame.h"

namespace {

void compare_learners(commonplace::Comm& comm) {
  commonplace::shared_subspace_on_ranks::compare(comm);
  commonplace::tag_latents_on_ranks::compare(comm);
  commonplace::softmax_gp_on_ranks::compare(comm);
  commonplace::eigenmaps_on_ranks::compare(comm);
  commonplace::guided_projection_on_ranks::compare(comm);
  commonplace::transitive_transfer_on_ranks::compare(comm);
}

int run(int argc, char** argv, commonplace::Comm& comm) {
  commonplace::require(argc == 3, "give a verb and a number");
  const std::string verb = argv[1];
  const int number = std::stoi(argv[2]);
  if (verb == "fail") commonplace::fail_on_one_rank(comm, number);
  if (verb == "fail-at-work") commonplace::fail_at_work_on_one_rank(comm, number);
  if (verb == "fail-all") commonplace::fail("injected on all ", number);
  if (verb == "wait") {
    if (comm.rank() == number) std::printf("rank %d is process %d\n", number, ::getpid());
    std::fflush(stdout);
    while (comm.rank() == number) std::this_thread::sleep_for(std::chrono::seconds(1));
    comm.barrier();
  }
  commonplace::require(comm.size() == number, "there are ", comm.size(), " ranks");
  if (verb == "learners") {
    compare_learners(comm);
    return 0;
  }
  commonplace::require(verb == "check" || verb == "check-hosts", "unknown verb ", verb);
  commonplace::require(comm.ranks_on_host() == (verb == "check" ? number : 1), "there are ",
                       comm.ranks_on_host(), " ranks on this host");
  commonplace::require(!comm.library().empty(), "the MPI library has no name");
  commonplace::check_collectives(comm);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return commonplace::run_mpi(
      argc, argv, [&](commonplace::Comm& comm) { return run(argc, argv, comm); },
      [](int rank, const std::string& message) {
        if (rank == commonplace::kEveryRank)
          std::fprintf(stderr, "every rank failed: %s\n", message.c_str());
        else
          std::fprintf(stderr, "rank %d failed: %s\n", rank, message.c_str());
      });
}

// Run under mpirun: `mpi_collectives check <ranks>` checks what every Comm must do, and that it has
// that many ranks; `mpi_collectives fail <rank>` throws on that rank while the others wait.
#include <cstdio>
#include <string>

#include "commonplace/comm/mpi/mpi_comm.h"
#include "tests/comm/collective_checks.h"

namespace {

int run(int argc, char** argv, commonplace::Comm& comm) {
  commonplace::require(argc == 3, "give check <ranks> or fail <rank>");
  const std::string verb = argv[1];
  const int number = std::stoi(argv[2]);
  if (verb == "fail") commonplace::fail_on_one_rank(comm, number);
  commonplace::require(verb == "check", "unknown verb ", verb);
  commonplace::require(comm.size() == number, "there are ", comm.size(), " ranks");
  commonplace::check_collectives(comm);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return commonplace::run_mpi(
      argc, argv, [&](commonplace::Comm& comm) { return run(argc, argv, comm); },
      [](int rank, const std::string& message) {
        std::fprintf(stderr, "rank %d failed: %s\n", rank, message.c_str());
      });
}

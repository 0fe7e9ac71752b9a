// The program for clusters, run by mpirun.
#include <exception>
#include <string>

#include "app/cli/run.h"
#include "app/cli/terminal.h"
#include "commonplace/comm/mpi/mpi_comm.h"
#include "commonplace/encode/worker.h"

int main(int argc, char** argv) {
  if (commonplace::is_worker(argc, argv)) return commonplace::serve_worker();
  int size = 1;
  try {
    return commonplace::run_mpi(
        argc, argv,
        [&](commonplace::Comm& comm) {
          size = comm.size();
          return commonplace::app::run(argc, argv, comm);
        },
        [&](int rank, const std::string& message) {
          commonplace::app::report_failure(rank, size, message);
        });
  } catch (const std::exception& error) {
    commonplace::app::warn(std::string("commonplace: ") + error.what());
    return commonplace::app::kFailure;
  }
}

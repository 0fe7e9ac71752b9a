#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include <sched.h>
#include <unistd.h>

#include "commonplace/base/error.h"
#include "commonplace/comm/mpi/mpi_check.h"
#include "commonplace/comm/mpi/mpi_comm.h"

namespace commonplace {
namespace {

constexpr std::chrono::seconds patience{1};

/// True once all ranks have failed; false if some have not within the time.
bool all_fail(MPI_Comm failures) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Ibarrier(failures, &request) != MPI_SUCCESS) return false;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    int done = 0;
    if (MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (done != 0) return true;
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

/// All ranks have failed, and are here: what each says is told once.
void tell_together(MpiComm& comm, const std::string& message, const FailureHandler& on_failure) {
  const std::vector<std::string> messages = comm.gather_texts(message);
  const auto first = std::find(messages.begin(), messages.end(), message);
  if (first - messages.begin() != comm.rank()) return;
  const bool alike = std::count(messages.begin(), messages.end(), message) == comm.size();
  on_failure(alike ? kEveryRank : comm.rank(), message);
}

/// Open MPI's mpirun binds a rank to one processor or socket unless it is told otherwise, however
/// few ranks a host has. Ranks here have threads, so one that was bound without being asked for may
/// use again what mpirun itself may.
void undo_unasked_binding() {
  if (std::getenv("OMPI_MCA_orte_bound_at_launch") == nullptr) return;
  for (const char* request :
       {"OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_hwloc_base_cpu_list",
        "OMPI_MCA_rmaps_base_mapping_policy", "OMPI_MCA_rmaps_base_cpus_per_rank",
        "OMPI_MCA_rmaps_rank_file_path", "OMPI_MCA_orte_rankfile"})
    if (std::getenv(request) != nullptr) return;
  cpu_set_t of_mpirun;
  CPU_ZERO(&of_mpirun);
  if (sched_getaffinity(getppid(), sizeof of_mpirun, &of_mpirun) == 0)
    sched_setaffinity(0, sizeof of_mpirun, &of_mpirun);
}

}  // namespace

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  fail(call, " failed: ", std::string(text.data(), static_cast<std::size_t>(length)));
}

MpiSession::MpiSession(int& argc, char**& argv) {
  int running = 0;
  MPI_Initialized(&running);
  if (running != 0) return;
  undo_unasked_binding();
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  owner_ = true;
  if (provided >= MPI_THREAD_FUNNELED) return;
  MPI_Finalize();
  fail("this MPI does not go with threads (it offers level ", provided, ", ", MPI_THREAD_FUNNELED,
       " is needed); install one that offers MPI_THREAD_FUNNELED");
}

MpiSession::~MpiSession() {
  if (owner_) MPI_Finalize();
}

int run_mpi(int& argc, char**& argv, const std::function<int(Comm&)>& body,
            const FailureHandler& on_failure) {
  const MpiSession session(argc, argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm failures = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &failures);
  std::string message = "an exception that says nothing of itself";
  try {
    MpiComm comm(MPI_COMM_WORLD);
    const int status = body(comm);
    MPI_Comm_free(&failures);
    return status;
  } catch (const std::exception& failure) {
    message = failure.what();
  } catch (...) {
  }
  bool together = false;
  try {
    together = size > 1 && all_fail(failures);
    if (together) {
      MpiComm comm(failures);
      tell_together(comm, message, on_failure);
      comm.barrier();
    } else {
      on_failure(rank, message);
    }
  } catch (...) {
    // The job must end even if nobody can be told why.
  }
  if (size > 1 && !together) MPI_Abort(MPI_COMM_WORLD, 1);
  return 1;
}

}  // namespace commonplace

#pragma once

#include <filesystem>
#include <functional>

#include "commonplace/comm/comm.h"
#include "commonplace/library/library.h"

namespace commonplace::test {

/// Runs `body` on so many ranks, each with the library at `path` opened by itself, as the ranks of
/// an MPI job do: rank 0 to write, the others to read.
inline void with_rank_libraries(int ranks, const std::filesystem::path& path,
                                const std::function<void(Comm&, Library&)>& body) {
  run_as_threads(ranks, [&](Comm& comm) {
    Library library(path, comm.rank() == 0 ? Library::Access::write : Library::Access::read);
    body(comm, library);
  });
}

}  // namespace commonplace::test

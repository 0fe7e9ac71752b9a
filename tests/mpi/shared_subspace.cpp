// Fits two collections, each rank with its own
// items, and compares the result with that of one process and with every other rank's.
#include "commonplace/search/core/shared_subspace.h"

#include <string>

#include "commonplace/base/rng.h"
#include "tests/mpi/frame.h"

namespace commonplace {
namespace shared_subspace_on_ranks {

using namespace search;

constexpr std::int64_t kTerms = 40;

/// Items begin .. end-1 of a made collection.
Sparse items(std::uint64_t seed, RowRange range) {
  Sparse result;
  result.columns = kTerms;
  for (std::int64_t row = range.begin; row < range.end; ++row) {
    for (std::int32_t term = 0; term < kTerms; ++term) {
      const bool of_topic = term / 8 == row % 5;
      const double draw =
          random_uniform(seed, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(term));
      if (draw < (of_topic ? 0.8 : 0.05)) result.push(term, static_cast<float>(0.5 + draw));
    }
    result.end_row();
  }
  return result;
}

SharedSubspaceFit fit(Comm& comm, const std::string& solver) {
  const Sparse target = items(1, rows_of_rank(90, comm.rank(), comm.size()));
  const Sparse auxiliary = items(2, rows_of_rank(3, comm.rank(), comm.size()));
  const SparseView views[] = {target.view(), auxiliary.view()};
  SharedSubspaceOptions options;
  options.solver = solver;
  options.iterations = 20;
  options.tolerance = 0;
  return fit_shared_subspace(views, shared_blocks(2, 6, 4, 3), options, {comm, 1});
}

void compare(Comm& comm) {
  for (const std::string solver : {"hals", "mu"}) {
    SelfComm self;
    const SharedSubspaceFit alone = fit(self, solver);
    const SharedSubspaceFit together = fit(comm, solver);
    test::require_agreement(solver + ": the bases", together.model.basis, alone.model.basis, 1e-3,
                            comm);
    for (std::size_t d = 0; d < 2; ++d)
      test::require_near(solver + ": the codes of collection " + std::to_string(d),
                         comm.gather_rows(together.codes[d]), alone.codes[d], 1e-3);
    test::require_near(solver + ": the objectives", together.report.objective.back(),
                       alone.report.objective.back(), 1e-5);
  }
}

}  // namespace shared_subspace_on_ranks
}  // namespace commonplace

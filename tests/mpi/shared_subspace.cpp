// Run under mpirun: `mpi_shared_subspace <ranks>` fits two collections, each rank with its own
// items, and compares the result with that of one process and with every other rank's.
#include "commonplace/search/core/shared_subspace.h"

#include <cmath>
#include <cstdio>
#include <string>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/comm/mpi/mpi_comm.h"

namespace commonplace {
namespace {

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

SharedSubspaceFit fit(Comm& comm, int rank, int size, const std::string& solver) {
  const Sparse target = items(1, rows_of_rank(90, rank, size));
  const Sparse auxiliary = items(2, rows_of_rank(3, rank, size));
  const SparseView views[] = {target.view(), auxiliary.view()};
  SharedSubspaceOptions options;
  options.solver = solver;
  options.iterations = 20;
  options.tolerance = 0;
  options.jobs = 1;
  return fit_shared_subspace(views, shared_blocks(2, 6, 4, 3), options, comm);
}

/// The largest difference, relative to the largest entry of b.
double difference(const Matrix& a, const Matrix& b) {
  return static_cast<double>((a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff());
}

void check_same_on_all(const Matrix& matrix, Comm& comm) {
  Matrix first = matrix;
  comm.broadcast(std::span<float>(first.data(), static_cast<std::size_t>(first.size())), 0);
  require(first == matrix, "rank ", comm.rank(), " holds another model than rank 0");
}

int run(int argc, char** argv, Comm& comm) {
  require(argc == 2, "give the number of ranks");
  require(comm.size() == std::stoi(argv[1]), "there are ", comm.size(), " ranks");
  for (const std::string solver : {"hals", "mu"}) {
    SelfComm self;
    const SharedSubspaceFit alone = fit(self, 0, 1, solver);
    const SharedSubspaceFit together = fit(comm, comm.rank(), comm.size(), solver);
    check_same_on_all(together.model.basis, comm);
    const double basis = difference(together.model.basis, alone.model.basis);
    require(basis < 1e-3, solver, ": the basis differs by ", basis);
    for (std::size_t d = 0; d < 2; ++d) {
      const double codes = difference(comm.gather_rows(together.codes[d]), alone.codes[d]);
      require(codes < 1e-3, solver, ": the codes of collection ", d, " differ by ", codes);
    }
    const double objective = together.report.objective.back() / alone.report.objective.back() - 1;
    require(std::abs(objective) < 1e-5, solver, ": the objective differs by ", objective);
  }
  return 0;
}

}  // namespace
}  // namespace commonplace

int main(int argc, char** argv) {
  return commonplace::run_mpi(
      argc, argv, [&](commonplace::Comm& comm) { return commonplace::run(argc, argv, comm); },
      [](int rank, const std::string& message) {
        std::fprintf(stderr, "rank %d failed: %s\n", rank, message.c_str());
      });
}

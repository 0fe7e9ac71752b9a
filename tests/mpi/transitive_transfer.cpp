// Run under mpirun: `mpi_transitive_transfer <ranks>` transfers classes along a chain of
// collections, each rank with its own items of all of them, and compares the answer with that of
// one process.
#include <cstdio>
#include <string>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/comm/mpi/mpi_comm.h"
#include "commonplace/transfer/core/transitive_transfer.h"
#include "tests/support/planted_chain.h"

namespace commonplace {
namespace {

const test::PlantedChain kChain{.collections = 4, .classes = 3, .items = 101, .noise = 0.3};

struct Outcome {
  std::vector<MatrixD> classes;
  double objective = 0;
};

Outcome transfer(Comm& comm, RowRange range) {
  std::vector<Sparse> rows;
  for (std::int64_t which = 0; which < kChain.collections; ++which)
    rows.push_back(kChain.rows(which, range.begin, range.end));
  const std::vector<TransferCollection> sources = {
      {rows[0].view(), kChain.labels(range.begin, range.end)}};
  std::vector<TransferCollection> path;
  for (std::size_t which = 1; which < rows.size(); ++which)
    path.push_back({rows[which].view(), {}});
  TransferOptions options;
  options.factors.iterations = 20;
  options.factors.jobs = 1;
  options.naive_bayes.jobs = 1;
  const Transfer found = transfer_classes(sources, path, kChain.classes, options, comm);
  return {found.classes, found.stages.back().report.objective.back()};
}

int run(int argc, char** argv, Comm& comm) {
  require(argc == 2, "give the number of ranks");
  require(comm.size() == std::stoi(argv[1]), "there are ", comm.size(), " ranks");
  SelfComm self;
  const Outcome alone = transfer(self, {0, kChain.items});
  const RowRange range = rows_of_rank(kChain.items, comm.rank(), comm.size());
  const Outcome together = transfer(comm, range);
  for (std::size_t step = 0; step < together.classes.size(); ++step) {
    const double difference = (together.classes[step] -
                               alone.classes[step].middleRows(range.begin, range.end - range.begin))
                                  .cwiseAbs()
                                  .maxCoeff();
    require(difference < 1e-7, "the classes of collection ", step, " differ by ", difference);
  }
  double first = together.objective;
  comm.broadcast(std::span<double>(&first, 1), 0);
  require(first == together.objective, "rank ", comm.rank(), " has another objective than rank 0");
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

// Transfers classes along a chain of
// collections, each rank with its own items of all of them, and compares the answer with that of
// one process.
#include "commonplace/transfer/core/transitive_transfer.h"

#include <string>
#include <vector>

#include "tests/mpi/frame.h"
#include "tests/support/planted_chain.h"

namespace commonplace {
namespace transitive_transfer_on_ranks {

using namespace transfer;

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
  transfer::Options options;
  options.factors.iterations = 20;
  const Transfer found = transfer_classes(sources, path, kChain.classes, options, {comm, 1});
  return {found.classes, found.stages.back().report.objective.back()};
}

void compare(Comm& comm) {
  SelfComm self;
  const Outcome alone = transfer(self, {0, kChain.items});
  const RowRange range = rows_of_rank(kChain.items, comm.rank(), comm.size());
  const Outcome together = transfer(comm, range);
  for (std::size_t step = 0; step < together.classes.size(); ++step) {
    const MatrixD expected = alone.classes[step].middleRows(range.begin, range.end - range.begin);
    test::require_near("the classes of collection " + std::to_string(step), together.classes[step],
                       expected, 1e-7);
  }
  test::require_same_on_all("the objectives", std::vector<double>{together.objective}, comm);
}

}  // namespace transitive_transfer_on_ranks
}  // namespace commonplace

// Run under mpirun: `mpi_eigenmaps <ranks>` learns the spaces that concepts are detected in, each
// rank from its own items, and compares them with those of one process and with every other rank's.
#include <cstdio>
#include <string>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/comm/mpi/mpi_comm.h"
#include "commonplace/detect/core/anchor_eigenmaps.h"
#include "commonplace/detect/core/axis_eigenmaps.h"
#include "commonplace/detect/core/graph_diffusion.h"

namespace commonplace {
namespace {

constexpr std::int64_t kItems = 203;
constexpr Eigen::Index kColumns = 7;

/// Items begin .. end-1, in three groups.
Matrix rows_in(RowRange range) {
  Matrix rows(range.end - range.begin, kColumns);
  for (std::int64_t item = range.begin; item < range.end; ++item)
    for (Eigen::Index j = 0; j < kColumns; ++j)
      rows(item - range.begin, j) = static_cast<float>(
          random_uniform(1, static_cast<std::uint64_t>(item), static_cast<std::uint64_t>(j)) +
          (item % 3 == j ? 2.0 : 0.0) + 0.1 * static_cast<double>(j));
  return rows;
}

/// What each space makes of the same new items.
struct Learned {
  Matrix axis;
  Matrix anchors;
  Matrix smoothed;
};

Learned learn(Comm& comm, int rank, int size) {
  const Matrix rows = rows_in(rows_of_rank(kItems, rank, size));
  const Matrix asked = rows_in({kItems, kItems + 20});
  AxisEigenmapOptions axis;
  axis.count = 12;
  axis.jobs = 1;
  AnchorEigenmapOptions anchors;
  anchors.anchors = 15;
  anchors.count = 14;  // all, as near ones may mix
  anchors.jobs = 1;
  GraphDiffusionOptions smoothing;
  smoothing.jobs = 1;
  return {encode(fit_axis_eigenmaps(rows, axis, comm).model, asked, 1),
          encode(fit_anchor_eigenmaps(rows, anchors, comm).model, asked, 1),
          encode(fit_graph_diffusion(rows, smoothing, comm).model, asked, {}, 1)};
}

/// Error unless all ranks hold the same bits, and about what one process finds.
void check(const char* what, const Matrix& together, const Matrix& alone, Comm& comm) {
  Matrix first = together;
  comm.broadcast(std::span<float>(first.data(), static_cast<std::size_t>(first.size())), 0);
  require(first == together, what, ": rank ", comm.rank(), " holds others than rank 0");
  require(together.rows() == alone.rows() && together.cols() == alone.cols(), what, " are ",
          together.rows(), " x ", together.cols());
  const float difference = (together - alone).cwiseAbs().maxCoeff() / alone.cwiseAbs().maxCoeff();
  require(difference < 1e-4F, what, " differ by ", difference);
}

int run(int argc, char** argv, Comm& comm) {
  require(argc == 2, "give the number of ranks");
  require(comm.size() == std::stoi(argv[1]), "there are ", comm.size(), " ranks");
  SelfComm self;
  const Learned alone = learn(self, 0, 1);
  const Learned together = learn(comm, comm.rank(), comm.size());
  check("the eigenfunctions of axes", together.axis, alone.axis, comm);
  check("the products on the anchor graph", together.anchors * together.anchors.transpose(),
        alone.anchors * alone.anchors.transpose(), comm);
  check("the smoothed features", together.smoothed, alone.smoothed, comm);
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

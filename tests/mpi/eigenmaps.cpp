// Learns the spaces that concepts are detected in, each
// rank from its own items, and compares them with those of one process and with every other rank's.
#include <string>

#include "commonplace/base/rng.h"
#include "commonplace/detect/core/anchor_eigenmaps.h"
#include "commonplace/detect/core/axis_eigenmaps.h"
#include "commonplace/detect/core/graph_diffusion.h"
#include "tests/mpi/frame.h"

namespace commonplace {
namespace eigenmaps_on_ranks {

using namespace detect;

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

Learned learn(Comm& comm) {
  const Matrix rows = rows_in(rows_of_rank(kItems, comm.rank(), comm.size()));
  const Matrix asked = rows_in({kItems, kItems + 20});
  AxisEigenmapOptions axis;
  axis.count = 12;
  AnchorEigenmapOptions anchors;
  anchors.anchors = 15;
  anchors.count = 14;  // all, as near ones may mix
  GraphDiffusionOptions smoothing;
  return {encode(fit_axis_eigenmaps(rows, axis, {comm, 1}).model, asked, 1),
          encode(fit_anchor_eigenmaps(rows, anchors, {comm, 1}).model, asked, 1),
          encode(fit_graph_diffusion(rows, smoothing, {comm, 1}).model, asked, {}, 1)};
}

void compare(Comm& comm) {
  SelfComm self;
  const Learned alone = learn(self);
  const Learned together = learn(comm);
  test::require_agreement("the eigenfunctions of axes", together.axis, alone.axis, 1e-4, comm);
  test::require_agreement<Matrix>("the products on the anchor graph",
                                  together.anchors * together.anchors.transpose(),
                                  alone.anchors * alone.anchors.transpose(), 1e-4, comm);
  test::require_agreement("the smoothed features", together.smoothed, alone.smoothed, 1e-4, comm);
}

}  // namespace eigenmaps_on_ranks
}  // namespace commonplace

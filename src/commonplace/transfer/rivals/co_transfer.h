#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"

namespace commonplace::transfer {

/// Co-transfer (Ng, Wu and Ye 2012): labels walk within and between collections, as coupled Markov
/// chains that begin again at the labelled items.
struct CoTransferOptions {
  double restart = 0.1;     ///< chance of beginning again at each step; in (0, 1]
  double tolerance = 1e-8;  ///< stop when no distribution changes by more than this, summed
  int iterations = 1000;    ///< at most
};

/// The ways from the items of one collection to those of another, or of the same. A walk goes them
/// in this direction only: give the transpose too for the way back.
struct CoTransferBlock {
  std::size_t from = 0;
  std::size_t to = 0;
  Sparse ties;        ///< items of `from` x items of `to`, finite and not below 0
  double weight = 1;  ///< relative to the other blocks that lead to the same collection
};

struct CoTransfer {
  /// Of each collection, items x classes. Each class of a collection is scaled to the same sum and
  /// then each row to the sum 1; rows that no walk comes to are uniform.
  std::vector<Matrix> scores;
  /// The distributions x themselves, items x classes.
  std::vector<MatrixD> visits;
  Convergence report;  ///< the objective is the largest change of a distribution
};

/// For each class the fixed point of x_b = (1 - restart) Σ_a λ_ba P_ba x_a + restart d_b over the
/// collections: P_ba has the ties from a to b scaled so that what leaves an item adds up to one (or
/// is nothing, if it has no ties in the block), λ_ba are the weights of the blocks into b, which
/// add up to 1, and d_b is uniform over the items of b with that label, or 0 if there are none. So
/// each x_b is a distribution where all items have ties and all collections have labels, and is
/// less elsewhere. `labels` has a list for each collection, with an entry for each item: 0 ..
/// classes - 1 or -1 for none. O(nonzeros classes) a step, at most ln(tolerance) / ln(1 - restart)
/// steps.
CoTransfer co_transfer(std::span<const CoTransferBlock> blocks,
                       std::span<const std::vector<std::int32_t>> labels, std::int64_t classes,
                       const CoTransferOptions& options = {}, const Run& run = {});

/// Rows scaled to the sum 1, what is below 0 as 0; uniform where nothing is above 0.
Matrix class_shares(const Eigen::Ref<const MatrixD>& scores);

}  // namespace commonplace::transfer

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"

namespace commonplace::transfer {

/// Labelled items, or items to be labelled: this rank's.
struct LabelledItems {
  SparseView items;
  std::span<const std::int32_t> labels;  ///< -1: not known
};

/// What is known of items that stand in several collections, told by equal rows.
struct SameItems {
  std::int64_t found = 0;  ///< items to be labelled that a labelled one equals, over all ranks
  /// Share of the pairs of equal labelled items that have equal labels, of which nine in ten are
  /// taken to before any is seen.
  double reliability = 0.9;
};

/// Moves the probabilities of unlabelled items towards the labels of equal items, as far as equal
/// items are labelled alike: r n_k / n + (1 - r) p_k for n equal ones, n_k of them of class k. Rows
/// of fewer than eight features say too little to be the same item. Collective.
SameItems take_labels_of_same_items(std::span<const LabelledItems> labelled,
                                    const LabelledItems& target, MatrixD& probabilities,
                                    const Run& run);

}  // namespace commonplace::transfer

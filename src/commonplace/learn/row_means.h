#pragma once

#include <cstdint>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/comm.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace {

/// The direction of each group's items: the sum of its rows over all ranks, scaled to length one;
/// zero for a group without items. `groups` has a row per group and a column per item of this rank.
/// Of sparse sums only the `most` entries of greatest size are kept. Every rank gets the same
/// groups x features. Summed in double by slabs of groups, so the ranks send groups x features
/// doubles and hold 8 MiB of them at a time.
StoredRows mean_directions(const FeatureRows& items, const SparseView& groups, std::int64_t most,
                           Comm& comm);

/// The number of this rank's first item among those of all ranks, and of all items.
struct GlobalRows {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
GlobalRows global_rows(std::int64_t own, Comm& comm);

}  // namespace commonplace

#pragma once

#include <cstdint>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace::suggest {

/// Prototypes for many tags at once: the mean direction of each tag's items, those of most items
/// first, filled up with the centres of spherical k-means over all items.
struct TagPrototypeOptions {
  std::int64_t count = 0;             ///< prototypes in all; no more than there are items
  int iterations = 8;                 ///< of k-means
  std::int64_t most_features = 2000;  ///< of a sparse prototype, the strongest
  std::uint64_t seed = 1;             ///< of the first centres
};

/// Each rank gives its own items, rows of length one, and their tags (items x tags; above 0 is a
/// tag of the item). Every rank gets the same prototypes, which do not depend on how many ranks
/// there are beyond rounding. O(items · nonzeros · centres) an iteration. Error if there are no
/// items.
StoredRows tag_prototypes(const FeatureRows& items, const SparseView& tags,
                          const TagPrototypeOptions& options, const Run& run);

}  // namespace commonplace::suggest

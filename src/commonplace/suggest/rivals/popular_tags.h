#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"

namespace commonplace::suggest {

/// The same answer for everyone: how many of the items have each tag.
struct PopularTags {
  std::int64_t features = 0;
  std::vector<float> share;  ///< of the items, per tag
};

/// `features` are items x features, `tags` items x tags. O(nonzeros).
PopularTags fit_popular_tags(const SparseView& features, const SparseView& tags);

/// Items x tags, every row the same.
Matrix score(const PopularTags& model, const SparseView& rows);

}  // namespace commonplace::suggest

#pragma once

#include "commonplace/base/matrix.h"

namespace commonplace {

/// Error unless `features` (items x features) are finite and `tags` (items x tags, an entry above 0
/// is a tag that the item has) are of as many items, at least one, and of one tag or more.
void check_tagged(const SparseView& features, const SparseView& tags);

/// Error unless the rows have so many columns, all finite.
void check_features(const SparseView& rows, std::int64_t columns);

}  // namespace commonplace

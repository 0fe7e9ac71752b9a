#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/library/library.h"

namespace commonplace {

/// Removes the items whose row is not in `seen`, closes the gaps in the rows and in every feature
/// file, within a transaction of the caller. Returns for each old row its new one, or -1. O(items).
std::vector<std::int64_t> remove_unseen_items(Library& library, const Collection& collection,
                                              const std::vector<bool>& seen);

}  // namespace commonplace

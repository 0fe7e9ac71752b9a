#pragma once

#include <functional>

#include "commonplace/features/term_counts.h"
#include "commonplace/library/items/items.h"

namespace commonplace {

/// An item's title and text, on lines of their own.
std::string item_text(const Item& item);

/// The text of each item, in row order. `visit`, if given, sees each item once.
TextSource texts_of(ItemReader& reader, std::function<void(const Item&)> visit = {});

}  // namespace commonplace

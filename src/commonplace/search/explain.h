#pragma once

#include <cstdint>

#include "commonplace/search/ask.h"
#include "commonplace/search/ranker.h"

namespace commonplace::search {

/// Why the item of that row answers `ask`: its own words, and, with a model, the strongest of its
/// associated tags, its nearest lenders and its topics.
Reasons find_reasons(const Index& index, const Model* model, const Ranker& ranker, const Ask& ask,
                     std::int64_t row);

}  // namespace commonplace::search

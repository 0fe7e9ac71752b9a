#pragma once

#include <cstdint>

#include "commonplace/search/ask.h"
#include "commonplace/search/ranker.h"

namespace commonplace {

/// Why the item of that row answers `ask`: its own words, and, with a model, the strongest of its
/// associated tags, its nearest lenders and its topics.
SearchReasons find_reasons(const SearchIndex& index, const SearchModel* model,
                           const SearchRanker& ranker, const Ask& ask, std::int64_t row);

}  // namespace commonplace

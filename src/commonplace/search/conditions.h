#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "commonplace/features/tokens.h"
#include "commonplace/library/items/item_facts.h"
#include "commonplace/search/core/query.h"
#include "commonplace/search/index.h"

namespace commonplace::search {

/// Whether an item, by its row, has these tokens next to each other.
using HasPhrase = std::function<bool(std::int64_t row, const std::vector<std::string>& tokens)>;

/// What is known of the collection's items; asked for once, if at all.
using ReadFacts = std::function<ItemFacts()>;

/// 1 for each item of the index that meets the condition. `tokens` must be the options that the
/// index was made with; `has_phrase` is asked only of items that have all the words.
std::vector<std::uint8_t> items_that_meet(const Condition& condition, const Index& index,
                                          const TokenOptions& tokens, const HasPhrase& has_phrase,
                                          const ReadFacts& read_facts = {});

}  // namespace commonplace::search

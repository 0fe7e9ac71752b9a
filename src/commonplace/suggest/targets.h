#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/suggest/evidence.h"

namespace commonplace::suggest {

/// A tag of an item and what is to be learned of it: 1 it has it, -1 it was rejected.
using Target = std::pair<std::int32_t, float>;

/// Whether items' other tags are evidence, so that half of them must be kept apart as targets.
bool uses_tags(const Evidence& evidence);

/// The keys of tags, by which their halves are drawn.
std::vector<std::string> keys_of(const std::vector<std::string>& names);

/// The targets of one row; with `hide` without the tags that are the item's evidence.
std::vector<Target> targets_of(const SparseView& targets, std::int64_t row, bool hide,
                               const std::string& id, const std::vector<std::string>& keys);

/// Whether an item has a tag, and not only rejected ones: then all its other tags are known to be
/// none of its own.
bool is_tagged(std::span<const float> targets);

/// A row as targets, and targets as the next row.
std::vector<Target> row_of(const SparseView& matrix, std::int64_t row);
void push_targets(const std::vector<Target>& targets, Sparse& into);

}  // namespace commonplace::suggest

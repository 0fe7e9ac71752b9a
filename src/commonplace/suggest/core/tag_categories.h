#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/comm.h"
#include "commonplace/io/safetensors.h"

namespace commonplace::suggest {

/// The paper's way from a classifier to tags (MMSG): an item's category is the one of its tags that
/// most items have, among the commonest; an unseen item gets the tags of the categories that the
/// classifier finds likely, P(t|x) = sum over c of P(c|x) P(t|c).
struct TagCategories {
  std::vector<std::int32_t> tags;  ///< the tag that each category stands for
  Matrix shares;  ///< P(t|c), categories x tags; rows sum to one, or 0 without items
};

/// The `most` commonest tags (of equals the first) as categories. P(t|c) is the mean over the items
/// of c of 1 / (the item's number of tags) for each of its tags. Each rank gives its own items'
/// tags (items x tags; above 0 is a tag); every rank gets the same.
TagCategories make_categories(const SparseView& tags, std::int64_t most, Comm& comm);

/// The category of each item, or -1 where none of its tags is one.
std::vector<std::int32_t> item_categories(const SparseView& tags, const TagCategories& categories);

/// Puts the categories into a model file and takes them out again; Error if they do not fit.
void add_categories(TensorWriter& writer, const TagCategories& categories);
TagCategories read_categories(const TensorFile& file, std::int64_t tags);

}  // namespace commonplace::suggest

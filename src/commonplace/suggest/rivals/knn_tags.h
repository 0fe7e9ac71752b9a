#pragma once

#include <cstdint>

#include "commonplace/base/matrix.h"

namespace commonplace::suggest {

struct KnnTagOptions {
  std::int64_t neighbours = 20;  ///< items that vote
};

/// The tags of the k nearest neighbours (k-NN) by cosine.
struct KnnTags {
  Sparse items;  ///< rows of length one
  Sparse tags;   ///< items x tags, ones
  std::int64_t neighbours = 0;
};

/// `features` are items x features, `tags` items x tags. Nothing but copies: O(nonzeros).
KnnTags fit_knn_tags(const SparseView& features, const SparseView& tags,
                     const KnnTagOptions& options = {}, int jobs = 0);

/// Items x tags: of the neighbours of an item, those that have the tag, each weighted with its
/// cosine, divided by the cosines of all. 0 where no item has a cosine above 0. O(products of
/// common features).
Matrix score(const KnnTags& model, const SparseView& rows, int jobs = 0);

}  // namespace commonplace::suggest

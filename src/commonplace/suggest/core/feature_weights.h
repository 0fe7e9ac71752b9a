#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/comm.h"

namespace commonplace::suggest {

/// How much each feature counts: rarity^a · telling^b. The rarity of a feature is
/// ln((1 + n) / (1 + d)) + 1, for d of n items that have it. How telling it is, is the divergence
/// (Kullback and Leibler's, in nats) of the tags of its items from the tags of all, estimated as if
/// 20 more uses had been like all.
struct FeatureWeighting {
  double rarity = 0;
  double telling = 0.5;

  bool operator==(const FeatureWeighting&) const = default;
};

/// One weight per feature, above 0; one that no item has is as telling as one that says nothing, so
/// that what an item has beyond the known features makes it less like the others. Each rank gives
/// its own items (items x features, items x tags); every rank gets the same. O(sum over items of
/// features · tags), and features x tags doubles are summed over the ranks by slabs of 8 MiB.
std::vector<float> feature_weights(const SparseView& items, const SparseView& tags,
                                   const FeatureWeighting& weighting, Comm& comm);

/// The rows with values above 1 reduced to 1 + ln(value), each then times its feature's weight, and
/// scaled to length one; rows of zeros stay. Values of tf-idf, at most 1, stay as they are.
/// `blocks` are the first columns of the kinds of features: each kind that a row has gets the same
/// length. Empty stands for one kind.
Sparse weigh_rows(const SparseView& items, const std::vector<float>& weights,
                  std::span<const std::int64_t> blocks = {}, int jobs = 0);

}  // namespace commonplace::suggest

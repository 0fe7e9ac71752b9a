#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/transfer/core/bridge_trials.h"

namespace commonplace::transfer {

/// For each ordered pair of collections, the nearest items of the second of each item of the first,
/// by cosine; found once, for all graphs of some of the collections. Rows are of length one.
class PairNeighbours {
 public:
  PairNeighbours(const std::vector<LabelledCollection>& collections,
                 const BridgeTrialOptions& options, const Run& run);

  /// Items of `from` x items of `to`; the values are cosines, all above 0.
  const Sparse& of(std::size_t from, std::size_t to) const {
    return found_[from * collections_ + to];
  }

 private:
  std::size_t collections_;
  std::vector<Sparse> found_;
};

/// Some collections, one after the other.
struct Union {
  std::vector<std::size_t> members;
  std::vector<std::int32_t> first;  ///< item of each member, and the number of items
};

Union unite(const std::vector<LabelledCollection>& collections, std::vector<std::size_t> members);

/// A symmetric graph of all items of the union, as BridgeTrialOptions say. O(items neighbours).
Sparse union_graph(const Union& whole, const PairNeighbours& pairs,
                   const BridgeTrialOptions& options);

}  // namespace commonplace::transfer

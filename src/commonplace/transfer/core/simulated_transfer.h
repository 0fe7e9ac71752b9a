#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/transfer/core/base_classifiers.h"
#include "commonplace/transfer/core/naive_bayes.h"

namespace commonplace::transfer {

/// Shares of labelled items that are right after each way on from the start.
struct SimulatedTransfer {
  double start = 0;
  double self_trained = 0;
  double refined = 0;
  double error = 0;  ///< standard error of the difference of the last two
  double items = 0;  ///< labelled, over all ranks

  /// Tells whether the cluster assumption holds: EM is no worse than self-training, or not clearly.
  bool clusters() const { return refined >= self_trained - error; }
};

/// Simulates a transfer whose start is expected to be right so often (`accuracy`) on items whose
/// labels are known: one half of them tells the other, by as few features, drawn at random, as make
/// it right that often. From there the other half is self-trained, and refined by EM: posts about
/// cars and about guns gather around their classes however poor the start is, reviews that praise
/// and that blame do not, as they gather around what they review. `shares` are those of the
/// classes. O(nonzeros classes iterations).
SimulatedTransfer simulate_transfer(const SparseView& items, std::span<const std::int32_t> labels,
                                    const std::vector<double>& shares, double accuracy,
                                    const ClassifierPool& pool, const NaiveBayesOptions& options,
                                    const Run& run);

}  // namespace commonplace::transfer

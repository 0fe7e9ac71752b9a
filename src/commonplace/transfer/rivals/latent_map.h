#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"

namespace commonplace::transfer {

/// LatentMap (Xie et al. 2009): collections of which each lacks some features get these filled in
/// from the features they share with others, and all are then seen along the same few axes.
struct LatentMapOptions {
  std::int64_t rank = 50;  ///< axes, and the rank of what is filled in
  int rounds = 5;          ///< of regressions for what is filled in
  /// Penalty of the regressions, times the root of (the sum of all squares / rank); above 0
  double ridge = 0.1;
  std::uint64_t seed = 1;  ///< of the start
};

struct LatentMap {
  /// Of each collection, items x k, k <= rank: the filled rows times the axes.
  std::vector<Matrix> coordinates;
  MatrixD axes;     ///< features x k, orthonormal columns
  VectorD lengths;  ///< the singular values of all filled rows, descending
  /// The objective, one for each round, is that of the regressions: |X - A Bᵀ|² where a collection
  /// has the feature, plus the penalty of A and B.
  Convergence report;
};

/// `collections` are items x features over the same features. A collection lacks a feature if none
/// of its items has it but those of another do. First the present entries X are approximated by
/// A Bᵀ of low rank, in turns: A, a row for each item, by ridge regression on the features that its
/// collection has, and B, a row for each feature, on the items of the collections that have it
/// (matrix completion by alternating least squares, from the axes of X with zeros). What is lacking
/// is then A Bᵀ, and the axes are the right singular vectors of X filled with it, by subspace
/// iteration on X + A Bᵀ as it is: nothing of items x features is formed. Rows are not centred.
/// O(nonzeros rank + (items + features) rank²) a round; memory 32 (items + features) rank bytes and
/// more. Error for collections of different features, no entries at all, options out of range, or
/// numbers that are not finite.
LatentMap fit_latent_map(std::span<const SparseView> collections,
                         const LatentMapOptions& options = {}, const Run& run = {});

}  // namespace commonplace::transfer

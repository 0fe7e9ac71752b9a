#pragma once

#include <cstdint>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace::transfer {

/// Collective matrix factorisation for pictures helped by text (HTLIC, Zhu et al. 2011): features
/// of pictures and documents are factorised over the same words.
struct CollectiveFactorOptions {
  std::int64_t rank = 30;
  double balance = 0.5;     ///< share of the features' side of the objective, 0 .. 1
  double ridge = 0.1;       ///< penalty of the squares of all factors; above 0
  double tolerance = 1e-6;  ///< stop when the objective falls by less than this, relatively
  int iterations = 50;      ///< at most
  std::uint64_t seed = 1;   ///< of the start
};

struct CollectiveFactors {
  MatrixD features;    ///< U, features x rank
  MatrixD words;       ///< V, words x rank
  MatrixD documents;   ///< W, documents x rank
  Convergence report;  ///< the objective as below
};

/// Minimises balance |Z - U Vᵀ|² + (1 - balance) |F - W Vᵀ|² + ridge (|U|² + |V|² + |W|²) by turns:
/// V of given U and W, then U and W of the new V, each the solution of a ridge regression. `z` is
/// features x words, such as Xᵀ T of captioned pictures with features X and words T, `f` documents
/// x words; they are taken as they are, so bring them to the same scale first. O(nonzeros rank +
/// (rows of U, V, W) rank²) a round. Error for options out of range, different words, matrices
/// without rows or columns, and numbers that are not finite.
CollectiveFactors fit_collective_factors(const SparseView& z, const SparseView& f,
                                         const CollectiveFactorOptions& options = {},
                                         const Run& run = {});

/// n x (features + rank): each row x of the pictures and behind it x U, scaled to the length of x.
/// The same bits for a row alone as among others. O(n features rank) or, of sparse ones, O(nonzeros
/// rank).
Matrix encode(const CollectiveFactors& factors, const FeatureRows& images, int jobs = 0);

}  // namespace commonplace::transfer

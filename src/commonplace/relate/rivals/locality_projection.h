#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "commonplace/base/matrix.h"
#include "commonplace/learn/feature_rows.h"
#include "commonplace/relate/core/guided_projection.h"
#include "commonplace/relate/rivals/canonical_correlation.h"

namespace commonplace::relate {

/// Locality preserving projections (He and Niyogi 2003): with a graph W of neighbours, its degrees
/// D and rows X, the smallest λ of Xᵀ (D − W) X p = λ (Xᵀ D X + ridge) p. Of two views: X is block
/// diagonal, W has the graphs of both and ties the two items of a pair.
struct LocalityProjectionOptions {
  std::int64_t dim = 30;          ///< coordinates
  std::int64_t neighbours = 10;   ///< of an item, in its graph
  std::string metric = "cosine";  ///< of dense rows, or "euclidean"; sparse rows take the cosine
  double across = 1;              ///< weight of a pair, beside the weights of neighbours
  double ridge = 0.1;             ///< times the mean diagonal of a view's Xᵀ D X; 0 for none
  /// Rows less their mean, weighted by degree, so that the constant solution is no solution.
  bool centre = true;
};

/// Symmetric, nothing on the diagonal: neighbour_graph.h of dense rows; of sparse ones the cosines,
/// where above 0, of items of which either is among the nearest of the other. O(n² d) or O(products
/// of common features).
Sparse locality_graph(const FeatureRows& rows, const LocalityProjectionOptions& options,
                      int jobs = 0);

/// One view, with its locality_graph or with one that is given (n x n, symmetric, weights of 0 or
/// more, may have a diagonal). Coordinates by encode(model, 0, rows). Error as
/// fit_guided_projection has and for a graph that does not fit.
GuidedProjectionFit fit_locality_projection(const FeatureRows& rows,
                                            const LocalityProjectionOptions& options = {},
                                            int jobs = 0);
GuidedProjectionFit fit_locality_projection(const FeatureRows& rows, const SparseView& graph,
                                            const LocalityProjectionOptions& options = {},
                                            int jobs = 0);

/// Two views; an item may stand in many pairs, and the same pair twice counts once. Coordinates by
/// encode(model, 0, rows) of the first and encode(model, 1, rows) of the second.
GuidedProjectionFit fit_paired_locality_projection(const FeatureRows& first,
                                                   const FeatureRows& second,
                                                   std::span<const ItemPair> pairs,
                                                   const LocalityProjectionOptions& options = {},
                                                   int jobs = 0);

}  // namespace commonplace::relate

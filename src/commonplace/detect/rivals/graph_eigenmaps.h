#pragma once

#include <cstdint>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"

namespace commonplace::detect {

/// Laplacian eigenmaps of a graph, exactly: the smoothest functions of the items, for any head.
struct GraphEigenmapOptions {
  std::int64_t count = 500;  ///< eigenvectors to keep; at most one fewer than the items
  double tolerance = 1e-8;   ///< of the residuals |L u - s u|
  int iterations = 300;      ///< restarts of the Lanczos method, at most
  std::uint64_t seed = 1;    ///< of its first vector
};

struct GraphEigenmaps {
  Matrix vectors;          ///< n x k, columns of length one, their greatest entry above 0
  VectorD eigenvalues;     ///< k, ascending, in [0, 2]; the Σ of LapRLS
  VectorD residuals;       ///< k: |L u - s u|
  std::int64_t parts = 0;  ///< connected parts of two items or more
  /// The objective is the largest residual. Not converged: some of the vectors asked for were not
  /// found within the iterations or have a residual above the tolerance, and those that are there
  /// need not be the smoothest.
  Convergence report;
};

/// The eigenvectors of the least eigenvalues of L = I - D^-½ W D^-½ for a symmetric graph W (n x n,
/// see neighbour_graph.h). The trivial one, D^½ 1, is left out. The other vectors of eigenvalue 0,
/// one for each further connected part, are known without a solver and come first, those of the
/// largest parts before others; the rest are from Spectra's Lanczos method, which may miss one of
/// two vectors of the very same eigenvalue above 0, or from a dense solver where a third of all
/// vectors or more are wanted. O(restarts n k²) or O(n³); memory 16 n k bytes and more, or 24 n².
/// Error for a graph that is not symmetric or has no ties.
GraphEigenmaps graph_eigenmaps(const SparseView& weights, const GraphEigenmapOptions& options = {},
                               const Run& run = {});

}  // namespace commonplace::detect

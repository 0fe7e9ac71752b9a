#pragma once

#include <cstdint>
#include <functional>

#include "commonplace/base/matrix.h"
#include "commonplace/base/progress.h"

namespace commonplace {

/// A p = λ B p for symmetric A and symmetric positive definite B that are known only by what they
/// make of vectors: the pairs with the smallest λ.
struct EigenProblem {
  using Apply = std::function<MatrixD(const MatrixD& vectors)>;  ///< n x m to n x m

  std::int64_t size = 0;
  Apply multiply_a;
  Apply multiply_b;
  /// About B⁻¹ of the vectors. The closer, the fewer rounds: with B⁻¹ itself it is a Krylov method.
  Apply precondition;
};

struct EigenOptions {
  std::int64_t count = 30;
  double tolerance = 1e-9;  ///< of the residuals
  int max_rounds = 300;
  std::uint64_t seed = 1;  ///< of the vectors that fill up the start
  int jobs = 0;            ///< threads of the dense products, 0: all; does not change the result
};

struct Eigenpairs {
  VectorD values;   ///< k, ascending
  MatrixD vectors;  ///< n x k, pᵀ B p = 1, the number of greatest size positive
  /// |A p − λ B p| / (|A p| + l |B p|) with l the greatest |λ| met, in which a p with A p = 0 is as
  /// good as it is; divided by its own |λ| its rounding errors would look large.
  VectorD residuals;
  int rounds = 0;          ///< in each of which A and B are applied once, to several vectors
  bool converged = false;  ///< all residuals are within the tolerance
};

/// A block method with restarts: the space is widened by the preconditioned residuals of the pairs
/// that have not converged, kept B-orthonormal, and shrunk to its best vectors when it is large. A
/// few pairs beyond `count` are found roughly too, so that `start` cannot hide a lower one, and it
/// always has more random vectors than an eigenvalue of interest can repeat.
/// `start` (n x any number of columns, may have none) is where it begins, such as the vectors of a
/// problem nearby. If `count` is not small beside n the problem is made dense and solved directly,
/// in one round. Returns fewer pairs only if n < count. Memory O(n · count). Not converging is
/// data. Error if B turns out not to be positive definite, a number is not finite or the options
/// are out of range.
Eigenpairs lowest_eigenpairs(const EigenProblem& problem, const MatrixD& start,
                             const EigenOptions& options, const Progress& progress = no_progress);

}  // namespace commonplace

#pragma once

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/learn/linear_solver.h"

namespace commonplace {

/// Classifiers of several concepts that share their rows.
struct LinearClassifiers {
  MatrixD weights;        ///< concepts x d
  VectorD offsets;        ///< concepts
  bool converged = true;  ///< all stopped by the tolerance, not by the limit on steps
};

/// What train_classifier() finds for each concept by itself, for all at once: Newton's method with
/// conjugate gradients and a line search, each concept with its own steps, so that the work is in
/// products of whole matrices. `rows` are l x d, finite; `labels` l x concepts: 1, -1 or 0 for rows
/// to leave out; `positive_weights` of each concept. It stops where liblinear's criterion says so:
/// the gradient is at most tolerance · (share of the rarer label) of that at 0. Does not depend on
/// `jobs`; a concept alone gives the bits that it gives among others. O(l d concepts) a step,
/// memory 16 l d + 40 (l + d) concepts bytes.
LinearClassifiers train_together(const Eigen::Ref<const MatrixD>& rows,
                                 const Eigen::Ref<const MatrixD>& labels,
                                 const LinearSolverOptions& options,
                                 const VectorD& positive_weights, const Run& run = {});

}  // namespace commonplace

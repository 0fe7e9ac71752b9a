#pragma once

#include <cstdint>
#include <span>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/learn/one_vs_rest_linear.h"

namespace commonplace::detect {

/// Laplacian support vector machine (Belkin, Niyogi and Sindhwani 2006) in its linear form: the
/// classifier is also to be smooth over a graph of all items, labelled or not.
struct LapSvmOptions {
  /// Of |w|²: 0.1 is what a cost of 5 is to the linear SVM, 1 / (2 cost).
  double ambient = 0.1;
  double intrinsic = 1;     ///< of the roughness over the graph, wᵀ Xᵀ L X w / n; 0 for none
  bool normalised = true;   ///< L = I - D^-½ W D^-½, else D - W
  double bias = 1;          ///< value of a feature that every item has; 0 for none
  double tolerance = 0.01;  ///< liblinear's, of the gradient
  bool balanced = false;    ///< rows that have a concept count (rows without) / (rows with) times
};

/// A = ambient I + intrinsic Xᵀ L X / n, d x d, for all rows X (n x d) and a symmetric graph (n x
/// n, see neighbour_graph.h). O(nonzeros d + n d²); memory O(n d + d²).
MatrixD lap_svm_penalty(const Eigen::Ref<const Matrix>& rows, const SparseView& weights,
                        const LapSvmOptions& options = {}, int jobs = 0);

/// Minimises (sum over labelled rows of the squared hinge of w x + b) + wᵀ A w + ambient b² / bias²
/// for each concept. `labelled` says which row each row of `labels` (l x concepts: 1 has it, -1 has
/// it not, 0 not labelled for that concept) is of. With A = R Rᵀ it is the linear SVM on the
/// rows R⁻¹ x, so that one factor serves all concepts. Of a concept with equal labels only the
/// offset is learned. The result is scored by the score() of one_vs_rest_linear.h. O(penalty + d³ +
/// l d²) and the linear SVMs.
OneVsRestLinear fit_lap_svm(const Eigen::Ref<const Matrix>& rows, const SparseView& weights,
                            std::span<const std::int64_t> labelled,
                            const Eigen::Ref<const MatrixD>& labels,
                            const LapSvmOptions& options = {}, const Run& run = {});

}  // namespace commonplace::detect

#pragma once

#include <type_traits>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"

namespace commonplace {

/// Learning with local and global consistency (Zhou et al. 2004): labels spread over a graph of all
/// items, labelled or not.
struct LabelPropagationOptions {
  double alpha = 0.99;      ///< share of what an item takes from its neighbours; in (0, 1)
  double tolerance = 1e-6;  ///< of each concept's residual, relative to its labels
  int iterations = 1000;    ///< at most
  bool balanced = false;    ///< scale the labels -1 of a concept so that all its labels add up to 0
};

template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, LabelPropagationOptions>
void visit_options(Options& options, Visit&& visit) {
  visit("alpha", options.alpha, "share of what an item takes from its neighbours");
  visit("tolerance", options.tolerance, "of the residual, at which to stop");
  visit("iterations", options.iterations, "at most so many steps");
  visit("balanced", options.balanced, "let both sides of a concept count the same");
}

struct LabelPropagation {
  Matrix scores;       ///< n x concepts
  Convergence report;  ///< the objective is the largest of the concepts' relative residuals
};

/// F = (1 - alpha) (I - alpha S)⁻¹ Y with S the normalised graph, for all concepts at once by
/// conjugate gradients. `weights` is a symmetric graph (n x n, see neighbour_graph.h), `labels` Y
/// (n x concepts): 1 has it, -1 has it not, 0 is not labelled. Items that no labelled one is
/// connected with get 0. O(nonzeros concepts) a step, about 5 / sqrt(1 - alpha) steps; memory 40 n
/// concepts bytes and more.
LabelPropagation propagate_labels(const SparseView& weights,
                                  const Eigen::Ref<const MatrixD>& labels,
                                  const LabelPropagationOptions& options = {}, const Run& run = {});

}  // namespace commonplace

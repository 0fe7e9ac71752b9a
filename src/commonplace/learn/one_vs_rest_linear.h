#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"

namespace commonplace {

struct OneVsRestLinearOptions {
  std::string loss = "svm";  ///< the squared hinge, or "logistic"
  double cost = 5;           ///< of a wrong row, against the length of the weights
  double bias = 1;           ///< value of a feature that every row has; 0 for none
  double tolerance = 0.01;   ///< liblinear's, of the gradient
  /// "newton": all concepts together, or "liblinear": one after the other. Both find the same
  /// minimum to the tolerance.
  std::string solver = "newton";
  bool balanced = false;  ///< rows that have a concept count (rows without) / (rows with) times
};

template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, OneVsRestLinearOptions>
void visit_options(Options& options, Visit&& visit) {
  visit("loss", options.loss, "svm or logistic");
  visit("cost", options.cost, "of a wrong item, against the length of the weights");
  visit("bias", options.bias, "value of a feature that every item has; 0 for none");
  visit("tolerance", options.tolerance, "of the gradient, at which to stop");
  visit("solver", options.solver, "newton or liblinear");
  visit("balanced", options.balanced, "let both sides of a concept count the same");
}

/// A linear classifier for each concept by itself.
struct OneVsRestLinear {
  Matrix weights;              ///< d x concepts
  std::vector<float> offset;   ///< per concept, added to the product
  bool probabilities = false;  ///< the loss was logistic
  bool converged = true;       ///< to the tolerance; liblinear does not tell
};

/// Minimises |w|² / 2 + cost · (sum over labelled rows of the loss) for each concept, where w
/// includes the weight of the bias. `rows` are l x d, `labels` l x concepts: 1 has it, -1 has it
/// not, 0 is not labelled for that concept. A concept of which all labels are equal gets no
/// weights, only an offset. O(steps · l d · concepts); memory 24 l d bytes and, unless by
/// liblinear, 40 (l + d) concepts.
OneVsRestLinear fit_one_vs_rest(const Eigen::Ref<const Matrix>& rows,
                                const Eigen::Ref<const MatrixD>& labels,
                                const OneVsRestLinearOptions& options = {}, const Run& run = {});
/// The same on rows in double.
OneVsRestLinear fit_one_vs_rest(const Eigen::Ref<const MatrixD>& rows,
                                const Eigen::Ref<const MatrixD>& labels,
                                const OneVsRestLinearOptions& options = {}, const Run& run = {});

/// n x concepts: distances from the margin's middle, or probabilities for "logistic". The same bits
/// for a row alone as among others. O(n d concepts).
Matrix score(const OneVsRestLinear& model, const Eigen::Ref<const Matrix>& rows, int jobs = 0);

}  // namespace commonplace

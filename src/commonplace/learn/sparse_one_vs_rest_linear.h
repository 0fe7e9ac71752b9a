#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"

namespace commonplace {

struct SparseOneVsRestLinearOptions {
  std::string loss = "logistic";  ///< or "svm", the squared hinge
  double cost = 1;                ///< of a wrong item, against the length of the weights
  double tolerance = 0.01;        ///< liblinear's, of the gradient
  double bias = 1;                ///< value of a feature that every item has; 0 for none
  double negligible = 0;          ///< weights up to this are left out
};

template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, SparseOneVsRestLinearOptions>
void visit_options(Options& options, Visit&& visit) {
  visit("loss", options.loss, "logistic or svm");
  visit("cost", options.cost, "of a wrong item, against the length of the weights");
  visit("tolerance", options.tolerance, "of the gradient, at which to stop");
  visit("bias", options.bias, "value of a feature that every item has; 0 for none");
  visit("negligible", options.negligible, "weights up to this are left out");
}

/// A linear classifier for each tag by itself. The weights (features x tags) are in either of the
/// two, whichever takes less memory.
struct SparseOneVsRestLinear {
  std::int64_t features = 0;
  bool probabilities = false;  ///< the loss was logistic
  Matrix dense;
  Sparse sparse;
  std::vector<float> offset;  ///< per tag, added to the product

  bool is_sparse() const { return dense.size() == 0; }
};

/// Minimises |w|² / 2 + cost · (sum over items of the loss) for each tag with liblinear, where w
/// includes the weight of the bias. Its solvers of the primal problems are used, as those of the
/// dual draw random numbers from a state that all threads share. A tag that all items or none have
/// gets no weights, only an offset. `features` are items x features, `tags` items x tags.
/// O(steps · nonzeros of the features · tags).
SparseOneVsRestLinear fit_sparse_one_vs_rest(const SparseView& features, const SparseView& tags,
                                             const SparseOneVsRestLinearOptions& options = {},
                                             const Run& run = {});

/// Items x tags: probabilities, or distances from the margin's middle for "svm". O(nonzeros · tags)
/// with dense weights.
Matrix score(const SparseOneVsRestLinear& model, const SparseView& rows, int jobs = 0);

}  // namespace commonplace

#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"

namespace commonplace::transfer {

/// Multinomial logistic (softmax) regression of classes on features of any kind, the discriminative
/// twin of naive_bayes.h: better where features are not words.
struct LogisticRegressionOptions {
  double cost = 1;          ///< of items, against the length of the weights, as liblinear counts it
  int iterations = 100;     ///< at most
  double tolerance = 1e-3;  ///< of the gradient, relative to that at the start
};

struct LogisticRegression {
  MatrixD weights;                 ///< features x classes; rows of 0 for features not used
  Eigen::RowVectorXd offset;       ///< of each class
  std::vector<std::uint8_t> used;  ///< per feature
  Convergence report;              ///< the objective is the mean loss with its penalty
};

/// Minimises the mean cross entropy of `classes` (this rank's items x classes, rows of sum one, or
/// of zeros for items to leave out) plus |W|² / (2 cost items) by accelerated gradient steps, over
/// the features marked in `used`. Items are scaled to a mean square length of one first. A step is
/// O(nonzeros classes) and sums features x classes doubles over the ranks.
LogisticRegression fit_logistic_regression(const SparseView& items, const MatrixD& classes,
                                           std::vector<std::uint8_t> used,
                                           const LogisticRegressionOptions& options,
                                           const Run& run);

/// Items x classes: logarithms of odds. Items are scaled by their own mean square length.
MatrixD class_evidence(const LogisticRegression& regression, const SparseView& items,
                       const Run& run);

}  // namespace commonplace::transfer

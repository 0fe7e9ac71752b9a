#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <linear.h>

#include "commonplace/base/matrix.h"

namespace commonplace {

/// What liblinear minimises for one classifier: |w|² / 2 + cost · (sum over rows of the loss),
/// where w includes the weight of the bias.
struct LinearSolverOptions {
  std::string loss;      ///< "logistic" or "svm", the squared hinge
  double cost = 1;       ///< of a wrong row, against the length of the weights
  double tolerance = 0;  ///< liblinear's, of the gradient
  double bias = 1;       ///< value of a feature that every row has; 0 for none
};

/// Error unless the options are in range.
void check_linear(const LinearSolverOptions& options);

/// What is learned where all rows say the same and there is nothing to separate: 1 or -1, or the
/// log odds for "logistic"; 0 where there are no labels.
double offset_of_equal_labels(std::ptrdiff_t with, std::ptrdiff_t without, bool logistic);

/// Rows as liblinear wants them: entries that are not 0 with features from 1 on, then the bias and
/// a mark of the end. 16 bytes an entry.
struct LinearSolverRows {
  LinearSolverRows(const SparseView& rows, double bias_of_rows);
  LinearSolverRows(const Eigen::Ref<const Matrix>& rows, double bias_of_rows);
  LinearSolverRows(const Eigen::Ref<const MatrixD>& rows, double bias_of_rows);

  std::vector<feature_node> nodes;
  std::vector<std::size_t> starts;  ///< of each row
  std::int64_t columns = 0;
  double bias = 0;
};

struct LinearClassifier {
  VectorD weights;  ///< of each feature; empty where there was nothing to separate
  double offset = 0;
};

/// `labels` has 1, -1 or, for rows to leave out, 0 for each row; rows of 1 count `positive_weight`
/// times. Liblinear's solvers of the primal problems are used, as those of the dual draw random
/// numbers from a state that all threads share; so this may be called from several at once.
/// Where all labels are equal there are no weights. O(steps · entries).
LinearClassifier train_classifier(const LinearSolverRows& rows, std::span<const std::int8_t> labels,
                                  const LinearSolverOptions& options, double positive_weight = 1);

}  // namespace commonplace

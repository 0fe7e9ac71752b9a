#pragma once

#include <cstdint>

#include "commonplace/base/matrix.h"

namespace commonplace::detect {

struct KnnLabelOptions {
  std::int64_t neighbours = 5;  ///< labelled rows that vote
};

/// k-nearest-neighbour classification: n x concepts, in [-1, 1], the mean of the labels of the
/// nearest of the rows that are labelled for the concept, each weighted with its cosine. Only rows
/// of a cosine above 0 vote, ties go to the lower row; 0 where there are none. `labelled` are l x
/// d, `labels` l x concepts: 1 has it, -1 has it not, 0 is not labelled for that concept. O(n l d +
/// n l log l); memory 32 MB of products at once.
Matrix knn_labels(const Eigen::Ref<const Matrix>& rows, const Eigen::Ref<const Matrix>& labelled,
                  const Eigen::Ref<const MatrixD>& labels, const KnnLabelOptions& options = {},
                  int jobs = 0);

}  // namespace commonplace::detect

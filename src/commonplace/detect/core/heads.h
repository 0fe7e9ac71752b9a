#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/detect/core/lap_rls.h"

namespace commonplace::detect {

/// Some items and which concepts they show.
struct LabelledItems {
  std::vector<std::int64_t> rows;  ///< items
  MatrixD labels;                  ///< rows x concepts: 1 shows it, -1 does not, 0 not known
};

/// Concepts as linear functions of coordinates.
struct ConceptHeads {
  MatrixD weights;  ///< coordinates x concepts
  VectorD offsets;  ///< concepts
};

/// Which head, and how it is set.
struct HeadSetting {
  bool svm = false;  ///< a linear SVM; else Laplacian-regularised least squares (LapRLS)
  double lambda = 1;
  double cost = 5;
};

/// Tells whether some items are known to show the concept and others not to.
bool has_both(const MatrixD& labels, Eigen::Index concept_number);

/// Learns the concepts from coordinates (labelled items x columns). LapRLS has an offset
/// that is free where both signs are known, and none where only one is: then the score is the
/// likeness to the examples.
ConceptHeads fit_heads(const Eigen::Ref<const Matrix>& coordinates, const MatrixD& labels,
                       const HeadSetting& setting, int jobs = 0);
/// Learns one concept from a few examples (labels, one column: 1 shows it, -1 does not) among items
/// that mostly do not show it: beside the counterexamples their `middle`, the mean coordinates of
/// all items, stands as one of great weight, in LapRLS. Scores are scaled so that the examples have
/// 1 on average and the counterexamples, or without any the middle, -1 or 0. Without an example of
/// it as fit_heads does. O(l² k) for l examples and k coordinates.
ConceptHeads fit_examples(const Eigen::Ref<const Matrix>& coordinates, const MatrixD& labels,
                          const Eigen::RowVectorXf& middle, double lambda, int jobs = 0);
/// Items x concepts.
Matrix score(const ConceptHeads& heads, const Eigen::Ref<const Matrix>& coordinates, int jobs = 0);

/// The LapRLS heads of concepts that share their labelled items, from what these say.
ConceptHeads solve_heads(const LapRlsStatistics& statistics, double lambda, int jobs = 0);

/// At most `most` of the rows, drawn at random, in order; without labels.
LabelledItems sample_labelled(std::span<const std::int64_t> rows, std::int64_t most,
                              std::uint64_t seed);

/// The mean over the concepts that both show in some items and do not in others, of the
/// interpolated average precision of the scores. 0 if there is none.
double mean_interpolated_precision(const Matrix& scores, const MatrixD& labels);

}  // namespace commonplace::detect

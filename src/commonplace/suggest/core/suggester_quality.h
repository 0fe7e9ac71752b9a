#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/eval/bootstrap.h"
#include "commonplace/eval/calibration.h"
#include "commonplace/eval/confidence.h"

namespace commonplace {

/// How well held-out items were tagged, by a model that had not seen them.
struct SuggesterQuality {
  std::int64_t items = 0;  ///< held out; 0: too few items to hold any out
  double precision_at_1 = 0;
  double precision_at_3 = 0;
  double precision_at_5 = 0;
  Interval precision_at_1_interval;  ///< 95 %
  double ndcg_at_5 = 0;
  double f1 = 0;  ///< of what is above the threshold, mean over the items
  /// Expected calibration error of the pairs of item and tag that are given a confidence of 1 % or
  /// more, by maps that had not seen them.
  double calibration_error = 0;
  std::vector<CalibrationBin> reliability;  ///< of the same pairs
};

/// In what follows scores are items x tags, and `tags` (items x tags) are above 0 where the item
/// has the tag.

/// Normalised discounted gain of each item's first five.
std::vector<double> ndcg_of_items(const Matrix& scores, const SparseView& tags, int jobs = 0);

/// Learned from each item's fifty highest scores.
ConfidenceMap learn_confidence(const Matrix& scores, const SparseView& tags);

/// Mean F1 over the items of the tags that have at least this confidence.
double mean_f1(const Matrix& scores, const SparseView& tags, const ConfidenceMap& map,
               double threshold);

/// The threshold of confidence, in steps of 0.05, with the best mean F1.
double choose_threshold(const Matrix& scores, const SparseView& tags, const ConfidenceMap& map);

/// All but f1. The reliability is found by halves: the map of one half of the items is tried on the
/// other.
SuggesterQuality judge_suggestions(const Matrix& scores, const SparseView& tags, int jobs = 0);

}  // namespace commonplace

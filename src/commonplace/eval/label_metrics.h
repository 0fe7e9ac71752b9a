#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace commonplace {

/// A set of labels: ids from 0, ascending, each once.
using LabelSet = std::span<const std::int32_t>;

/// One item's suggested labels, best first. Labels that are not listed rank below all listed ones,
/// tied with each other.
struct LabelRanking {
  std::vector<std::int32_t> labels;
  std::vector<double> scores;  ///< as many, never rising
};

/// How a prediction and the truth meet, over an item, a label, or everything.
struct LabelCounts {
  std::int64_t true_positives = 0;
  std::int64_t false_positives = 0;
  std::int64_t false_negatives = 0;

  std::int64_t support() const { return true_positives + false_negatives; }
  LabelCounts& operator+=(const LabelCounts& other);
};

/// Each of the three is 0 where its denominator is 0, as in scikit-learn and Annif.
struct PrecisionRecall {
  double precision = 0;  ///< TP / (TP + FP)
  double recall = 0;     ///< TP / (TP + FN)
  double f1 = 0;         ///< 2 TP / (2 TP + FP + FN)
};
PrecisionRecall precision_recall(const LabelCounts& counts);

/// The counts of one item. O(both sizes). Error if a set is not ascending.
LabelCounts count_labels(LabelSet relevant, LabelSet predicted);

/// Mean over the entries, which are items ("doc avg") or labels ("macro", Annif's "subj avg":
/// labels that never occur count as 0). Note that the F1 is the mean of F1s, not the F1 of the
/// means. Error if there are none.
PrecisionRecall macro_average(std::span<const LabelCounts> counts);
/// As macro_average, weighted by support; 0 when there is none.
PrecisionRecall weighted_average(std::span<const LabelCounts> counts);
/// Of the counts added up.
PrecisionRecall micro_average(std::span<const LabelCounts> counts);

/// The share of the `labels` labels on which truth and prediction differ. Error if `labels` is 0 or
/// smaller than what differs.
double hamming_loss(const LabelCounts& item, std::int64_t labels);

/// The share of positions where the two agree; for one class per item. Error if the lengths differ
/// or are 0.
double accuracy(std::span<const std::int32_t> truth, std::span<const std::int32_t> predicted);

/// Labels with the same score, and how many of them are relevant. The measures below need to know
/// no more than the groups of an item from the highest score to the lowest.
struct TieGroup {
  std::int64_t relevant = 0;
  std::int64_t size = 0;
};
using TieGroups = std::span<const TieGroup>;

/// From one score for every label; `relevant[l]` is not 0 if label l is relevant. O(n log n).
/// Error if the lengths differ or a score is NaN.
std::vector<TieGroup> tie_groups(std::span<const double> scores,
                                 std::span<const std::uint8_t> relevant);

/// From a short ranking out of `labels` labels; O(k log relevant). Error if a label is not in
/// 0 .. labels-1 or is listed twice, if scores rise or are NaN, or if `relevant` is not a LabelSet.
std::vector<TieGroup> tie_groups(const LabelRanking& ranking, LabelSet relevant,
                                 std::int64_t labels);

/// The share of the pairs (relevant, irrelevant) that are ordered wrongly; a tie counts one half
/// (scikit-learn counts it as one). 0 when all labels or none are relevant.
double rank_loss(TieGroups groups);

/// Whether the first label is irrelevant: 0 or 1, and for a tie at the top its irrelevant share.
/// So 1 when no label is relevant; 0 when there are no labels.
double one_error(TieGroups groups);

/// How far down the ranking the last relevant label is, from 1; a tie has the position of its last.
/// 0 when no label is relevant. (Some papers count from 0.)
double coverage(TieGroups groups);

/// Label ranking average precision: the mean, over the relevant labels, of the share of relevant
/// ones among all labels with at least its score. 1 when all labels or none are relevant.
double label_ranking_average_precision(TieGroups groups);

}  // namespace commonplace

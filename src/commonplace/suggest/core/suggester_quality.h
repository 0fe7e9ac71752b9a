#pragma once

#include <cstdint>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/eval/bootstrap.h"
#include "commonplace/eval/calibration.h"
#include "commonplace/eval/confidence.h"

namespace commonplace::suggest {

/// Suggestions as a person sees them: an item's first ten that reach the threshold.
struct ShownSuggestions {
  std::int64_t count = 0;
  double confidence = 0;  ///< mean of what they were given
  double right = 0;       ///< the share that was right
  Interval interval;      ///< of that, 95 %
};
template <class Visit>
void visit_fields(const ShownSuggestions& shown, Visit&& visit) {
  visit("suggestions", shown.count, "that are shown");
  visit("confidence", shown.confidence, "on average");
  visit("right", shown.right, "the share that is");
  visit("interval", both_ends(shown.interval), "of that share, 95 %");
}

/// What was shown of one item.
struct ShownOfItem {
  double count = 0;
  double confidence = 0;  ///< their sum
  double right = 0;
};

/// How well held-out items were tagged, by a model that had not seen them. None of it was chosen or
/// calibrated by the items that it is found on. Items none of whose tags could be suggested count,
/// as failures.
struct SuggesterQuality {
  std::int64_t items = 0;    ///< held out; 0: too few items to hold any out
  std::int64_t strange = 0;  ///< of them, those none of whose tags could be suggested
  bool newest = false;       ///< whether they were the newest, and not drawn
  double precision_at_1 = 0;
  double precision_at_3 = 0;
  double precision_at_5 = 0;
  Interval precision_at_1_interval;  ///< 95 %
  /// Where the newest were held out: of items drawn from among the older ones.
  double older_precision_at_1 = 0;
  /// The same in parts of time that follow each other, each told by what came before it; the newest
  /// items are the last two. None where there are too few.
  std::vector<double> precision_in_time;
  double ndcg_at_5 = 0;
  double f1 = 0;  ///< of what is above the threshold, mean over the items
  ShownSuggestions shown;
  ShownSuggestions shown_rare;   ///< of them, those of tags that are not popular
  double calibration_error = 0;  ///< expected calibration error of what is shown
  /// Of the pairs of item and tag that are given a confidence of 1 % or more.
  std::vector<CalibrationBin> reliability;
};
template <class Visit>
void visit_fields(const SuggesterQuality& quality, Visit&& visit) {
  visit("items", quality.items, "held out");
  visit("newest", quality.newest, "they were the newest, not drawn");
  visit("strange_items", quality.strange, "items none of whose tags could be suggested");
  visit("precision@1", quality.precision_at_1, "share of first suggestions that are right");
  visit("precision@1_interval", both_ends(quality.precision_at_1_interval), "of it, 95 %");
  visit("precision@3", quality.precision_at_3, "of the first three");
  visit("precision@5", quality.precision_at_5, "of the first five");
  visit("ndcg@5", quality.ndcg_at_5, "normalised discounted gain of the first five");
  visit("f1", quality.f1, "of what is shown");
  visit("shown", quality.shown, "what reaches the threshold");
  visit("shown_rare", quality.shown_rare, "of it, tags that are not popular");
  visit("calibration_error", quality.calibration_error, "how far confidence is off, on average");
  visit("reliability", quality.reliability, "by confidence");
  visit.where(quality.newest, "older_precision@1", quality.older_precision_at_1,
              "the first for items drawn from among the older ones");
  visit.where(!quality.precision_in_time.empty(), "precision@1_in_time", quality.precision_in_time,
              "the first in parts of time that follow each other");
}

/// In what follows scores are items x tags, and `tags` (items x tags) are above 0 where the item
/// has the tag.

/// Normalised discounted gain of each item's first five.
std::vector<double> ndcg_of_items(const Matrix& scores, const SparseView& tags, int jobs = 0);

/// 1 for each item that has the tag of its greatest score, 0 for the others.
std::vector<double> first_right(const Matrix& scores, const SparseView& tags);

/// Learned from each item's fifty highest scores.
ConfidenceMap learn_confidence(const Matrix& scores, const SparseView& tags);

/// Mean F1 over the items of the tags that have at least this confidence.
double mean_f1(const Matrix& scores, const SparseView& tags, const ConfidenceMap& map,
               double threshold);

/// The threshold of confidence, in steps of 0.05, with the best mean F1.
double choose_threshold(const Matrix& scores, const SparseView& tags, const ConfidenceMap& map);

/// The tags that make up half of all uses, the commonest first: 1 where a tag is one of them.
std::vector<std::uint8_t> popular_tags(const SparseView& tags);

/// How many of an item's tags are shown at most.
inline constexpr std::size_t kMostShown = 10;

/// Sums up what was shown; `in_time` if the items are in the order of their times.
ShownSuggestions sum_up(std::span<const ShownOfItem> items, bool in_time);

/// Of the share of these in which they are 1, 95 %: items in the order of their times are drawn by
/// blocks of about the root of their number.
Interval share_interval(std::span<const double> values, bool in_time);

/// A share found in a part of time, with its standard error.
struct ShareInTime {
  double share = 0;
  double error = 0;
};

/// How far the share may be off in the two parts of time that come next, where the mean of the last
/// two is expected: half of a 95 % interval, by what a random walk with the steps seen so far does.
/// Steps that the errors of the parts explain count as none; 0 for fewer than four parts.
double drift_to_come(std::span<const ShareInTime> parts);

/// All but what is about older items. Confidence and threshold are judged by halves: what one half
/// of the items gives is tried on the other. With `in_time` the items are in the order of their
/// times, and the halves are the earlier and the later one. `popular` has a number for each tag.
SuggesterQuality judge_suggestions(const Matrix& scores, const SparseView& tags,
                                   const std::vector<std::uint8_t>& popular, bool in_time,
                                   int jobs = 0);

}  // namespace commonplace::suggest

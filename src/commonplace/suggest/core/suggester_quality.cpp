#include "commonplace/suggest/core/suggester_quality.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/parallel.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/suggest/core/suggester.h"

namespace commonplace {
namespace {

constexpr std::size_t kFirst = 5;
/// Of an item's tags, by score, so many are looked at for confidence.
constexpr std::int64_t kLookedAt = 50;
constexpr double kLeastConfidence = 0.01;

std::span<const float> row_of(const Matrix& scores, std::int64_t row) {
  return {scores.row(row).data(), static_cast<std::size_t>(scores.cols())};
}

/// Marks the tags of one item after the other.
class Marks {
 public:
  explicit Marks(const SparseView& tags)
      : tags_(tags), has_(static_cast<std::size_t>(tags.columns)) {}

  void set(std::int64_t item) {
    clear();
    item_ = item;
    const auto values = tags_.row_values(item);
    const auto of_item = tags_.row_indices(item);
    for (std::size_t i = 0; i < of_item.size(); ++i)
      if (values[i] > 0) {
        has_[static_cast<std::size_t>(of_item[i])] = 1;
        ++count_;
      }
  }
  std::uint8_t operator[](std::int32_t tag) const { return has_[static_cast<std::size_t>(tag)]; }
  std::size_t count() const { return count_; }

 private:
  void clear() {
    if (item_ >= 0)
      for (const std::int32_t tag : tags_.row_indices(item_))
        has_[static_cast<std::size_t>(tag)] = 0;
    count_ = 0;
  }
  SparseView tags_;
  std::vector<std::uint8_t> has_;
  std::int64_t item_ = -1;
  std::size_t count_ = 0;
};

/// Pairs of item and tag: the score, and whether the item has the tag.
struct Pairs {
  std::vector<float> scores;
  std::vector<std::uint8_t> outcomes;
};

/// Of the items whose number leaves `remainder` when divided by `step`.
Pairs best_pairs(const Matrix& scores, const SparseView& tags, std::int64_t step,
                 std::int64_t remainder) {
  Pairs pairs;
  Marks has(tags);
  for (std::int64_t item = remainder; item < scores.rows(); item += step) {
    has.set(item);
    for (const std::int32_t tag : best_tags(row_of(scores, item), kLookedAt)) {
      pairs.scores.push_back(scores(item, tag));
      pairs.outcomes.push_back(has[tag]);
    }
  }
  return pairs;
}

/// Mean F1 over the items of the tags that have at least each of these confidences.
std::vector<double> mean_f1_of(const Matrix& scores, const SparseView& tags,
                               const ConfidenceMap& map, std::span<const double> thresholds) {
  std::vector<double> sums(thresholds.size());
  Marks has(tags);
  for (std::int64_t item = 0; item < scores.rows(); ++item) {
    has.set(item);
    // By falling confidence, so that each threshold is met by a first part.
    std::vector<double> confidences;
    std::vector<double> right = {0};
    for (const std::int32_t tag : best_tags(row_of(scores, item), kLookedAt)) {
      confidences.push_back(confidence(map, static_cast<double>(scores(item, tag))));
      right.push_back(right.back() + has[tag]);
    }
    for (std::size_t i = 0; i < thresholds.size(); ++i) {
      const auto given =
          static_cast<std::size_t>(std::find_if(confidences.begin(), confidences.end(),
                                                [&](double each) { return each < thresholds[i]; }) -
                                   confidences.begin());
      const double all = static_cast<double>(given + has.count());
      sums[i] += all > 0 ? 2 * right[given] / all : 1;
    }
  }
  if (scores.rows() > 0)
    for (double& sum : sums) sum /= static_cast<double>(scores.rows());
  return sums;
}

}  // namespace

std::vector<double> ndcg_of_items(const Matrix& scores, const SparseView& tags, int jobs) {
  std::vector<double> result(static_cast<std::size_t>(scores.rows()));
  parallel_for(result.size(), jobs, [&](std::size_t begin, std::size_t end) {
    Marks has(tags);
    for (std::size_t item = begin; item < end; ++item) {
      const auto row = static_cast<std::int64_t>(item);
      has.set(row);
      std::vector<std::uint8_t> hits;
      for (const std::int32_t tag : best_tags(row_of(scores, row), kFirst))
        hits.push_back(has[tag]);
      result[item] = ndcg_at(hits, has.count(), kFirst);
    }
  });
  return result;
}

ConfidenceMap learn_confidence(const Matrix& scores, const SparseView& tags) {
  const Pairs pairs = best_pairs(scores, tags, 1, 0);
  return fit_confidence(pairs.scores, pairs.outcomes);
}

double mean_f1(const Matrix& scores, const SparseView& tags, const ConfidenceMap& map,
               double threshold) {
  return mean_f1_of(scores, tags, map, {&threshold, 1}).front();
}

double choose_threshold(const Matrix& scores, const SparseView& tags, const ConfidenceMap& map) {
  std::vector<double> thresholds;
  for (int step = 1; step < 20; ++step) thresholds.push_back(0.05 * step);
  const std::vector<double> f1 = mean_f1_of(scores, tags, map, thresholds);
  const auto best = std::max_element(f1.begin(), f1.end());
  return thresholds[static_cast<std::size_t>(best - f1.begin())];
}

SuggesterQuality judge_suggestions(const Matrix& scores, const SparseView& tags, int jobs) {
  SuggesterQuality quality;
  quality.items = scores.rows();
  if (quality.items == 0) return quality;
  std::vector<double> at_1, at_3, at_5;
  Marks has(tags);
  for (std::int64_t item = 0; item < scores.rows(); ++item) {
    has.set(item);
    std::vector<std::uint8_t> hits;
    for (const std::int32_t tag : best_tags(row_of(scores, item), kFirst)) hits.push_back(has[tag]);
    at_1.push_back(precision_at(hits, 1));
    at_3.push_back(precision_at(hits, 3));
    at_5.push_back(precision_at(hits, 5));
  }
  quality.precision_at_1 = mean(at_1);
  quality.precision_at_3 = mean(at_3);
  quality.precision_at_5 = mean(at_5);
  quality.precision_at_1_interval = bootstrap_mean(at_1);
  quality.ndcg_at_5 = mean(ndcg_of_items(scores, tags, jobs));

  std::vector<double> given;
  std::vector<std::uint8_t> outcomes;
  const Pairs halves[] = {best_pairs(scores, tags, 2, 0), best_pairs(scores, tags, 2, 1)};
  for (int half = 0; half < 2; ++half) {
    const ConfidenceMap map = fit_confidence(halves[1 - half].scores, halves[1 - half].outcomes);
    for (std::size_t i = 0; i < halves[half].scores.size(); ++i) {
      const double chance = confidence(map, static_cast<double>(halves[half].scores[i]));
      if (chance < kLeastConfidence) continue;
      given.push_back(chance);
      outcomes.push_back(halves[half].outcomes[i]);
    }
  }
  if (given.empty()) return quality;
  quality.reliability = calibration_bins(given, outcomes);
  quality.calibration_error = expected_calibration_error(quality.reliability);
  return quality;
}

}  // namespace commonplace

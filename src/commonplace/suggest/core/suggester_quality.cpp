#include "commonplace/suggest/core/suggester_quality.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "commonplace/base/parallel.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/suggest/core/suggester.h"

namespace commonplace::suggest {
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

/// The items from `begin` on, by `step`, as many as `end` allows.
struct Some {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;
};

/// Pairs of item and tag: the score, and whether the item has the tag.
struct Pairs {
  std::vector<float> scores;
  std::vector<std::uint8_t> outcomes;
};

Pairs best_pairs(const Matrix& scores, const SparseView& tags, const Some& some) {
  Pairs pairs;
  Marks has(tags);
  for (std::int64_t item = some.begin; item < some.end; item += some.step) {
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
                               const ConfidenceMap& map, std::span<const double> thresholds,
                               const Some& some) {
  std::vector<double> sums(thresholds.size());
  double items = 0;
  Marks has(tags);
  for (std::int64_t item = some.begin; item < some.end; item += some.step, ++items) {
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
  if (items > 0)
    for (double& sum : sums) sum /= items;
  return sums;
}

/// Whatever the map, a threshold in steps of 0.05.
double best_threshold(const Matrix& scores, const SparseView& tags, const ConfidenceMap& map,
                      const Some& some) {
  std::vector<double> thresholds;
  for (int step = 1; step < 20; ++step) thresholds.push_back(0.05 * step);
  const std::vector<double> f1 = mean_f1_of(scores, tags, map, thresholds, some);
  const auto best = std::max_element(f1.begin(), f1.end());
  return thresholds[static_cast<std::size_t>(best - f1.begin())];
}

/// Judges confidence and threshold by items that neither was found on.
class ByHalves {
 public:
  ByHalves(const Matrix& scores, const SparseView& tags, const std::vector<std::uint8_t>& popular)
      : scores_(scores),
        tags_(tags),
        popular_(popular),
        shown_(static_cast<std::size_t>(scores.rows())),
        rare_(shown_.size()) {}

  void judge(const Some& some, const Some& other) {
    const Pairs pairs = best_pairs(scores_, tags_, other);
    const ConfidenceMap map = fit_confidence(pairs.scores, pairs.outcomes);
    const double threshold = best_threshold(scores_, tags_, map, other);
    Marks has(tags_);
    for (std::int64_t item = some.begin; item < some.end; item += some.step) {
      has.set(item);
      judge(item, has, map, threshold);
    }
  }
  void put_into(SuggesterQuality& quality, bool in_time) const {
    quality.f1 = f1_ / static_cast<double>(scores_.rows());
    quality.shown = sum_up(shown_, in_time);
    quality.shown_rare = sum_up(rare_, in_time);
    if (!given_.empty()) quality.reliability = calibration_bins(given_, right_);
    if (!shown_confidences_.empty())
      quality.calibration_error = expected_calibration_error(shown_confidences_, shown_outcomes_);
  }

 private:
  void judge(std::int64_t item, const Marks& has, const ConfidenceMap& map, double threshold) {
    ShownOfItem& shown = shown_[static_cast<std::size_t>(item)];
    double above = 0;
    double right = 0;
    for (const std::int32_t tag : best_tags(row_of(scores_, item), kLookedAt)) {
      const double chance = confidence(map, static_cast<double>(scores_(item, tag)));
      if (chance >= kLeastConfidence) {
        given_.push_back(chance);
        right_.push_back(has[tag]);
      }
      if (chance < threshold) continue;
      ++above;
      right += has[tag];
      if (shown.count >= static_cast<double>(kMostShown)) continue;
      add(chance, has[tag], shown);
      if (popular_[static_cast<std::size_t>(tag)] == 0)
        add(chance, has[tag], rare_[static_cast<std::size_t>(item)]);
      shown_confidences_.push_back(chance);
      shown_outcomes_.push_back(has[tag]);
    }
    if (right > 0) f1_ += 2 * right / (above + static_cast<double>(has.count()));
  }
  static void add(double chance, double right, ShownOfItem& to) {
    ++to.count;
    to.confidence += chance;
    to.right += right;
  }

  const Matrix& scores_;
  SparseView tags_;
  const std::vector<std::uint8_t>& popular_;
  std::vector<ShownOfItem> shown_;
  std::vector<ShownOfItem> rare_;
  double f1_ = 0;  ///< their sum
  std::vector<double> given_;
  std::vector<std::uint8_t> right_;
  std::vector<double> shown_confidences_;
  std::vector<std::uint8_t> shown_outcomes_;
};

std::size_t block_of(std::size_t items, bool in_time) {
  return in_time ? static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(items)))) : 1;
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

std::vector<double> first_right(const Matrix& scores, const SparseView& tags) {
  std::vector<double> result;
  Marks has(tags);
  for (std::int64_t item = 0; item < scores.rows(); ++item) {
    has.set(item);
    const std::vector<std::int32_t> best = best_tags(row_of(scores, item), 1);
    result.push_back(!best.empty() && has[best[0]] != 0 ? 1 : 0);
  }
  return result;
}

ConfidenceMap learn_confidence(const Matrix& scores, const SparseView& tags) {
  const Pairs pairs = best_pairs(scores, tags, {0, scores.rows(), 1});
  return fit_confidence(pairs.scores, pairs.outcomes);
}

double mean_f1(const Matrix& scores, const SparseView& tags, const ConfidenceMap& map,
               double threshold) {
  return mean_f1_of(scores, tags, map, {&threshold, 1}, {0, scores.rows(), 1}).front();
}

double choose_threshold(const Matrix& scores, const SparseView& tags, const ConfidenceMap& map) {
  return best_threshold(scores, tags, map, {0, scores.rows(), 1});
}

std::vector<std::uint8_t> popular_tags(const SparseView& tags) {
  std::vector<std::int64_t> uses(static_cast<std::size_t>(tags.columns));
  for (const std::int32_t tag : tags.indices) ++uses[static_cast<std::size_t>(tag)];
  std::vector<std::int32_t> order(uses.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return uses[static_cast<std::size_t>(a)] > uses[static_cast<std::size_t>(b)];
  });
  std::vector<std::uint8_t> popular(uses.size());
  std::int64_t sum = 0;
  for (const std::int32_t tag : order) {
    if (2 * sum >= tags.nonzeros()) break;
    popular[static_cast<std::size_t>(tag)] = 1;
    sum += uses[static_cast<std::size_t>(tag)];
  }
  return popular;
}

ShownSuggestions sum_up(std::span<const ShownOfItem> items, bool in_time) {
  ShownSuggestions result;
  std::vector<double> right;
  std::vector<double> counts;
  for (const ShownOfItem& each : items) {
    right.push_back(each.right);
    counts.push_back(each.count);
    result.count += static_cast<std::int64_t>(each.count);
    result.confidence += each.confidence;
    result.right += each.right;
  }
  if (result.count == 0) return result;
  result.confidence /= static_cast<double>(result.count);
  result.right /= static_cast<double>(result.count);
  result.interval = bootstrap_ratio(right, counts, block_of(items.size(), in_time));
  return result;
}

Interval share_interval(std::span<const double> values, bool in_time) {
  return bootstrap_ratio(values, std::vector<double>(values.size(), 1.0),
                         block_of(values.size(), in_time));
}

double drift_to_come(std::span<const ShareInTime> parts) {
  // 97.5 % quantiles of Student's t for 3, 4, ... degrees of freedom.
  constexpr std::array kQuantiles = {3.182, 2.776, 2.571, 2.447, 2.365, 2.306};
  constexpr std::size_t kFewestSteps = 3;
  if (parts.size() < kFewestSteps + 1) return 0;
  const std::size_t steps = parts.size() - 1;
  double variance = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const double step = parts[i + 1].share - parts[i].share;
    variance +=
        step * step - parts[i].error * parts[i].error - parts[i + 1].error * parts[i + 1].error;
  }
  variance /= static_cast<double>(steps);
  // (s1 + 2 s2 + s3) / 2 lies between the means of two parts and of the next two.
  constexpr double kOfSteps = 1.5;
  return kQuantiles[std::min(steps - kFewestSteps, kQuantiles.size() - 1)] *
         std::sqrt(kOfSteps * std::max(0.0, variance));
}

SuggesterQuality judge_suggestions(const Matrix& scores, const SparseView& tags,
                                   const std::vector<std::uint8_t>& popular, bool in_time,
                                   int jobs) {
  SuggesterQuality quality;
  quality.items = scores.rows();
  if (quality.items == 0) return quality;
  const std::vector<double> at_1 = first_right(scores, tags);
  std::vector<double> at_3, at_5;
  std::vector<double> gains = ndcg_of_items(scores, tags, jobs);
  Marks has(tags);
  for (std::int64_t item = 0; item < scores.rows(); ++item) {
    has.set(item);
    std::vector<std::uint8_t> hits;
    for (const std::int32_t tag : best_tags(row_of(scores, item), kFirst)) hits.push_back(has[tag]);
    at_3.push_back(precision_at(hits, 3));
    at_5.push_back(precision_at(hits, 5));
    if (has.count() > 0) continue;
    ++quality.strange;
    gains[static_cast<std::size_t>(item)] = 0;
  }
  quality.precision_at_1 = mean(at_1);
  quality.precision_at_3 = mean(at_3);
  quality.precision_at_5 = mean(at_5);
  quality.precision_at_1_interval = share_interval(at_1, in_time);
  quality.ndcg_at_5 = mean(gains);
  quality.newest = in_time;

  const std::int64_t half = scores.rows() / 2;
  const Some first = in_time ? Some{0, half, 1} : Some{0, scores.rows(), 2};
  const Some second = in_time ? Some{half, scores.rows(), 1} : Some{1, scores.rows(), 2};
  ByHalves halves(scores, tags, popular);
  halves.judge(first, second);
  halves.judge(second, first);
  halves.put_into(quality, in_time);
  return quality;
}

}  // namespace commonplace::suggest

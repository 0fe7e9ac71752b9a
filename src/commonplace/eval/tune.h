#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "commonplace/base/clock.h"
#include "commonplace/comm/run.h"

namespace commonplace {

/// A setting that was tried on held-out items.
struct TuningTrial {
  std::string setting;
  double quality = 0;  ///< mean over the held-out items, the greater the better
  bool taken = false;  ///< by the rule, better than what was best until then

  bool operator==(const TuningTrial&) const = default;
};

/// When a trial is taken. What is tried first is the simplest, so that ties and doubts go to it.
struct TuningRule {
  /// The one-standard-error rule: the mean gain over the best must exceed its standard error.
  bool one_standard_error = true;
  /// And this.
  double least_gain = 0;
};

/// How long choosing may take; 0: as long as it needs.
struct TuningBudget {
  double seconds = 0;
  Clock::time_point begin = Clock::now();
};

/// Reads "30s", "2m", "1h" or a number of seconds, from now on; empty: no limit. Error for anything
/// else.
TuningBudget tuning_budget(const std::string& text);

/// Searches hyper-parameters by trials on held-out items: what each item gains under a setting is
/// compared, item by item, with what it gains under the best so far. Tells `run` of each trial.
/// Every rank makes all trials, and all decide by what rank 0 found.
class Tuner {
 public:
  /// What each held-out item gains under a setting.
  using Judge = std::function<std::vector<double>()>;

  explicit Tuner(const Run& run, TuningRule rule = {}, TuningBudget budget = {})
      : run_(run), rule_(rule), budget_(budget) {}

  /// Forgets the best, as another parameter is chosen: the next trial is taken.
  void begin() { best_.clear(); }
  /// Tries a setting; whether it is taken. One that the budget has no time for is not tried, and
  /// not taken, unless it is the first.
  bool attempt(const std::string& setting, const Judge& judge);
  /// The same with the rule that its mean is the greatest of those that are clearly better than
  /// `start`.
  bool attempt_over(const std::vector<double>& start, const std::string& setting,
                    const Judge& judge);

  /// Whether there is time for work of so many seconds, and at least for a trial as long as the
  /// longest. Collective where there is a budget.
  bool has_time(double seconds = 0) const;
  bool has_budget() const { return budget_.seconds > 0; }
  const std::vector<double>& best() const { return best_; }
  double quality() const;
  const std::vector<TuningTrial>& trials() const { return trials_; }

 private:
  bool attempt(const std::vector<double>* start, const std::string& setting, const Judge& judge);
  bool is_better(const std::vector<double>& gains, const std::vector<double>* start) const;

  Run run_;
  TuningRule rule_;
  TuningBudget budget_;
  double longest_ = 0;
  std::vector<double> best_;
  std::vector<TuningTrial> trials_;
};

/// Successive halving: all settings on the first of the growing sizes of sample, the better half of
/// them on the next, and so on; on the last the rule decides. Returns the place of the best.
std::size_t halve_settings(
    Tuner& tuner, std::span<const std::string> settings, std::span<const std::int64_t> sizes,
    const std::function<std::vector<double>(std::size_t setting, std::int64_t size)>& judge);

/// A way of scoring whose weight in a sum is chosen.
struct StackedWay {
  std::string name;
  std::vector<double> tried;  ///< weights, 0 or above, or factors of the weight at the start
  bool factors = false;
};

struct StackingRule {
  int rounds = 1;  ///< through all ways, unless nothing changes
  /// Of the weights of a way the greatest mean counts, among those clearly better than the weight
  /// before; otherwise each must be clearly better than the best so far.
  bool over_start = false;
};

/// Chooses the weights of ways that are stacked, from `start`, one after the other, by what each
/// held-out item gains under them.
using JudgeWeights = std::function<std::vector<double>(const std::vector<double>& weights)>;
std::vector<double> stack_ways(Tuner& tuner, std::vector<double> start,
                               std::span<const StackedWay> ways, const StackingRule& rule,
                               const JudgeWeights& judge);

/// The trials as JSON: setting, what `measure` names, taken.
std::string to_json(std::span<const TuningTrial> trials, const std::string& measure);

}  // namespace commonplace

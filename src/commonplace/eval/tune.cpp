#include "commonplace/eval/tune.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>

#include <nlohmann/json.hpp>

#include "commonplace/base/error.h"
#include "commonplace/base/number_list.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/eval/bootstrap.h"
#include "commonplace/eval/ranking_metrics.h"

namespace commonplace {

TuningBudget tuning_budget(const std::string& text) {
  TuningBudget budget;
  if (text.empty()) return budget;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, budget.seconds);
  const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  require(problem == std::errc() && std::isfinite(budget.seconds) && budget.seconds > 0 &&
              (unit.empty() || unit == "s" || unit == "m" || unit == "h"),
          "the budget is '", text, "'; expected a time such as 30s, 2m or 1h");
  budget.seconds *= unit == "m" ? 60 : unit == "h" ? 3600 : 1;
  return budget;
}

bool Tuner::has_time(double seconds) const {
  if (!has_budget()) return true;
  const double left = budget_.seconds - seconds_since(budget_.begin) - std::max(seconds, longest_);
  return run_.comm.broadcast(left, 0) > 0;
}

double Tuner::quality() const { return mean(best_); }

bool Tuner::is_better(const std::vector<double>& gains, const std::vector<double>* start) const {
  if (best_.empty()) return true;
  if (start != nullptr) return mean(gains) > mean(best_) && clearly_better(gains, *start);
  if (rule_.one_standard_error && !clearly_better(gains, best_)) return false;
  return mean(gains) > mean(best_) + rule_.least_gain;
}

bool Tuner::attempt(const std::vector<double>* start, const std::string& setting,
                    const Judge& judge) {
  if (!best_.empty() && !has_time()) return false;
  run_.progress({"choosing: " + setting, trials_.size(), 0, "settings"});
  const auto begin = Clock::now();
  std::vector<double> gains = judge();
  require(!gains.empty(), "there are no held-out items to try '", setting, "' on");
  run_.comm.broadcast(std::span<double>(gains), 0);
  longest_ = std::max(longest_, seconds_since(begin));
  const bool taken = is_better(gains, start);
  trials_.push_back({setting, mean(gains), taken});
  if (taken) best_ = std::move(gains);
  return taken;
}

bool Tuner::attempt(const std::string& setting, const Judge& judge) {
  return attempt(nullptr, setting, judge);
}

bool Tuner::attempt_over(const std::vector<double>& start, const std::string& setting,
                         const Judge& judge) {
  return attempt(&start, setting, judge);
}

std::size_t halve_settings(
    Tuner& tuner, std::span<const std::string> settings, std::span<const std::int64_t> sizes,
    const std::function<std::vector<double>(std::size_t setting, std::int64_t size)>& judge) {
  require(!settings.empty() && !sizes.empty(), "there are no settings or samples to choose by");
  std::vector<std::size_t> left(settings.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::size_t best = 0;
  for (std::size_t round = 0; round < sizes.size(); ++round) {
    tuner.begin();
    best = left.front();
    std::vector<double> means;
    for (const std::size_t each : left) {
      const std::size_t before = tuner.trials().size();
      const std::string name = sizes.size() == 1
                                   ? settings[each]
                                   : settings[each] + " on " + std::to_string(sizes[round]);
      if (tuner.attempt(name, [&] { return judge(each, sizes[round]); })) best = each;
      if (tuner.trials().size() == before) break;  // there is no time for more
      means.push_back(tuner.trials().back().quality);
    }
    if (means.size() < left.size() || left.size() == 1) return best;
    if (round + 1 == sizes.size()) return best;
    // The order of the settings, from simple to rich, stays.
    std::vector<std::size_t> order(left.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return means[a] > means[b]; });
    order.resize((left.size() + 1) / 2);
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> kept;
    for (const std::size_t place : order) kept.push_back(left[place]);
    left = std::move(kept);
  }
  return best;
}

std::vector<double> stack_ways(Tuner& tuner, std::vector<double> start,
                               std::span<const StackedWay> ways, const StackingRule& rule,
                               const JudgeWeights& judge) {
  require(start.size() == ways.size(), "there are ", start.size(), " weights for ", ways.size(),
          " ways");
  tuner.begin();
  std::vector<double> best = std::move(start);
  tuner.attempt("the usual weights", [&] { return judge(best); });
  for (int round = 0; round < rule.rounds; ++round) {
    const std::vector<double> at_first = best;
    for (std::size_t way = 0; way < ways.size(); ++way) {
      const std::vector<double> before = best;
      const std::vector<double> gained = tuner.best();
      for (const double tried : ways[way].tried) {
        std::vector<double> next = before;
        next[way] = ways[way].factors ? before[way] * tried : tried;
        if (next[way] == before[way]) continue;
        const std::string name = ways[way].name + " " + short_number(next[way]);
        const auto gains = [&] { return judge(next); };
        if (rule.over_start ? tuner.attempt_over(gained, name, gains) : tuner.attempt(name, gains))
          best = std::move(next);
      }
    }
    if (best == at_first) break;
  }
  return best;
}

std::string to_json(std::span<const TuningTrial> trials, const std::string& measure) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const TuningTrial& each : trials)
    list.push_back({{"setting", each.setting}, {measure, each.quality}, {"taken", each.taken}});
  return list.dump();
}

}  // namespace commonplace

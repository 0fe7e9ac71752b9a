#include "commonplace/eval/bootstrap.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/eval/ranking_metrics.h"

namespace commonplace {
namespace {

void check_options(std::size_t items, const BootstrapOptions& options) {
  require(items > 0, "there is no item to resample; evaluate at least one");
  require(options.resamples >= 1 && options.resamples <= 10'000'000, "cannot draw ",
          options.resamples, " resamples; give 1 to 10000000");
  require(options.confidence > 0 && options.confidence < 1, "a confidence of ", options.confidence,
          " is not possible; give one between 0 and 1, such as 0.95");
}

/// Linear between the two nearest of the ascending values.
double quantile(std::span<const double> sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

Interval percentile_interval(std::vector<double>& values, double confidence) {
  std::sort(values.begin(), values.end());
  const double tail = (1 - confidence) / 2;
  return {quantile(values, tail), quantile(values, 1 - tail)};
}

}  // namespace

std::vector<Interval> bootstrap(std::size_t items, const Measures& measures,
                                const BootstrapOptions& options) {
  check_options(items, options);
  std::vector<std::vector<double>> drawn(options.resamples);
  parallel_for(options.resamples, options.jobs, [&](std::size_t begin, std::size_t end) {
    std::vector<std::size_t> rows(items);
    for (std::size_t resample = begin; resample < end; ++resample) {
      Rng rng(options.seed, resample);
      for (std::size_t& row : rows) row = rng.below(items);
      drawn[resample] = measures(rows);
    }
  });
  std::vector<Interval> intervals;
  std::vector<double> values(options.resamples);
  for (std::size_t measure = 0; measure < drawn.front().size(); ++measure) {
    for (std::size_t resample = 0; resample < drawn.size(); ++resample)
      values[resample] = drawn[resample].at(measure);
    intervals.push_back(percentile_interval(values, options.confidence));
  }
  return intervals;
}

Interval bootstrap_measure(std::size_t items,
                           const std::function<double(std::span<const std::size_t> rows)>& measure,
                           const BootstrapOptions& options) {
  const auto one = [&](std::span<const std::size_t> rows) {
    return std::vector<double>{measure(rows)};
  };
  return bootstrap(items, one, options).front();
}

Interval bootstrap_mean(std::span<const double> values, const BootstrapOptions& options) {
  const auto mean_of = [&](std::span<const std::size_t> rows) {
    double total = 0;
    for (const std::size_t row : rows) total += values[row];
    return total / static_cast<double>(rows.size());
  };
  return bootstrap_measure(values.size(), mean_of, options);
}

Interval bootstrap_ratio(std::span<const double> parts, std::span<const double> wholes,
                         std::size_t block, const BootstrapOptions& options) {
  require(parts.size() == wholes.size() && block >= 1, "there are ", parts.size(), " parts for ",
          wholes.size(), " wholes, by ", block);
  std::vector<std::pair<double, double>> sums((parts.size() + block - 1) / block);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sums[i / block].first += parts[i];
    sums[i / block].second += wholes[i];
  }
  const auto ratio = [&](std::span<const std::size_t> blocks) {
    double part = 0;
    double whole = 0;
    for (const std::size_t each : blocks) {
      part += sums[each].first;
      whole += sums[each].second;
    }
    return whole > 0 ? part / whole : 0;
  };
  return bootstrap_measure(sums.size(), ratio, options);
}

Measured measured(std::span<const double> values) { return {mean(values), bootstrap_mean(values)}; }

Interval bootstrap_mean_difference(std::span<const double> first, std::span<const double> second,
                                   const BootstrapOptions& options) {
  require(first.size() == second.size(), "a paired comparison of ", first.size(), " and ",
          second.size(), " values is not possible; both must be of the same items");
  std::vector<double> differences(first.size());
  std::transform(first.begin(), first.end(), second.begin(), differences.begin(), std::minus<>());
  return bootstrap_mean(differences, options);
}

bool clearly_better(std::span<const double> first, std::span<const double> second) {
  require(first.size() == second.size(), "there are ", first.size(), " values beside ",
          second.size());
  const auto count = static_cast<double>(first.size());
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    sum += first[i] - second[i];
    squares += (first[i] - second[i]) * (first[i] - second[i]);
  }
  // Rounding can take it below 0 where all differences are the same.
  const double variance = std::max(0.0, squares - sum * sum / count) / std::max(count - 1, 1.0);
  return sum > 0 && sum / count > std::sqrt(variance / count);
}

}  // namespace commonplace

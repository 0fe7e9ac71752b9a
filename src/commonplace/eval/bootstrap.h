#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace commonplace {

/// How far a measure may be off because these items were evaluated and not others: the percentile
/// bootstrap. Each resample draws as many items as there are, with replacement; resample b is a
/// function of (seed, b), so the answer depends neither on the threads nor on what ran before.

struct BootstrapOptions {
  std::size_t resamples = 1000;
  double confidence = 0.95;  ///< in (0, 1)
  std::uint64_t seed = 1;
  int jobs = 1;  ///< threads; 0 for all processors
};

struct Interval {
  double low = 0;
  double high = 0;

  bool operator==(const Interval&) const = default;
};
inline std::array<double, 2> both_ends(const Interval& interval) {
  return {interval.low, interval.high};
}

/// Several measures of the items in `rows`, in which an item may occur more than once. Called on
/// several threads at once if `jobs` is not 1, with the same number of measures each time.
using Measures = std::function<std::vector<double>(std::span<const std::size_t> rows)>;

/// An interval for each measure of 0 .. items-1. O(resamples) calls. Error if there are no items or
/// an option is out of range.
std::vector<Interval> bootstrap(std::size_t items, const Measures& measures,
                                const BootstrapOptions& options = {});

/// Of one measure of the items in `rows`.
Interval bootstrap_measure(std::size_t items,
                           const std::function<double(std::span<const std::size_t> rows)>& measure,
                           const BootstrapOptions& options = {});

/// Of the mean of per-item values. O(resamples * n).
Interval bootstrap_mean(std::span<const double> values, const BootstrapOptions& options = {});

/// Of the sum of `parts` divided by that of `wholes`, which have one number for each item, where
/// `block` items next to each other are drawn together: items of one hour are alike, and say less
/// than as many of different ones. 0 where a resample has nothing. Error if the lengths differ.
Interval bootstrap_ratio(std::span<const double> parts, std::span<const double> wholes,
                         std::size_t block = 1, const BootstrapOptions& options = {});

/// A mean and its 95 % interval.
struct Measured {
  double value = 0;
  Interval interval;
};
Measured measured(std::span<const double> values);

/// Of mean(first) - mean(second), where both hold a value for each of the same items: if 0 is
/// outside, the difference is significant. Error if the lengths differ.
Interval bootstrap_mean_difference(std::span<const double> first, std::span<const double> second,
                                   const BootstrapOptions& options = {});

/// Whether the mean of first - second is greater than its standard error: a rule to choose by, far
/// from significance. False for nothing. O(n).
bool clearly_better(std::span<const double> first, std::span<const double> second);

}  // namespace commonplace

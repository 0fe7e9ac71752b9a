#include "commonplace/search/core/fitting.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"

namespace commonplace::search {
namespace {

/// The middle of fewer items says nothing of what does not fit.
constexpr std::size_t kFewestAlike = 50;
/// Of `least`, what an item must have that is shown beside better ones.
constexpr double kShown = 0.5;
/// An item must be so many spreads above the middle one.
constexpr double kAboveMiddle = 0.5;
constexpr double kCertainSpreads = 6;
/// What is certain fits by 0.95, so that what is more alike still stands before it.
constexpr double kSteepness = 3;
/// The middle and the spread are of so many items at most, evenly drawn.
constexpr std::size_t kFittingSample = 4096;

}  // namespace

std::vector<float> fits(const Fitting& fitting, std::span<const float> similarities) {
  std::vector<float> known;
  const std::size_t step = std::max<std::size_t>(1, similarities.size() / kFittingSample);
  float best = -1;
  for (std::size_t i = 0; i < similarities.size(); ++i) {
    if (std::isnan(similarities[i])) continue;
    best = std::max(best, similarities[i]);
    if (i % step == 0) known.push_back(similarities[i]);
  }
  if (known.empty()) return {};
  std::sort(known.begin(), known.end());
  const double middle = known[known.size() / 2];
  // Of the lower half: what fits is in the upper one.
  const double spread = std::max(1e-6, middle - static_cast<double>(known[known.size() * 4 / 25]));
  const bool many = known.size() >= kFewestAlike;
  if (static_cast<double>(best) < fitting.least) return {};
  if (many && static_cast<double>(best) < middle + fitting.spread * spread) return {};
  double low = kShown * fitting.least;
  if (many) low = std::max(low, middle + kAboveMiddle * spread);
  const double certain = std::max(
      fitting.certain > 0 ? fitting.certain : middle + kCertainSpreads * spread, low + 1e-3);
  std::vector<float> result(similarities.size());
  for (std::size_t i = 0; i < similarities.size(); ++i) {
    const auto similarity = static_cast<double>(similarities[i]);
    if (similarity > low)  // false for NaN
      result[i] =
          static_cast<float>(1 - std::exp(-kSteepness * (similarity - low) / (certain - low)));
  }
  return result;
}

}  // namespace commonplace::search

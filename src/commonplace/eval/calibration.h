#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace commonplace {

/// Predictions with about the same confidence, and how often they came true.
struct CalibrationBin {
  std::size_t count = 0;
  double mean_probability = 0;
  double frequency = 0;  ///< share of them that came true
};
template <class Visit>
void visit_fields(const CalibrationBin& bin, Visit&& visit) {
  visit("pairs", bin.count, "in it");
  visit("confidence", bin.mean_probability, "on average");
  visit("right", bin.frequency, "the share that is");
}

enum class Binning {
  equal_width,  ///< [0, 1/bins), [1/bins, 2/bins), .. and 1 in the last
  equal_mass,   ///< about n / bins predictions each; equal probabilities stay together
};

/// The bins that are not empty, by rising probability: the points of a reliability diagram.
/// `outcomes[i]` is not 0 if prediction i came true. O(n), or O(n log n) for equal mass. Error if
/// the lengths differ, a probability is not in [0, 1], or `bins` is 0.
std::vector<CalibrationBin> calibration_bins(std::span<const double> probabilities,
                                             std::span<const std::uint8_t> outcomes,
                                             std::size_t bins = 10,
                                             Binning binning = Binning::equal_width);

/// The mean of |mean_probability - frequency| over the bins, weighted by count. Error if there are
/// no predictions.
double expected_calibration_error(std::span<const CalibrationBin> bins);
double expected_calibration_error(std::span<const double> probabilities,
                                  std::span<const std::uint8_t> outcomes, std::size_t bins = 10,
                                  Binning binning = Binning::equal_width);

/// The mean of (probability - outcome)^2. Error if there are no predictions.
double brier_score(std::span<const double> probabilities, std::span<const std::uint8_t> outcomes);

}  // namespace commonplace

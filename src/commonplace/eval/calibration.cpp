#include "commonplace/eval/calibration.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

void check_predictions(std::span<const double> probabilities,
                       std::span<const std::uint8_t> outcomes) {
  require(probabilities.size() == outcomes.size(), "there are ", probabilities.size(),
          " probabilities and ", outcomes.size(), " outcomes; give one of each for a prediction");
  for (std::size_t i = 0; i < probabilities.size(); ++i)
    require(probabilities[i] >= 0 && probabilities[i] <= 1, "probability ", i, " is ",
            probabilities[i], "; it must be between 0 and 1");
}

/// Sums while filling, means after `finish`.
class BinFiller {
 public:
  void add(double probability, std::uint8_t outcome) {
    ++bin_.count;
    bin_.mean_probability += probability;
    bin_.frequency += outcome != 0 ? 1 : 0;
  }
  void finish(std::vector<CalibrationBin>& bins) {
    if (bin_.count == 0) return;
    bin_.mean_probability /= static_cast<double>(bin_.count);
    bin_.frequency /= static_cast<double>(bin_.count);
    bins.push_back(bin_);
    bin_ = {};
  }

 private:
  CalibrationBin bin_;
};

std::vector<CalibrationBin> bins_of_equal_width(std::span<const double> probabilities,
                                                std::span<const std::uint8_t> outcomes,
                                                std::size_t bins) {
  std::vector<BinFiller> fillers(bins);
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const auto bin = static_cast<std::size_t>(probabilities[i] * static_cast<double>(bins));
    fillers[std::min(bin, bins - 1)].add(probabilities[i], outcomes[i]);
  }
  std::vector<CalibrationBin> result;
  for (BinFiller& filler : fillers) filler.finish(result);
  return result;
}

std::vector<CalibrationBin> bins_of_equal_mass(std::span<const double> probabilities,
                                               std::span<const std::uint8_t> outcomes,
                                               std::size_t bins) {
  const std::size_t count = probabilities.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return probabilities[a] < probabilities[b]; });
  std::vector<CalibrationBin> result;
  BinFiller filler;
  std::size_t current = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // A tie goes where its first goes, so that the order of the predictions does not matter.
    const bool tied = i > 0 && probabilities[order[i]] == probabilities[order[i - 1]];
    const std::size_t bin = tied ? current : i * bins / count;
    if (bin != current) filler.finish(result);
    current = bin;
    filler.add(probabilities[order[i]], outcomes[order[i]]);
  }
  filler.finish(result);
  return result;
}

}  // namespace

std::vector<CalibrationBin> calibration_bins(std::span<const double> probabilities,
                                             std::span<const std::uint8_t> outcomes,
                                             std::size_t bins, Binning binning) {
  check_predictions(probabilities, outcomes);
  require(bins >= 1 && bins <= 1'000'000, "cannot use ", bins, " bins; give 1 to 1000000");
  return binning == Binning::equal_width ? bins_of_equal_width(probabilities, outcomes, bins)
                                         : bins_of_equal_mass(probabilities, outcomes, bins);
}

double expected_calibration_error(std::span<const CalibrationBin> bins) {
  double error = 0;
  double count = 0;
  for (const CalibrationBin& bin : bins) {
    const auto weight = static_cast<double>(bin.count);
    error += weight * std::abs(bin.mean_probability - bin.frequency);
    count += weight;
  }
  require(count > 0, "there are no predictions to evaluate");
  return error / count;
}

double expected_calibration_error(std::span<const double> probabilities,
                                  std::span<const std::uint8_t> outcomes, std::size_t bins,
                                  Binning binning) {
  return expected_calibration_error(calibration_bins(probabilities, outcomes, bins, binning));
}

double brier_score(std::span<const double> probabilities, std::span<const std::uint8_t> outcomes) {
  check_predictions(probabilities, outcomes);
  require(!probabilities.empty(), "there are no predictions to evaluate");
  double total = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double error = probabilities[i] - (outcomes[i] != 0 ? 1 : 0);
    total += error * error;
  }
  return total / static_cast<double>(probabilities.size());
}

}  // namespace commonplace

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace commonplace {

/// From a score to the probability that it is right, learned from outcomes: rising, linear between
/// its points and constant beyond them.
struct ConfidenceMap {
  std::vector<double> score;        ///< ascending
  std::vector<double> probability;  ///< as many, never falling, in [0, 1]
};

/// Isotonic regression (pool adjacent violators) over stretches of scores that hold at least
/// `positives` right ones each, as the right ones are few among many; linear between the middles of
/// the stretches, and from the last ones on to the least and the greatest score by a standard
/// error, so that it rises strictly with the scores seen. Never certain: above 0 and at most 0.99,
/// and of a stretch of n that were all right or all wrong 0.5 / (n + 1) away. Without any outcome
/// the map is the score itself, cut to [0.01, 0.99]. O(n log n). Error if the lengths differ or a
/// score is not a number.
ConfidenceMap fit_confidence(std::span<const float> scores, std::span<const std::uint8_t> outcomes,
                             std::size_t positives = 25);

/// Error if a map that came from a file is not one.
void check(const ConfidenceMap& map);

double confidence(const ConfidenceMap& map, double score);

}  // namespace commonplace

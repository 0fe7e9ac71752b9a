#pragma once

#include <span>

namespace commonplace {

/// How unlike two distributions over the same outcomes are, in bits. Both functions take counts or
/// probabilities and divide each side by its sum. O(n). Error if the lengths differ, a weight is
/// negative or not finite, or a side sums to 0.

/// Kullback-Leibler divergence: the sum of p log2(p / q). Not symmetric; infinite where q has no
/// weight and p has.
double kullback_leibler(std::span<const double> p, std::span<const double> q);

/// Jensen-Shannon divergence: the mean divergence of the two from their mixture. Symmetric, 0 for
/// the same distribution, 1 for ones that share no outcome. (Its square root is a metric.)
double jensen_shannon(std::span<const double> p, std::span<const double> q);

}  // namespace commonplace

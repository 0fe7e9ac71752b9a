#pragma once

#include <cmath>
#include <numbers>

namespace commonplace::suggest {

/// What observing one item's side does to its latent function, normal with some mean and variance,
/// by assumed density filtering with the probit likelihood (Lawrence, Seeger & Herbrich 2003): the
/// mean moves by variance · `slope`, the variance falls by variance² · `curvature`.
struct ProbitSite {
  double slope = 0;
  double curvature = 0;
};

/// The derivative of ln Phi(z), without underflow far to the left.
inline double probit_hazard(double z) {
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  if (z < -8) return -z / (1 - 1 / (z * z) + 3 / (z * z * z * z));
  return density / (0.5 * std::erfc(-z / std::numbers::sqrt2));
}

/// `side` is 1 or -1.
inline ProbitSite probit_site(double mean, double variance, double side) {
  const double spread = 1 + variance;
  const double root = std::sqrt(spread);
  const double slope = side * probit_hazard(side * mean / root) / root;
  return {slope, slope * (slope + mean / spread)};
}

}  // namespace commonplace::suggest

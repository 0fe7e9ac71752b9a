#include "commonplace/eval/divergence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

std::vector<double> distribution(std::span<const double> weights) {
  double sum = 0;
  for (const double weight : weights) {
    require(weight >= 0 && std::isfinite(weight), "a weight of ", weight,
            " is not possible in a distribution; weights are finite and not negative");
    sum += weight;
  }
  require(sum > 0 && std::isfinite(sum), "the weights of a distribution sum to ", sum,
          "; the sum must be above 0 and finite");
  std::vector<double> shares(weights.begin(), weights.end());
  for (double& share : shares) share /= sum;
  return shares;
}

void require_same_outcomes(std::span<const double> p, std::span<const double> q) {
  require(p.size() == q.size(), "one distribution has ", p.size(), " outcomes and the other ",
          q.size(), "; both must be over the same");
}

}  // namespace

double kullback_leibler(std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  const std::vector<double> first = distribution(p);
  const std::vector<double> second = distribution(q);
  double bits = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == 0) continue;
    if (second[i] == 0) return std::numeric_limits<double>::infinity();
    bits += first[i] * std::log2(first[i] / second[i]);
  }
  // Rounding may leave equal distributions a hair below 0.
  return std::max(bits, 0.0);
}

double jensen_shannon(std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  const std::vector<double> first = distribution(p);
  const std::vector<double> second = distribution(q);
  double bits = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double both = first[i] + second[i];
    if (first[i] > 0) bits += first[i] * std::log2(2 * first[i] / both);
    if (second[i] > 0) bits += second[i] * std::log2(2 * second[i] / both);
  }
  return std::clamp(bits / 2, 0.0, 1.0);
}

}  // namespace commonplace

#include "commonplace/eval/confidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

/// Nothing is surer than this.
constexpr double kSurest = 0.99;

/// Scores next to each other, taken together.
struct Stretch {
  double count = 0;
  double scores = 0;  ///< their sum
  double right = 0;

  double rate() const { return right / count; }
  void add(const Stretch& other) {
    count += other.count;
    scores += other.scores;
    right += other.right;
  }
};

/// From the greatest score down, cut whenever enough right ones are in and the score changes.
std::vector<Stretch> cut(std::span<const float> scores, std::span<const std::uint8_t> outcomes,
                         std::size_t positives) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  std::vector<Stretch> stretches;
  Stretch current;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && current.right >= static_cast<double>(positives) &&
        scores[order[i]] != scores[order[i - 1]]) {
      stretches.push_back(current);
      current = {};
    }
    current.add({1, static_cast<double>(scores[order[i]]), outcomes[order[i]] ? 1.0 : 0.0});
  }
  if (current.count > 0) stretches.push_back(current);
  std::reverse(stretches.begin(), stretches.end());
  return stretches;
}

/// Joins neighbours until rates rise.
std::vector<Stretch> pool(const std::vector<Stretch>& stretches) {
  std::vector<Stretch> pooled;
  for (const Stretch& each : stretches) {
    pooled.push_back(each);
    while (pooled.size() > 1 && pooled[pooled.size() - 2].rate() >= pooled.back().rate()) {
      pooled[pooled.size() - 2].add(pooled.back());
      pooled.pop_back();
    }
  }
  return pooled;
}

/// Lets the map go on to the least and the greatest score, by the standard error of the rate there,
/// so that scores beyond the middle of a stretch are still told apart.
void add_ends(ConfidenceMap& map, std::span<const float> scores,
              const std::vector<Stretch>& stretches) {
  const auto ends = std::minmax_element(scores.begin(), scores.end());
  const auto error = [](double rate, double count) { return std::sqrt(rate * (1 - rate) / count); };
  const double first = map.probability.front();
  const double last = map.probability.back();
  if (const auto score = static_cast<double>(*ends.second); score > map.score.back()) {
    map.score.push_back(score);
    map.probability.push_back(last + std::min(error(last, stretches.back().count), (1 - last) / 2));
  }
  if (const auto score = static_cast<double>(*ends.first); score < map.score.front()) {
    map.score.insert(map.score.begin(), score);
    map.probability.insert(map.probability.begin(),
                           first - std::min(error(first, stretches.front().count), first / 2));
  }
}

}  // namespace

ConfidenceMap fit_confidence(std::span<const float> scores, std::span<const std::uint8_t> outcomes,
                             std::size_t positives) {
  require(scores.size() == outcomes.size(), "there are ", scores.size(), " scores for ",
          outcomes.size(), " outcomes");
  for (const float score : scores) require(std::isfinite(score), "a score is not a number");
  if (scores.empty()) return {{1 - kSurest, kSurest}, {1 - kSurest, kSurest}};
  const std::vector<Stretch> stretches = pool(cut(scores, outcomes, positives));
  ConfidenceMap map;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const Stretch& each = stretches[i];
    map.score.push_back(each.scores / each.count);
    // Rates rise, so that only the first can be 0 and only the last 1: half a right or a wrong one
    // is added, since that there was none yet does not make it certain.
    const double half = 0.5 / (each.count + 1);
    const double above = i + 1 < stretches.size() ? stretches[i + 1].rate() : 1;
    const double before = i > 0 ? map.probability.back() : 0;
    map.probability.push_back(each.rate() == 0   ? std::min(half, above / 2)
                              : each.rate() == 1 ? std::max(1 - half, (1 + before) / 2)
                                                 : each.rate());
  }
  add_ends(map, scores, stretches);
  const double most = map.probability.back();
  if (most > kSurest)
    for (double& probability : map.probability) probability *= kSurest / most;
  return map;
}

void check(const ConfidenceMap& map) {
  require(!map.score.empty() && map.score.size() == map.probability.size(),
          "the map from scores to confidence has ", map.score.size(), " scores and ",
          map.probability.size(), " probabilities");
  for (std::size_t i = 0; i < map.score.size(); ++i)
    require(std::isfinite(map.score[i]) && map.probability[i] >= 0 && map.probability[i] <= 1 &&
                (i == 0 || (map.score[i] >= map.score[i - 1] &&
                            map.probability[i] >= map.probability[i - 1])),
            "the map from scores to confidence does not rise");
}

double confidence(const ConfidenceMap& map, double score) {
  const auto above = std::upper_bound(map.score.begin(), map.score.end(), score);
  if (above == map.score.begin()) return map.probability.front();
  if (above == map.score.end()) return map.probability.back();
  const auto i = static_cast<std::size_t>(above - map.score.begin());
  const double part = (score - map.score[i - 1]) / (map.score[i] - map.score[i - 1]);
  return map.probability[i - 1] + part * (map.probability[i] - map.probability[i - 1]);
}

}  // namespace commonplace

#include "commonplace/eval/ranking_metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/eval/score_order.h"

namespace commonplace {
namespace {

constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

std::size_t count_hits(Hits hits, std::size_t k) {
  const Hits first = hits.first(std::min(k, hits.size()));
  return static_cast<std::size_t>(
      std::count_if(first.begin(), first.end(), [](std::uint8_t hit) { return hit != 0; }));
}

void require_possible(Hits hits, std::size_t relevant) {
  const std::size_t found = count_hits(hits, everything);
  require(found <= relevant, "the list holds ", found, " hits, but only ", relevant,
          " results are said to be relevant; count the relevant ones that the list misses too");
}

double ratio(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

double discount(std::size_t index) { return 1 / std::log2(static_cast<double>(index) + 2); }

double discounted_gain(std::span<const double> gains, std::size_t k) {
  double total = 0;
  for (std::size_t i = 0; i < std::min(k, gains.size()); ++i) total += gains[i] * discount(i);
  return total;
}

}  // namespace

std::vector<std::uint8_t> rank_by_score(std::span<const double> scores, Hits relevant) {
  require(scores.size() == relevant.size(), "there are ", scores.size(), " scores for ",
          relevant.size(), " relevance flags; give one for each");
  std::vector<std::uint8_t> hits;
  hits.reserve(scores.size());
  for (const std::size_t item : order_by_falling_score(scores)) hits.push_back(relevant[item]);
  return hits;
}

double precision_at(Hits hits, std::size_t k) { return ratio(count_hits(hits, k), k); }

double recall_at(Hits hits, std::size_t relevant, std::size_t k) {
  require_possible(hits, relevant);
  return ratio(count_hits(hits, k), relevant);
}

double f1_at(Hits hits, std::size_t relevant, std::size_t k) {
  require_possible(hits, relevant);
  // 2pr / (p + r) with p = found / k and r = found / relevant.
  return ratio(2 * count_hits(hits, k), k + relevant);
}

double average_precision(Hits hits, std::size_t relevant) {
  require_possible(hits, relevant);
  if (relevant == 0) return 0;
  std::size_t found = 0;
  double total = 0;
  for (std::size_t i = 0; i < hits.size(); ++i)
    if (hits[i] != 0) total += ratio(++found, i + 1);
  return total / static_cast<double>(relevant);
}

std::array<double, 11> interpolated_precision(Hits hits, std::size_t relevant) {
  std::array<double, 11> curve{};
  std::size_t found = count_hits(hits, everything);
  require_possible(hits, relevant);
  if (relevant == 0) return curve;
  // Only positions of hits can be the highest. From the last one to the first, the highest so far
  // belongs to every level that this position's recall reaches.
  double highest = 0;
  for (std::size_t i = hits.size(); i-- > 0;) {
    if (hits[i] == 0) continue;
    highest = std::max(highest, ratio(found, i + 1));
    // found / relevant >= level / 10, in integers.
    const std::size_t reached = 10 * found / relevant;
    std::fill_n(curve.begin(), reached + 1, highest);
    --found;
  }
  return curve;
}

double interpolated_average_precision(Hits hits, std::size_t relevant) {
  return mean(interpolated_precision(hits, relevant));
}

double precision_at_recall(Hits hits, std::size_t relevant, double recall) {
  require(recall > 0 && recall <= 1, "cannot measure precision at recall ", recall,
          "; it must be above 0 and at most 1");
  require_possible(hits, relevant);
  // The slack keeps a product such as 0.1 * 70 from being rounded to one hit more.
  const auto needed =
      static_cast<std::size_t>(std::ceil(recall * static_cast<double>(relevant) * (1 - 1e-12)));
  std::size_t found = 0;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    if (hits[i] != 0) ++found;
    if (found > 0 && found >= needed) return ratio(found, i + 1);
  }
  return 0;
}

double ndcg_at(Hits hits, std::size_t relevant, std::size_t k) {
  require_possible(hits, relevant);
  if (relevant == 0) return 1;
  double gained = 0;
  for (std::size_t i = 0; i < std::min(k, hits.size()); ++i)
    if (hits[i] != 0) gained += discount(i);
  double best = 0;
  for (std::size_t i = 0; i < std::min(k, relevant); ++i) best += discount(i);
  return best > 0 ? gained / best : 0;
}

double graded_ndcg_at(std::span<const double> gains, std::span<const double> possible,
                      std::size_t k) {
  for (const std::span<const double> list : {gains, possible})
    for (const double gain : list)
      require(gain >= 0 && std::isfinite(gain), "a gain of ", gain,
              " is not possible; gains are finite and not negative");
  const double all_possible = std::accumulate(possible.begin(), possible.end(), 0.0);
  if (all_possible == 0) return 1;
  std::vector<double> best(possible.begin(), possible.end());
  std::sort(best.begin(), best.end(), std::greater<>());
  const double ideal = discounted_gain(best, k);
  return ideal > 0 ? discounted_gain(gains, k) / ideal : 0;
}

std::vector<double> rank_gains_by_score(std::span<const double> scores,
                                        std::span<const double> gains) {
  require(scores.size() == gains.size(), "there are ", scores.size(), " scores for ", gains.size(),
          " gains; give one for each");
  const std::vector<std::size_t> order = order_by_falling_score(scores);
  std::vector<double> ranked(order.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double total = 0;
    for (end = begin; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end)
      total += gains[order[end]];
    std::fill(ranked.begin() + static_cast<std::ptrdiff_t>(begin),
              ranked.begin() + static_cast<std::ptrdiff_t>(end),
              total / static_cast<double>(end - begin));
  }
  return ranked;
}

double mean(std::span<const double> values) {
  require(!values.empty(), "there is nothing to average; evaluate at least one item");
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace commonplace

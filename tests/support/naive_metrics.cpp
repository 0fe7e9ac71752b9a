#include "tests/support/naive_metrics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace commonplace::naive {
namespace {

double ratio(double part, double whole) { return whole == 0 ? 0 : part / whole; }

double hits_among(const Flags& hits, std::size_t k) {
  double found = 0;
  for (std::size_t i = 0; i < hits.size(); ++i)
    if (i < k && hits[i] != 0) found += 1;
  return found;
}

double number(std::size_t count) { return static_cast<double>(count); }

Averages from_counts(double tp, double fp, double fn) {
  const double precision = ratio(tp, tp + fp);
  const double recall = ratio(tp, tp + fn);
  return {precision, recall, ratio(2 * precision * recall, precision + recall)};
}

/// Of the cells (item, label) that `chosen` picks.
template <class Chosen>
Averages over_cells(const FlagTable& truth, const FlagTable& predicted, Chosen chosen) {
  double tp = 0;
  double fp = 0;
  double fn = 0;
  for (std::size_t item = 0; item < truth.size(); ++item)
    for (std::size_t label = 0; label < truth[item].size(); ++label) {
      if (!chosen(item, label)) continue;
      const bool relevant = truth[item][label] != 0;
      const bool suggested = predicted[item][label] != 0;
      if (relevant && suggested) tp += 1;
      if (!relevant && suggested) fp += 1;
      if (relevant && !suggested) fn += 1;
    }
  return from_counts(tp, fp, fn);
}

double discounted(const Numbers& gains, std::size_t k) {
  double total = 0;
  for (std::size_t i = 0; i < gains.size() && i < k; ++i)
    total += gains[i] / std::log2(number(i) + 2);
  return total;
}

double pairs(double count) { return count * (count - 1) / 2; }

}  // namespace

double precision_at(const Flags& hits, std::size_t k) {
  return ratio(hits_among(hits, k), number(k));
}

double recall_at(const Flags& hits, std::size_t relevant, std::size_t k) {
  return ratio(hits_among(hits, k), number(relevant));
}

double f1_at(const Flags& hits, std::size_t relevant, std::size_t k) {
  const double p = precision_at(hits, k);
  const double r = recall_at(hits, relevant, k);
  return ratio(2 * p * r, p + r);
}

double average_precision(const Flags& hits, std::size_t relevant) {
  double total = 0;
  for (std::size_t i = 0; i < hits.size(); ++i)
    if (hits[i] != 0) total += precision_at(hits, i + 1);
  return ratio(total, number(relevant));
}

std::array<double, 11> interpolated_precision(const Flags& hits, std::size_t relevant) {
  std::array<double, 11> curve{};
  for (std::size_t level = 0; level <= 10; ++level)
    for (std::size_t k = 1; k <= hits.size(); ++k)
      if (relevant > 0 && 10 * hits_among(hits, k) >= number(level * relevant))
        curve[level] = std::max(curve[level], precision_at(hits, k));
  return curve;
}

double precision_at_recall(const Flags& hits, std::size_t relevant, double recall) {
  for (std::size_t k = 1; k <= hits.size(); ++k)
    if (hits_among(hits, k) > 0 && recall_at(hits, relevant, k) >= recall - 1e-9)
      return precision_at(hits, k);
  return 0;
}

double ndcg_at(const Flags& hits, std::size_t relevant, std::size_t k) {
  if (relevant == 0) return 1;
  return ratio(discounted(Numbers(hits.begin(), hits.end()), k),
               discounted(Numbers(relevant, 1.0), k));
}

double expected_graded_ndcg_at(const Numbers& scores, const Numbers& gains, std::size_t k) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Numbers best = gains;
  std::sort(best.rbegin(), best.rend());
  if (best.empty() || best.front() == 0) return 1;
  double total = 0;
  double orders = 0;
  do {
    bool falling = true;
    for (std::size_t i = 1; i < order.size(); ++i)
      if (scores[order[i]] > scores[order[i - 1]]) falling = false;
    if (!falling) continue;
    Numbers ranked;
    for (const std::size_t item : order) ranked.push_back(gains[item]);
    total += ratio(discounted(ranked, k), discounted(best, k));
    orders += 1;
  } while (std::next_permutation(order.begin(), order.end()));
  return total / orders;
}

double rank_loss(const Numbers& scores, const Flags& relevant) {
  double wrong = 0;
  double all = 0;
  for (std::size_t a = 0; a < scores.size(); ++a)
    for (std::size_t b = 0; b < scores.size(); ++b) {
      if (relevant[a] == 0 || relevant[b] != 0) continue;
      all += 1;
      if (scores[a] < scores[b]) wrong += 1;
      if (scores[a] == scores[b]) wrong += 0.5;
    }
  return ratio(wrong, all);
}

double one_error(const Numbers& scores, const Flags& relevant) {
  if (scores.empty()) return 0;
  const double top = *std::max_element(scores.begin(), scores.end());
  double tied = 0;
  double wrong = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] != top) continue;
    tied += 1;
    if (relevant[i] == 0) wrong += 1;
  }
  return wrong / tied;
}

double coverage(const Numbers& scores, const Flags& relevant) {
  double furthest = 0;
  for (std::size_t a = 0; a < scores.size(); ++a) {
    if (relevant[a] == 0) continue;
    double rank = 0;
    for (const double other : scores)
      if (other >= scores[a]) rank += 1;
    furthest = std::max(furthest, rank);
  }
  return furthest;
}

double label_ranking_average_precision(const Numbers& scores, const Flags& relevant) {
  double total = 0;
  double count = 0;
  for (std::size_t a = 0; a < scores.size(); ++a) {
    if (relevant[a] == 0) continue;
    double above = 0;
    double relevant_above = 0;
    for (std::size_t b = 0; b < scores.size(); ++b) {
      if (scores[b] < scores[a]) continue;
      above += 1;
      if (relevant[b] != 0) relevant_above += 1;
    }
    total += relevant_above / above;
    count += 1;
  }
  return count == 0 ? 1 : total / count;
}

Averages item_average(const FlagTable& truth, const FlagTable& predicted) {
  Averages sum;
  for (std::size_t item = 0; item < truth.size(); ++item) {
    const Averages one =
        over_cells(truth, predicted, [&](std::size_t i, std::size_t) { return i == item; });
    sum.precision += one.precision / number(truth.size());
    sum.recall += one.recall / number(truth.size());
    sum.f1 += one.f1 / number(truth.size());
  }
  return sum;
}

Averages label_average(const FlagTable& truth, const FlagTable& predicted, bool weighted) {
  Averages sum;
  double weights = 0;
  for (std::size_t label = 0; label < truth[0].size(); ++label) {
    double weight = weighted ? 0 : 1;
    for (const Flags& item : truth)
      if (weighted && item[label] != 0) weight += 1;
    const Averages one =
        over_cells(truth, predicted, [&](std::size_t, std::size_t l) { return l == label; });
    sum.precision += weight * one.precision;
    sum.recall += weight * one.recall;
    sum.f1 += weight * one.f1;
    weights += weight;
  }
  return {ratio(sum.precision, weights), ratio(sum.recall, weights), ratio(sum.f1, weights)};
}

Averages micro_average(const FlagTable& truth, const FlagTable& predicted) {
  return over_cells(truth, predicted, [](std::size_t, std::size_t) { return true; });
}

double hamming_loss(const FlagTable& truth, const FlagTable& predicted) {
  double wrong = 0;
  double all = 0;
  for (std::size_t item = 0; item < truth.size(); ++item)
    for (std::size_t label = 0; label < truth[item].size(); ++label) {
      all += 1;
      if ((truth[item][label] != 0) != (predicted[item][label] != 0)) wrong += 1;
    }
  return wrong / all;
}

double rand_index(const Groups& first, const Groups& second) {
  double agree = 0;
  double all = 0;
  for (std::size_t a = 0; a < first.size(); ++a)
    for (std::size_t b = a + 1; b < first.size(); ++b) {
      all += 1;
      if ((first[a] == first[b]) == (second[a] == second[b])) agree += 1;
    }
  return all == 0 ? 1 : agree / all;
}

double adjusted_rand_index(const Groups& first, const Groups& second) {
  std::map<std::pair<std::int32_t, std::int32_t>, double> cells;
  std::map<std::int32_t, double> rows;
  std::map<std::int32_t, double> columns;
  for (std::size_t i = 0; i < first.size(); ++i) {
    cells[{first[i], second[i]}] += 1;
    rows[first[i]] += 1;
    columns[second[i]] += 1;
  }
  double index = 0;
  double in_rows = 0;
  double in_columns = 0;
  for (const auto& [key, count] : cells) index += pairs(count);
  for (const auto& [key, count] : rows) in_rows += pairs(count);
  for (const auto& [key, count] : columns) in_columns += pairs(count);
  const double expected = ratio(in_rows * in_columns, pairs(number(first.size())));
  const double maximum = (in_rows + in_columns) / 2;
  return maximum == expected ? 1 : (index - expected) / (maximum - expected);
}

double expected_calibration_error(const Numbers& probabilities, const Flags& outcomes,
                                  std::size_t bins) {
  double error = 0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    double count = 0;
    double probability = 0;
    double came_true = 0;
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
      const double position = probabilities[i] * number(bins);
      const bool last = bin + 1 == bins;
      if (position < number(bin) || (!last && position >= number(bin + 1))) continue;
      count += 1;
      probability += probabilities[i];
      if (outcomes[i] != 0) came_true += 1;
    }
    if (count > 0) error += std::abs(probability - came_true);
  }
  return error / number(probabilities.size());
}

double jensen_shannon(const Numbers& p, const Numbers& q) {
  double p_sum = 0;
  double q_sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    p_sum += p[i];
    q_sum += q[i];
  }
  double bits = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double a = p[i] / p_sum;
    const double b = q[i] / q_sum;
    const double middle = (a + b) / 2;
    if (a > 0) bits += a * std::log2(a / middle) / 2;
    if (b > 0) bits += b * std::log2(b / middle) / 2;
  }
  return bits;
}

}  // namespace commonplace::naive

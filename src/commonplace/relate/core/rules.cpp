#include "commonplace/relate/core/rules.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/earth.h"
#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/top_k.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/eval/tune.h"
#include "commonplace/learn/knn.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/unit_rows.h"

namespace commonplace::relate {
namespace {

/// Places that take part in a guess.
constexpr std::size_t kPlacesInGuess = 40;
/// Metres within which places support each other.
constexpr double kReach = 300;

bool has_popularity(const ModalityRows& modality) {
  return modality.what.of != NodeType::items && modality.what.of != NodeType::text;
}

/// share^popularity of each node, as a factor of scores.
Eigen::RowVectorXf popularity_of(const Space& space, std::size_t target, double power) {
  const VectorD& degrees = space.degrees[target];
  if (power == 0) return Eigen::RowVectorXf::Ones(degrees.size());
  const double all = std::max(degrees.sum(), 1e-300);
  return (degrees.array() / all).pow(power).cast<float>().matrix().transpose();
}

/// Scores from affinities, one matrix per modality.
Matrix combine(const std::vector<Matrix>& affinity, const TargetRule& rule,
               const Eigen::RowVectorXf& popularity, Eigen::Index items) {
  Matrix scores = Matrix::Ones(items, popularity.size());
  for (std::size_t e = 0; e < affinity.size(); ++e)
    if (affinity[e].size() > 0 && rule.say[e] != 0)
      scores += static_cast<float>(rule.say[e]) * affinity[e];
  scores.array().rowwise() *= popularity.array();
  return scores;
}

std::vector<Matrix> all_affinities(const Space& space, const TargetRule& rule,
                                   const Matrix& positions, const Evidence& evidence, int jobs) {
  std::vector<Matrix> result(evidence.size());
  for (std::size_t e = 0; e < evidence.size(); ++e)
    if (evidence[e].size() > 0 && rule.say[e] != 0)
      result[e] = affinities(space, evidence[e], positions, jobs);
  return result;
}

/// Both over their greatest in a row, so that the weight means the same everywhere.
void add_knn(Matrix& scores, const Matrix& knn, double weight) {
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    if (const float most = scores.row(i).maxCoeff(); most > 0) scores.row(i) /= most;
    if (const float most = knn.row(i).maxCoeff(); most > 0)
      scores.row(i) += static_cast<float>(weight) / most * knn.row(i);
  }
}

Eigen::Index rows_of(const Evidence& evidence) {
  for (const Matrix& each : evidence)
    if (each.size() > 0) return each.rows();
  return 0;
}

/// The place that most weight lies near, of a few places with weights.
PlaceGuess densest(std::span<const std::size_t> which, std::span<const double> weight,
                   const std::vector<Place>& places) {
  const auto metres = [&](std::size_t a, std::size_t b) {
    return metres_between(places[a].latitude, places[a].longitude, places[b].latitude,
                          places[b].longitude);
  };
  PlaceGuess guess;
  double best = -1;
  for (const std::size_t i : which) {
    double near = 0;
    for (std::size_t j = 0; j < which.size(); ++j)
      near += weight[j] * std::exp(-metres(i, which[j]) / kReach);
    if (near > best) {
      best = near;
      guess.place = i;
    }
  }
  std::vector<std::pair<double, double>> away;
  double all = 0;
  for (std::size_t j = 0; j < which.size(); ++j) {
    away.emplace_back(metres(guess.place, which[j]), weight[j]);
    all += weight[j];
  }
  std::sort(away.begin(), away.end());
  double within = 0;
  for (const auto& [distance, share] : away) {
    within += share;
    guess.spread = distance;
    if (within >= 0.5 * all) break;
  }
  return guess;
}

/// The first place that an item has; -1 if it has none.
std::int64_t place_of(const SparseView& truth, std::int64_t row) {
  return truth.row_indices(row).empty() ? -1 : truth.row_indices(row)[0];
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Matrix target_scores(const Space& space, const TargetRule& rule, std::size_t target,
                     const Matrix& positions, const Evidence& evidence, const KnownItems& known,
                     int jobs) {
  Matrix scores = combine(all_affinities(space, rule, positions, evidence, jobs), rule,
                          popularity_of(space, target, rule.popularity), rows_of(evidence));
  if (rule.neighbours > 0)
    add_knn(scores, knn_scores(space, rule, evidence, known, rule.neighbours, jobs),
            rule.knn_weight);
  return scores;
}

TargetRule usual_rule(const Data& data, std::size_t target) {
  TargetRule rule;
  rule.popularity = has_popularity(data.modalities[target]) ? 1 : 0;
  for (std::size_t e = 0; e < data.modalities.size(); ++e)
    rule.say.push_back(e != target && data.modalities[e].what.collection ==
                                          data.modalities[target].what.collection
                           ? 1
                           : 0);
  return rule;
}

TargetRule choose_rule(const Space& space, const Data& data, std::size_t target,
                       const Matrix& positions, const Evidence& evidence, const KnownItems& known,
                       const Sparse& truth, int jobs) {
  TargetRule best = usual_rule(data, target);
  const std::vector<Matrix> affinity = all_affinities(space, best, positions, evidence, jobs);
  const auto combined = [&](const TargetRule& rule) {
    return combine(affinity, rule, popularity_of(space, target, rule.popularity),
                   rows_of(evidence));
  };
  const auto rule_of = [&](const std::vector<double>& weights) {
    TargetRule rule = best;
    rule.popularity = weights.front();
    rule.say.assign(weights.begin() + 1, weights.end());
    return rule;
  };
  Tuner tuner({.jobs = jobs}, {.one_standard_error = false});
  std::vector<double> start = {best.popularity};
  std::vector<StackedWay> ways = {{"popularity", has_popularity(data.modalities[target])
                                                     ? std::vector{0.0, 0.5, 1.0}
                                                     : std::vector<double>{}}};
  for (std::size_t e = 0; e < best.say.size(); ++e) {
    start.push_back(best.say[e]);
    ways.push_back({data.modalities[e].what.full(), affinity[e].size() > 0
                                                        ? std::vector{0.0, 0.1, 0.3, 1.0, 3.0}
                                                        : std::vector<double>{}});
  }
  best = rule_of(
      stack_ways(tuner, start, ways, {.rounds = 2}, [&](const std::vector<double>& weights) {
        return std::vector{mean_ndcg(combined(rule_of(weights)), truth.view(), false, jobs)};
      }));
  const TargetRule silent = best;
  const Matrix scores = combined(silent);
  for (const std::int64_t neighbours : {5, 20}) {
    const Matrix knn = knn_scores(space, silent, evidence, known, neighbours, jobs);
    for (const double weight : {0.2, 0.5, 1.0, 2.0})
      if (tuner.attempt(concat("k-NN ", neighbours), [&] {
            Matrix both = scores;
            add_knn(both, knn, weight);
            return std::vector{mean_ndcg(both, truth.view(), false, jobs)};
          })) {
        best.neighbours = neighbours;
        best.knn_weight = weight;
      }
  }
  best.quality = tuner.quality();
  return best;
}

std::vector<double> ndcg_of_items(const Matrix& scores, const SparseView& truth, bool only_as_many,
                                  int jobs) {
  std::vector<double> result(static_cast<std::size_t>(scores.rows()), -1);
  parallel_for(result.size(), jobs, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint8_t> relevant(static_cast<std::size_t>(scores.cols()));
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<std::int64_t>(i);
      std::size_t count = 0;
      for (std::size_t j = 0; j < truth.row_indices(row).size(); ++j)
        if (truth.row_values(row)[j] > 0) {
          relevant[static_cast<std::size_t>(truth.row_indices(row)[j])] = 1;
          ++count;
        }
      if (count > 0) {
        const std::size_t first =
            std::min(relevant.size(), only_as_many ? count : std::max<std::size_t>(count, 10));
        std::vector<std::uint8_t> hits;
        for (const std::int64_t each : top_k(scores.cols(), static_cast<std::int64_t>(first),
                                             [&](std::int64_t node) { return scores(row, node); }))
          hits.push_back(relevant[static_cast<std::size_t>(each)]);
        result[i] = ndcg_at(hits, count, first);
      }
      for (const std::int32_t each : truth.row_indices(row))
        relevant[static_cast<std::size_t>(each)] = 0;
    }
  });
  return result;
}

double mean_ndcg(const Matrix& scores, const SparseView& truth, bool only_as_many, int jobs) {
  double sum = 0;
  double count = 0;
  for (const double each : ndcg_of_items(scores, truth, only_as_many, jobs))
    if (each >= 0) {
      sum += each;
      ++count;
    }
  return count == 0 ? 0 : sum / count;
}

Matrix knn_scores(const Space& space, const TargetRule& rule, const Evidence& evidence,
                  const KnownItems& known, std::int64_t count, int jobs) {
  const SparseView has = known.has.view();
  Matrix alike = Matrix::Zero(rows_of(evidence), has.rows);
  for (std::size_t e = 0; e < evidence.size(); ++e)
    if (evidence[e].size() > 0 && known.where[e].size() > 0 && rule.say[e] != 0)
      alike += static_cast<float>(rule.say[e]) *
               multiply_transposed(directions(space, evidence[e]),
                                   directions(space, known.where[e]), jobs);
  for (std::int64_t row = 0; row < has.rows; ++row)
    if (has.row_indices(row).empty()) alike.col(row).setZero();
  return sum_votes(knn_votes_of(alike, {.neighbours = count, .power = 3}, {}, jobs),
                   ones_above_zero(has).view());
}

Matrix directions(const Space& space, const Matrix& positions) {
  const Eigen::RowVectorXf strength =
      space.projection.strength.array().max(0.0).cast<float>().matrix().transpose();
  return unit_rows(positions.array().rowwise() * strength.array());
}

Matrix place_scores(const Space& space, const TargetRule& rule, std::int64_t neighbours,
                    std::size_t target, const Matrix& positions, const Evidence& evidence,
                    const KnownItems& known, int jobs) {
  return neighbours > 0 ? knn_scores(space, rule, evidence, known, neighbours, jobs)
                        : target_scores(space, rule, target, positions, evidence, known, jobs);
}

PlaceGuess guess_place(std::span<const float> scores, const std::vector<Place>& places) {
  const std::vector<std::size_t> order = top_k<std::size_t>(
      std::ssize(scores), kPlacesInGuess, [&](std::size_t place) { return scores[place]; });
  // What stands out: weights fall to nothing at the last of these places.
  const double least = std::max(0.0F, scores[order.back()]);
  std::vector<double> weight;
  for (const std::size_t i : order) weight.push_back(std::max(1e-12, scores[i] - least));
  return densest(order, weight, places);
}

std::vector<double> place_errors(const Matrix& scores, const SparseView& truth,
                                 const std::vector<Place>& places, int jobs) {
  std::vector<double> errors(static_cast<std::size_t>(scores.rows()), -1);
  parallel_for(errors.size(), jobs, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const std::int64_t right = place_of(truth, row);
      if (right < 0) continue;
      const PlaceGuess guess =
          guess_place({scores.data() + row * scores.cols(), places.size()}, places);
      const Place& a = places[guess.place];
      const Place& b = places[static_cast<std::size_t>(right)];
      errors[i] = metres_between(a.latitude, a.longitude, b.latitude, b.longitude);
    }
  });
  return errors;
}

double median_error(const std::vector<double>& errors) {
  std::vector<double> known;
  for (const double error : errors)
    if (error >= 0) known.push_back(error);
  return median(std::move(known));
}

double PlaceRule::radius(double spread_of_guess) const {
  if (spread.empty()) return 0;
  const auto above = std::lower_bound(spread.begin(), spread.end(), spread_of_guess);
  if (above == spread.begin()) return error.front();
  if (above == spread.end()) return error.back();
  const auto i = static_cast<std::size_t>(above - spread.begin());
  const double share = (spread_of_guess - spread[i - 1]) / (spread[i] - spread[i - 1]);
  return error[i - 1] + share * (error[i] - error[i - 1]);
}

PlaceRule fit_place_rule(const Matrix& scores, const SparseView& truth,
                         const std::vector<Place>& places, int jobs) {
  const std::vector<double> errors = place_errors(scores, truth, places, jobs);
  std::vector<std::pair<double, double>> seen;  // spread, error
  std::vector<std::size_t> right;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i] < 0) continue;
    const auto row = static_cast<Eigen::Index>(i);
    right.push_back(static_cast<std::size_t>(place_of(truth, row)));
    seen.emplace_back(
        guess_place({scores.data() + row * scores.cols(), places.size()}, places).spread,
        errors[i]);
  }
  PlaceRule rule;
  if (seen.empty()) return rule;
  std::sort(seen.begin(), seen.end());
  const std::size_t bins = std::clamp<std::size_t>(seen.size() / 25, 1, 10);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    std::vector<double> spreads;
    std::vector<double> away;
    for (std::size_t i = bin * seen.size() / bins; i < (bin + 1) * seen.size() / bins; ++i) {
      spreads.push_back(seen[i].first);
      away.push_back(seen[i].second);
    }
    const double middle = median(spreads);
    const double error = std::max(median(away), rule.error.empty() ? 0.0 : rule.error.back());
    if (!rule.spread.empty() && middle <= rule.spread.back()) {
      rule.error.back() = error;
      continue;
    }
    rule.spread.push_back(middle);
    rule.error.push_back(error);
  }
  // The one place that is nearest to half of the items, of some.
  rule.blind = -1;
  for (std::size_t i = 0; i < right.size(); i += std::max<std::size_t>(1, right.size() / 200)) {
    std::vector<double> away;
    for (const std::size_t other : right)
      away.push_back(metres_between(places[right[i]].latitude, places[right[i]].longitude,
                                    places[other].latitude, places[other].longitude));
    const double middle = median(std::move(away));
    if (rule.blind < 0 || middle < rule.blind) rule.blind = middle;
  }
  return rule;
}

}  // namespace commonplace::relate

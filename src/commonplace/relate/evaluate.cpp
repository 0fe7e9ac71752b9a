#include "commonplace/relate/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/clock.h"
#include "commonplace/base/earth.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/number_list.h"
#include "commonplace/base/spelling.h"
#include "commonplace/eval/contest.h"
#include "commonplace/eval/guidance_met.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/eval/split.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/k_means.h"
#include "commonplace/relate/ask.h"

namespace commonplace::relate {
namespace {

/// What one method did in one repetition.
struct Outcome {
  std::vector<double> ndcg;  ///< of the items asked for
  std::vector<double> met;
  double rand = -1;
  double seconds = 0;
  std::string chosen;
  std::int64_t learned_from = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcome, ndcg, met, rand, seconds, chosen, learned_from)

std::size_t target_modality(const Data& data, const std::string& asked) {
  std::vector<std::string> names;
  for (const ModalityRows& modality : data.modalities) names.push_back(modality.what.full());
  if (asked.empty()) {
    for (std::size_t k = 0; k < data.modalities.size(); ++k)
      if (data.modalities[k].what.of == NodeType::tags ||
          data.modalities[k].what.of == NodeType::label)
        return k;
    fail("there are neither tags nor labels to ask for; say what with --target: ", join(names));
  }
  for (std::size_t k = 0; k < data.modalities.size(); ++k)
    if (asked == names[k] || asked == data.modalities[k].what.part()) return k;
  fail("--target '", asked, "' is not among ", join(names));
}

/// A fifth of the items hidden, and of the others all but a share.
Task make_task(const Data& data, std::size_t target, const ModelOptions& relate, double held,
               std::int64_t share, std::uint64_t seed, const Run& run) {
  Task task{{.jobs = run.jobs, .progress = run.progress}};
  task.data = &data;
  task.target = target;
  task.options = relate;
  for (std::size_t k = 0; k < data.modalities.size(); ++k) {
    auto& mask = task.held.emplace_back(static_cast<std::size_t>(data.items_of(k)), 0);
    if (data.modalities[k].what.collection != data.modalities[target].what.collection) continue;
    for (std::size_t row = 0; row < mask.size(); ++row)
      mask[row] = is_test_row(seed, static_cast<std::int64_t>(row), held) ||
                  random_uniform(seed, row, 0x7368617265ULL) * 100 >= static_cast<double>(share);
  }
  for (std::int64_t row = 0; row < data.items_of(target); ++row)
    if (is_test_row(seed, row, held) &&
        !data.modalities[target].has.view().row_indices(row).empty())
      task.asked.push_back(row);
  require(!task.asked.empty(), "no item that is held out has ", data.modalities[target].what.full(),
          "; there are too few items to evaluate on");
  return task;
}

/// The share of pairs of item and node of which a grouping of both tells whether they are linked.
double rand_of_groups(const Said& said, const SparseView& truth, std::int64_t groups, int jobs) {
  Matrix all(said.items.rows() + said.nodes.rows(), said.items.cols());
  all << said.items, said.nodes;
  KMeansOptions options;
  options.clusters = std::min<std::int64_t>(groups, all.rows());
  options.jobs = jobs;
  const NearestCentres nearest = nearest_centres(all, k_means(all, options), jobs);
  double right = 0;
  std::vector<std::uint8_t> has(static_cast<std::size_t>(truth.columns));
  for (std::int64_t i = 0; i < truth.rows; ++i) {
    std::fill(has.begin(), has.end(), 0);
    for (std::size_t j = 0; j < truth.row_indices(i).size(); ++j)
      if (truth.row_values(i)[j] > 0) has[static_cast<std::size_t>(truth.row_indices(i)[j])] = 1;
    for (std::size_t j = 0; j < has.size(); ++j) {
      const bool together = nearest.centre[static_cast<std::size_t>(i)] ==
                            nearest.centre[static_cast<std::size_t>(truth.rows) + j];
      right += together == (has[j] != 0) ? 1 : 0;
    }
  }
  return right / (static_cast<double>(truth.rows) * static_cast<double>(truth.columns));
}

Outcome outcome_of(const Task& task, const std::string& method, const EvaluationOptions& options) {
  static constexpr double kShares[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
  const auto begin = Clock::now();
  const Said said = relate_by(task, method);
  Outcome outcome;
  outcome.seconds = seconds_since(begin);
  const Sparse truth = truth_of(task.data->modalities[task.target], task.asked);
  for (const double each : ndcg_of_items(said.scores, truth.view(), true, task.run.jobs))
    if (each >= 0) outcome.ndcg.push_back(each);
  if (said.items.cols() > 0) {
    outcome.met = guidance_met(said.items, said.nodes, truth.view(), kShares, task.run.jobs);
    outcome.rand = rand_of_groups(said, truth.view(), options.groups, task.run.jobs);
  }
  outcome.chosen = said.chosen;
  outcome.learned_from = std::ssize(known_items(task));
  return outcome;
}

MethodQuality quality_of(const std::string& method, std::int64_t dim,
                         const std::vector<Outcome>& outcomes) {
  MethodQuality quality;
  quality.method = method;
  quality.dim = dim;
  quality.learned_from = outcomes.front().learned_from;
  quality.chosen = outcomes.front().chosen;
  for (const Outcome& each : outcomes) {
    quality.seconds += each.seconds / static_cast<double>(outcomes.size());
    if (each.met.empty()) continue;
    quality.met.resize(each.met.size());
    for (std::size_t i = 0; i < each.met.size(); ++i)
      quality.met[i] += each.met[i] / static_cast<double>(outcomes.size());
    quality.rand = std::max(0.0, quality.rand) + each.rand / static_cast<double>(outcomes.size());
  }
  quality.ndcg = measured_over(outcomes, &Outcome::ndcg);
  return quality;
}

bool has_dim(const std::string& method) {
  return method == "commonplace" || method == "alone" || method == "positive" || method == "cca" ||
         method == "mvlpp" || method == "lpp";
}

/// One method with one choice of what is held out.
struct Piece {
  std::string method;
  std::int64_t share = 100;
  std::int64_t dim = 0;
  int repeat = 0;
};

/// Of all methods that can be used on such a task; all repetitions of one stand together.
std::vector<Piece> pieces_of(const EvaluationOptions& options, const Task& task) {
  const std::vector<std::string> methods = current_words(options.methods);
  require(!methods.empty(), "--methods names none; there are ", join(relate::methods()));
  const std::vector<std::int64_t> shares = number_list(options.shares, "--shares", false);
  std::vector<std::int64_t> dims{0};
  if (!options.dims.empty()) dims = number_list(options.dims, "--dims", false);
  std::vector<Piece> pieces;
  for (const std::int64_t share : shares)
    for (std::size_t d = 0; d < dims.size(); ++d)
      for (const std::string& method : methods) {
        if ((d > 0 && !has_dim(method)) || !why_not(task, method).empty()) continue;
        for (int repeat = 0; repeat < options.repeat; ++repeat)
          pieces.push_back({method, share, dims[d], repeat});
      }
  return pieces;
}

std::uint64_t seed_of(const ModelOptions& relate, std::int64_t repeat) {
  return relate.projection.seed + 17 * static_cast<std::uint64_t>(repeat);
}

/// Guesses the places of items held out from all else that they have.
struct PlaceOutcome {
  std::vector<std::string> methods;
  std::vector<std::vector<double>> errors;  ///< per method
  double told = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlaceOutcome, methods, errors, told)

/// The places of the most alike known items by the first modality with features.
std::vector<double> errors_of_neighbours(const Task& task) {
  const Said said = relate_by(task, "knn");
  const ModalityRows& modality = task.data->modalities[task.target];
  return place_errors(said.scores, truth_of(modality, task.asked).view(), modality.places,
                      task.run.jobs);
}

PlaceOutcome place_outcome(const Task& task) {
  const ModalityRows& modality = task.data->modalities[task.target];
  const Sparse truth = truth_of(modality, task.asked);
  const LearnedRelation learned = learn_relation(task);
  const Matrix scores = place_scores(
      learned.space, learned.choice.rules[task.target], learned.choice.place_rule.neighbours,
      task.target, learned.positions[task.target],
      evidence_of(*task.data, learned.positions, task.target, task.asked),
      known_of(*task.data, learned.positions, task.target, known_items(task)), task.run.jobs);
  PlaceOutcome outcome;
  outcome.methods = {"commonplace"};
  outcome.errors = {place_errors(scores, truth.view(), modality.places, task.run.jobs)};
  for (std::size_t i = 0; i < task.asked.size(); ++i) {
    const PlaceGuess guess = guess_place(
        {scores.data() + static_cast<Eigen::Index>(i) * scores.cols(), modality.places.size()},
        modality.places);
    const PlaceRule& rule = learned.choice.place_rule;
    if (!rule.spread.empty() && rule.tells(rule.radius(guess.spread))) ++outcome.told;
  }
  outcome.told /= static_cast<double>(task.asked.size());
  if (why_not(task, "knn").empty()) {
    outcome.methods.emplace_back("knn");
    outcome.errors.push_back(errors_of_neighbours(task));
  }
  outcome.methods.emplace_back("one place");
  outcome.errors.push_back(place_errors(relate_by(task, "popular").scores, truth.view(),
                                        modality.places, task.run.jobs));
  return outcome;
}

void evaluate_places(Evaluation& evaluation, const Data& data, std::size_t target,
                     const ModelOptions& relate, const EvaluationOptions& options, const Run& run) {
  std::size_t modality = data.modalities.size();
  for (std::size_t k = 0; k < data.modalities.size(); ++k)
    if (data.modalities[k].what.of == NodeType::places &&
        data.modalities[k].what.collection == data.modalities[target].what.collection)
      modality = k;
  if (modality == data.modalities.size()) return;
  std::vector<int> repetitions(static_cast<std::size_t>(options.repeat));
  std::iota(repetitions.begin(), repetitions.end(), 0);
  const auto outcomes = run_contest(repetitions, "guessing places", run, [&](int repeat) {
    return place_outcome(
        make_task(data, modality, relate, options.held, 100, seed_of(relate, repeat), run));
  });
  for (const PlaceOutcome& each : outcomes) evaluation.told += each.told / options.repeat;
  for (std::size_t m = 0; m < outcomes[0].methods.size(); ++m) {
    PlaceQuality quality{outcomes[0].methods[m], {}, 0};
    std::vector<double> medians;
    for (const PlaceOutcome& each : outcomes) {
      medians.push_back(median_error(each.errors[m]));
      for (const double error : each.errors[m])
        quality.within_1_km += (error < 1000 ? 1.0 : 0.0) /
                               static_cast<double>(each.errors[m].size() * outcomes.size());
    }
    quality.median = measured(medians);
    evaluation.places.push_back(std::move(quality));
  }
}

}  // namespace

Evaluation evaluate(const Data& data, const ModelOptions& relate, const EvaluationOptions& options,
                    const Run& run) {
  require(options.repeat >= 1, "--repeat must be 1 or more, not ", options.repeat);
  require(options.held > 0 && options.held < 1, "--held-out must be between 0 and 1, not ",
          options.held);
  require(options.groups >= 1, "--groups must be 1 or more, not ", options.groups);
  check(relate);
  Evaluation evaluation;
  const std::size_t target = target_modality(data, options.target);
  evaluation.target = data.modalities[target].what.full();
  for (const ModalityRows& modality : data.modalities)
    evaluation.modalities.push_back(modality.what.full());
  evaluation.nodes = data.modalities[target].nodes;
  for (std::int64_t row = 0; row < data.items_of(target); ++row)
    evaluation.items += data.modalities[target].has.view().row_indices(row).empty() ? 0 : 1;
  const std::vector<Piece> pieces = pieces_of(
      options, make_task(data, target, relate, options.held, 100, seed_of(relate, 0), run));
  const auto outcomes = run_contest(pieces, "evaluating", run, [&](const Piece& piece) {
    Task task = make_task(data, target, relate, options.held, piece.share,
                          seed_of(relate, piece.repeat), run);
    task.dim = piece.dim;
    return outcome_of(task, piece.method, options);
  });
  for_each_method(pieces, outcomes, options.repeat, [&](const Piece& of, const auto& rounds) {
    evaluation.methods.push_back(quality_of(of.method, has_dim(of.method) ? of.dim : 0, rounds));
  });
  evaluate_places(evaluation, data, target, relate, options, run);
  return evaluation;
}

}  // namespace commonplace::relate

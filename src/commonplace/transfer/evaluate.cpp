#include "commonplace/transfer/evaluate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/number_list.h"
#include "commonplace/base/rng.h"
#include "commonplace/base/spelling.h"
#include "commonplace/eval/calibration.h"
#include "commonplace/eval/contest.h"
#include "commonplace/io/json.h"

namespace commonplace::transfer {
namespace {

using Json = nlohmann::ordered_json;

/// What is varied: one setting of each.
struct Cell {
  std::int64_t clusters;
  std::int64_t labelled_bridge;
  std::int64_t labelled_target;
  std::int64_t removed;
};

std::vector<Cell> cells_of(const EvaluationOptions& options, int clusters) {
  const auto numbers = [](const std::string& list, const char* option, std::int64_t usual) {
    return list.empty() ? std::vector<std::int64_t>{usual} : number_list(list, option, false);
  };
  std::vector<Cell> cells;
  for (const std::int64_t of_clusters : numbers(options.clusters, "--cluster-counts", clusters))
    for (const std::int64_t bridge : numbers(options.labelled_bridge, "--labelled-bridge", 0))
      for (const std::int64_t target : numbers(options.labelled_target, "--labelled-target", 0))
        for (const std::int64_t removed : numbers(options.removed, "--removed", 0))
          cells.push_back({of_clusters, bridge, target, removed});
  return cells;
}

/// 0 .. count-1 in an order that depends on (seed, stream) alone.
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed, std::uint64_t stream) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng(seed, stream);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  return order;
}

/// Half of the features is lost by the sources, the other half by the target.
void cut_features(Trial& trial, std::uint64_t seed) {
  const auto columns = static_cast<std::size_t>(trial.rows[0].columns);
  const std::vector<std::size_t> order = shuffled(columns, seed, 1);
  std::vector<std::uint8_t> first(columns, 0);
  std::vector<std::uint8_t> second(columns, 1);
  for (std::size_t i = 0; i < columns / 2; ++i) {
    first[order[i]] = 1;
    second[order[i]] = 0;
  }
  for (std::size_t which = 0; which < trial.sources; ++which)
    trial.rows[which] = only_features(trial.rows[which].view(), first);
  trial.rows.back() = only_features(trial.rows.back().view(), second);
}

void remove_features(Trial& trial, std::int64_t count, std::uint64_t seed) {
  const auto columns = static_cast<std::size_t>(trial.rows[0].columns);
  require(count < trial.rows[0].columns, "--removed has ", count, " but there are only ", columns,
          " features");
  std::vector<std::uint8_t> kept(columns, 1);
  const std::vector<std::size_t> order = shuffled(columns, seed, 2);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) kept[order[i]] = 0;
  for (std::size_t which = trial.sources; which < trial.target(); ++which)
    trial.rows[which] = only_features(trial.rows[which].view(), kept);
}

/// Shows so many labels of a collection, as many of each class as there are.
void show_labels(const std::vector<std::int32_t>& truth, std::int64_t classes, std::int64_t count,
                 std::uint64_t seed, std::uint64_t stream, std::vector<std::int32_t>& known) {
  const std::vector<std::size_t> order = shuffled(truth.size(), seed, stream);
  std::vector<std::int64_t> shown(static_cast<std::size_t>(classes), 0);
  for (std::int64_t most = 1; count > 0 && most <= std::ssize(truth); ++most)
    for (const std::size_t item : order) {
      if (count == 0 || truth[item] < 0 || known[item] >= 0) continue;
      std::int64_t& of_class = shown[static_cast<std::size_t>(truth[item])];
      if (of_class == most) continue;
      known[item] = truth[item];
      ++of_class;
      --count;
    }
}

Trial trial_of(const Data& data, std::size_t sources, const Cell& cell, bool cut,
               std::uint64_t seed) {
  Trial trial;
  trial.sources = sources;
  trial.classes = std::ssize(data.classes);
  for (std::size_t which = 0; which < data.collections.size(); ++which) {
    const Set& set = data.collections[which];
    trial.rows.push_back(set.rows);
    trial.known.push_back(which < sources ? set.labels
                                          : std::vector<std::int32_t>(set.labels.size(), -1));
  }
  trial.truth = data.collections.back().labels;
  if (cut) cut_features(trial, seed);
  if (cell.removed > 0) remove_features(trial, cell.removed, seed);
  for (std::size_t which = sources; which < trial.target(); ++which)
    show_labels(data.collections[which].labels, trial.classes, cell.labelled_bridge, seed,
                10 + which, trial.known[which]);
  show_labels(trial.truth, trial.classes, cell.labelled_target, seed, 3, trial.known.back());
  return trial;
}

bool has_probabilities(const std::string& method) {
  return method == "commonplace" || method == "direct" || method == "naive-bayes";
}

struct Judged {
  double accuracy = 0;
  double calibration_error = 0;
  double confidence = 0;    ///< the mean
  double largest_said = 0;  ///< share of the class that is said most often
};

/// Over the items of the target whose labels are known but were not shown.
Judged judge(const MatrixD& scores, const Trial& trial) {
  std::vector<double> sure;
  std::vector<std::uint8_t> right;
  std::vector<double> said(static_cast<std::size_t>(scores.cols()), 0);
  for (std::size_t item = 0; item < trial.truth.size(); ++item) {
    if (trial.truth[item] < 0 || trial.known.back()[item] >= 0) continue;
    Eigen::Index best = 0;
    const double most = scores.row(static_cast<Eigen::Index>(item)).maxCoeff(&best);
    sure.push_back(std::clamp(most, 0.0, 1.0));
    right.push_back(static_cast<std::uint8_t>(best == trial.truth[item]));
    said[static_cast<std::size_t>(best)] += 1;
  }
  require(!right.empty(), "the target has no labels to compare with");
  const double count = static_cast<double>(right.size());
  return {std::accumulate(right.begin(), right.end(), 0.0) / count,
          expected_calibration_error(sure, right),
          std::accumulate(sure.begin(), sure.end(), 0.0) / count,
          *std::max_element(said.begin(), said.end()) / count};
}

std::vector<std::string> methods_for(const std::string& asked, const Trial& trial) {
  std::vector<std::string> result;
  if (!asked.empty()) {
    result = current_words(asked);
    for (const std::string& name : result) {
      const auto& all = methods();
      const auto found = std::find_if(all.begin(), all.end(), [&](const TransferMethod& method) {
        return method.name == name;
      });
      require(found != all.end(), "there is no method '", name,
              "'; there are: ", join(all, &TransferMethod::name));
      require(is_possible(*found, trial), "the method '", name, "' needs ",
              found->needs_target_labels ? "labelled items of the target (--labelled-target)"
                                         : "a collection in between");
    }
    return result;
  }
  for (const TransferMethod& method : methods())
    if (is_possible(method, trial)) result.push_back(method.name);
  return result;
}

/// One method with one cut and draw.
struct Piece {
  Cell cell;
  std::string method;
  int repetition = 0;
  bool watched = false;
};

/// What came of it.
struct Outcome {
  double accuracy = 0;
  double calibration_error = 0;
  double confidence = 0;
  double largest_said = 0;
  double seconds = 0;
  std::vector<double> objective;  ///< by iteration, if it was watched
  std::vector<double> accuracy_by_iteration;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcome, accuracy, calibration_error, confidence, largest_said,
                                   seconds, objective, accuracy_by_iteration)

/// All repetitions of a method stand together. The first of ours is watched.
std::vector<Piece> pieces_of(const Data& data, std::size_t sources, const Options& transfer,
                             const EvaluationOptions& options) {
  std::vector<Piece> pieces;
  bool watched = false;
  const std::vector<Cell> cells = cells_of(options, transfer.factors.clusters);
  for (const Cell& cell : cells) {
    const Trial trial = trial_of(data, sources, cell, options.cut, options.seed);
    for (const std::string& method : methods_for(options.methods, trial))
      for (int repetition = 0; repetition < options.repeat; ++repetition) {
        const bool watch = !watched && method == "commonplace" && &cell == &cells.front();
        watched = watched || watch;
        pieces.push_back({cell, method, repetition, watch});
      }
  }
  return pieces;
}

Outcome outcome_of(const Piece& piece, const Data& data, std::size_t sources,
                   const Options& transfer, const EvaluationOptions& options, int jobs) {
  const auto repetition = static_cast<std::uint64_t>(piece.repetition);
  const Trial trial = trial_of(data, sources, piece.cell, options.cut, options.seed + repetition);
  Options settings = transfer;
  settings.factors.clusters = static_cast<int>(piece.cell.clusters);
  settings.factors.seed = transfer.factors.seed + repetition;
  Outcome outcome;
  WatchTransfer watch;
  if (piece.watched)
    watch = [&](std::size_t stage, int, double objective, const MatrixD& classes) {
      if (stage + sources != trial.target()) return;
      outcome.objective.push_back(objective);
      outcome.accuracy_by_iteration.push_back(judge(classes, trial).accuracy);
    };
  const auto begin = Clock::now();
  const MatrixD scores = run_method(piece.method, trial, settings, {.jobs = jobs}, watch);
  outcome.seconds = seconds_since(begin);
  const Judged judged = judge(scores, trial);
  outcome.accuracy = judged.accuracy;
  outcome.calibration_error = judged.calibration_error;
  outcome.confidence = judged.confidence;
  outcome.largest_said = judged.largest_said;
  return outcome;
}

void finish(MethodQuality& quality, int repeat) {
  const double count = repeat;
  quality.accuracy =
      std::accumulate(quality.accuracies.begin(), quality.accuracies.end(), 0.0) / count;
  double squares = 0;
  for (const double each : quality.accuracies)
    squares += (each - quality.accuracy) * (each - quality.accuracy);
  quality.deviation = repeat > 1 ? std::sqrt(squares / (count - 1)) : 0;
  quality.seconds /= count;
  quality.confidence /= count;
  quality.largest_said /= count;
  quality.calibration_error =
      has_probabilities(quality.method) ? quality.calibration_error / count : -1;
}

double share_of_largest(const std::vector<std::int32_t>& labels, std::size_t classes) {
  std::vector<double> counts(classes, 0);
  for (const std::int32_t label : labels)
    if (label >= 0) counts[static_cast<std::size_t>(label)] += 1;
  const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
  return sum > 0 ? *std::max_element(counts.begin(), counts.end()) / sum : 0;
}

/// The accuracy against `x`; nothing if that was not varied.
void add_chart(const Evaluation& evaluation, const std::string& title,
               std::int64_t MethodQuality::*x, std::vector<Chart>& charts) {
  std::vector<Series> lines = lines_by_method(evaluation.methods, [&](const MethodQuality& each) {
    return ChartPoint{
        static_cast<double>(each.*x), 100 * each.accuracy,
        Interval{100 * (each.accuracy - each.deviation), 100 * (each.accuracy + each.deviation)}};
  });
  if (is_varied(lines)) charts.push_back({title, "", "accuracy, %", std::move(lines)});
}

}  // namespace

Evaluation evaluate(const Data& data, std::size_t sources, const Options& transfer,
                    const EvaluationOptions& options, const Run& run) {
  require(options.repeat >= 1, "--repeat must be 1 or more, not ", options.repeat);
  require(data.collections.size() > sources, "evaluating needs a target beside the sources");
  Evaluation result;
  for (const Set& set : data.collections) {
    result.collections.push_back(set.name);
    result.items.push_back(std::ssize(set.ids));
  }
  result.features = data.columns();
  result.classes = data.classes;
  result.largest_class = share_of_largest(data.collections.back().labels, data.classes.size());

  const std::vector<Piece> pieces = pieces_of(data, sources, transfer, options);
  std::vector<Outcome> outcomes = run_contest(pieces, "evaluating", run, [&](const Piece& piece) {
    return outcome_of(piece, data, sources, transfer, options, run.jobs);
  });
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (piece.repetition == 0)
      result.methods.push_back({piece.method, piece.cell.clusters, piece.cell.labelled_bridge,
                                piece.cell.labelled_target, piece.cell.removed});
    Outcome& outcome = outcomes[i];
    MethodQuality& quality = result.methods.back();
    quality.accuracies.push_back(outcome.accuracy);
    quality.calibration_error += outcome.calibration_error;
    quality.confidence += outcome.confidence;
    quality.largest_said += outcome.largest_said;
    quality.seconds += outcome.seconds;
    if (piece.watched) {
      result.objective = std::move(outcome.objective);
      result.accuracy_by_iteration = std::move(outcome.accuracy_by_iteration);
    }
  }
  for (MethodQuality& quality : result.methods) finish(quality, options.repeat);
  return result;
}

std::string to_json(const Evaluation& evaluation) {
  Json methods = Json::array();
  for (const MethodQuality& each : evaluation.methods) {
    Json json = {{"method", each.method},
                 {"clusters", each.clusters},
                 {"labelled_bridge", each.labelled_bridge},
                 {"labelled_target", each.labelled_target},
                 {"removed", each.removed},
                 {"accuracy", each.accuracy},
                 {"deviation", each.deviation},
                 {"accuracies", each.accuracies},
                 {"largest_said", each.largest_said},
                 {"seconds", each.seconds}};
    if (each.calibration_error >= 0) {
      json["calibration_error"] = each.calibration_error;
      json["confidence"] = each.confidence;
    }
    methods.push_back(std::move(json));
  }
  Json collections = Json::array();
  for (std::size_t i = 0; i < evaluation.collections.size(); ++i)
    collections.push_back({{"name", evaluation.collections[i]}, {"items", evaluation.items[i]}});
  return json_text(Json{{"collections", collections},
                        {"features", evaluation.features},
                        {"classes", evaluation.classes},
                        {"largest_class", evaluation.largest_class},
                        {"methods", methods},
                        {"objective", evaluation.objective},
                        {"accuracy_by_iteration", evaluation.accuracy_by_iteration}});
}

std::string evaluation_plot(const Evaluation& evaluation) {
  const auto numbers_to = [](std::size_t count) {
    std::vector<double> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1.0);
    return numbers;
  };
  std::vector<double> percent;
  for (const double each : evaluation.accuracy_by_iteration) percent.push_back(100 * each);
  Chart every{"Accuracy", "repetition", "accuracy, %", {}};
  for (const MethodQuality& each : evaluation.methods) {
    Series& series = every.series.emplace_back(
        Series{each.method, numbers_to(each.accuracies.size()), {}, {}, {}});
    for (const double accuracy : each.accuracies) series.y.push_back(100 * accuracy);
  }
  std::vector<Chart> charts;
  if (!evaluation.objective.empty()) {
    charts.push_back(
        {"Objective",
         "iteration",
         "squared error",
         {{"commonplace", numbers_to(evaluation.objective.size()), evaluation.objective, {}, {}}}});
    charts.push_back({"Accuracy of the factors, before refinement",
                      "iteration",
                      "accuracy, %",
                      {{"commonplace", numbers_to(percent.size()), percent, {}, {}}}});
  }
  add_chart(evaluation, "Clusters of features", &MethodQuality::clusters, charts);
  add_chart(evaluation, "Labelled items of the bridge", &MethodQuality::labelled_bridge, charts);
  add_chart(evaluation, "Labelled items of the target", &MethodQuality::labelled_target, charts);
  add_chart(evaluation, "Features that the bridge lost", &MethodQuality::removed, charts);
  // Where nothing was varied, how the methods did is left to draw.
  if (charts.empty()) charts.push_back(std::move(every));
  return chart_page(charts);
}

}  // namespace commonplace::transfer

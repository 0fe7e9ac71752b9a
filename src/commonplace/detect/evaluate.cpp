#include "commonplace/detect/evaluate.h"

#include <algorithm>
#include <numeric>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/number_list.h"
#include "commonplace/base/rng.h"
#include "commonplace/base/spelling.h"
#include "commonplace/detect/rivals/graph_eigenmaps.h"
#include "commonplace/detect/rivals/lap_svm.h"
#include "commonplace/eval/contest.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/learn/knn.h"
#include "commonplace/learn/label_propagation.h"
#include "commonplace/learn/neighbour_graph.h"
#include "commonplace/learn/one_vs_rest_linear.h"

namespace commonplace::detect {
namespace {

/// The items in an order of their own for each repetition.
std::vector<std::int64_t> shuffled(std::int64_t items, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(items));
  std::iota(order.begin(), order.end(), 0);
  const auto bits = [&](std::int64_t item) {
    return random_bits(seed, static_cast<std::uint64_t>(item), 0x6465U);
  };
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return std::pair{bits(a), a} < std::pair{bits(b), b};
  });
  return order;
}

/// One drawing of labelled items, and what the methods learn from.
struct Draw {
  std::vector<std::int64_t> labelled;  ///< items
  std::vector<std::int64_t> others;    ///< whose scores count
  std::vector<std::int64_t> used;      ///< labelled ones, then those that help without a label
};

Draw draw_items(const Trial& trial, std::int64_t per_concept, std::int64_t unlabelled,
                std::uint64_t seed) {
  Draw draw;
  std::vector<std::int64_t> wanted(static_cast<std::size_t>(trial.labels.cols()), per_concept);
  std::vector<std::uint8_t> taken(static_cast<std::size_t>(trial.labels.rows()));
  const std::vector<std::int64_t> order = shuffled(trial.labels.rows(), seed);
  for (const std::int64_t item : order)
    for (Eigen::Index c = 0; c < trial.labels.cols(); ++c) {
      if (trial.labels(item, c) <= 0 || wanted[static_cast<std::size_t>(c)] == 0) continue;
      if (taken[static_cast<std::size_t>(item)] == 0) draw.labelled.push_back(item);
      taken[static_cast<std::size_t>(item)] = 1;
      --wanted[static_cast<std::size_t>(c)];
    }
  std::sort(draw.labelled.begin(), draw.labelled.end());
  draw.used = draw.labelled;
  for (const std::int64_t item : order) {
    if (taken[static_cast<std::size_t>(item)] != 0) continue;
    draw.others.push_back(item);
    if (unlabelled == kAll || std::ssize(draw.used) - std::ssize(draw.labelled) < unlabelled)
      draw.used.push_back(item);
  }
  require(!draw.others.empty(), per_concept,
          " labelled items a concept leave none to be scored; give fewer");
  return draw;
}

/// The features, rows as in `which`.
std::vector<Matrix> rows_of(const std::vector<Matrix>& features,
                            std::span<const std::int64_t> which) {
  std::vector<Matrix> result;
  for (const Matrix& all : features) {
    Matrix& rows = result.emplace_back(std::ssize(which), all.cols());
    for (std::size_t i = 0; i < which.size(); ++i)
      rows.row(static_cast<Eigen::Index>(i)) = all.row(which[i]);
  }
  return result;
}

std::vector<MatrixView> views_of(const std::vector<Matrix>& features) {
  std::vector<MatrixView> views;
  for (const Matrix& each : features) views.emplace_back(each.data(), each.rows(), each.cols());
  return views;
}

/// Features side by side, each kind at length one.
Matrix side_by_side(const std::vector<Matrix>& features) {
  std::vector<SpacePart> parts;
  const std::vector<MatrixView> views = views_of(features);
  for (std::size_t i = 0; i < features.size(); ++i)
    parts.push_back(
        fit_part(SpaceKind::raw, static_cast<std::int64_t>(i), views[i], {}, {.jobs = 1}));
  return encode(join_parts(std::move(parts)), views, 0, features[0].rows(), false, 1);
}

/// What all methods of one drawing share.
struct Stage {
  const Trial& trial;
  const Draw& draw;
  const DetectorOptions& detector;
  MatrixD labels;              ///< of the labelled items
  std::vector<Matrix> used;    ///< features of draw.used
  std::vector<Matrix> others;  ///< features of draw.others
  int jobs;
};

struct Scored {
  Matrix scores;  ///< others x concepts
  std::string chosen;
};

/// Which of draw.used the labelled ones are: its beginning.
std::vector<std::int64_t> places(const Stage& stage) {
  std::vector<std::int64_t> rows(stage.draw.labelled.size());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// Our own way, by the options.
Scored run_detector(const Stage& stage, const DetectorOptions& options) {
  const std::vector<MatrixView> used = views_of(stage.used);
  const Detector detector =
      fit_detector(used, {places(stage), stage.labels}, options, {.jobs = stage.jobs});
  const ConceptHeads heads =
      fit_heads(encode_rows(detector.space, used, places(stage), true, stage.jobs), stage.labels,
                detector.head, stage.jobs);
  const std::vector<MatrixView> others = views_of(stage.others);
  // Those that helped are known to the space, so that none is its own neighbour.
  std::vector<std::int64_t> known(stage.draw.used.size() - stage.draw.labelled.size());
  std::iota(known.begin(), known.end(), std::ssize(stage.draw.labelled));
  Scored result;
  result.scores.resize(std::ssize(stage.draw.others), stage.labels.cols());
  if (!known.empty())
    result.scores.topRows(std::ssize(known)) =
        score(heads, encode_rows(detector.space, used, known, true, stage.jobs), stage.jobs);
  const auto rest = std::ssize(stage.draw.others) - std::ssize(known);
  if (rest > 0)
    result.scores.bottomRows(rest) =
        score(heads, encode(detector.space, others, std::ssize(known), rest, false, stage.jobs),
              stage.jobs);
  result.chosen = detector.representation + ", " + (detector.head.svm ? "svm" : "laprls");
  return result;
}

Scored run_linear(const Stage& stage, const std::string& loss) {
  OneVsRestLinearOptions options;
  options.loss = loss;
  options.cost = stage.detector.cost;
  const Matrix used = side_by_side(stage.used);
  const OneVsRestLinear model =
      fit_one_vs_rest(Matrix(used.topRows(std::ssize(stage.draw.labelled))), stage.labels, options,
                      {.jobs = stage.jobs});
  return {score(model, side_by_side(stage.others), stage.jobs), ""};
}

Scored run_knn(const Stage& stage) {
  const Matrix used = side_by_side(stage.used);
  return {
      knn_labels(side_by_side(stage.others), Matrix(used.topRows(std::ssize(stage.draw.labelled))),
                 stage.labels, {.neighbours = 5, .power = 1}, stage.jobs),
      ""};
}

/// The authors' eigenmaps, of the first `from` of the used items, side by side for several
/// features.
struct AuthorsSpace {
  Matrix labelled;
  Matrix others;
  VectorD penalty;
};

AuthorsSpace authors_space(const Stage& stage, std::int64_t from) {
  AuthorsSpace space;
  for (std::size_t f = 0; f < stage.used.size(); ++f) {
    AxisEigenmapOptions options = authors_axis_eigenmaps();
    options.count = stage.detector.space.count;
    const AxisEigenmaps model =
        fit_axis_eigenmaps(Matrix(stage.used[f].topRows(from)), options, {.jobs = stage.jobs})
            .model;
    const auto append = [](Matrix& to, const Matrix& more) {
      Matrix joined(more.rows(), to.cols() + more.cols());
      if (to.cols() > 0) joined.leftCols(to.cols()) = to;
      joined.rightCols(more.cols()) = more;
      to = std::move(joined);
    };
    append(
        space.labelled,
        encode(model, Matrix(stage.used[f].topRows(std::ssize(stage.draw.labelled))), stage.jobs));
    append(space.others, encode(model, stage.others[f], stage.jobs));
    VectorD penalty(space.penalty.size() + model.eigenvalues.size());
    penalty << space.penalty, model.eigenvalues;
    space.penalty = std::move(penalty);
  }
  return space;
}

Scored run_authors(const Stage& stage, bool online, bool svm) {
  const auto labelled = std::ssize(stage.draw.labelled);
  const auto used = std::ssize(stage.draw.used);
  const AuthorsSpace space = authors_space(stage, online ? labelled + (used - labelled) / 2 : used);
  if (!svm) {
    LapRlsOptions options;
    options.bias = false;
    const MatrixD alpha =
        fit_lap_rls(space.labelled, stage.labels, space.penalty, options, {}, nullptr, stage.jobs);
    return {lap_rls_scores(space.others, alpha, stage.jobs), ""};
  }
  // Columns have length one over the items, so entries are tiny; rows are brought to about one.
  const auto scale = static_cast<float>(
      std::sqrt(static_cast<double>(used) / static_cast<double>(space.penalty.size())));
  OneVsRestLinearOptions options;
  options.cost = stage.detector.cost;
  return {score(fit_one_vs_rest(Matrix(scale * space.labelled), stage.labels, options,
                                {.jobs = stage.jobs}),
                Matrix(scale * space.others), stage.jobs),
          ""};
}

/// All items: the used ones, then those of the others that are not among them.
Matrix everything(const Stage& stage) {
  const Matrix used = side_by_side(stage.used);
  const Matrix others = side_by_side(stage.others);
  const Eigen::Index labelled = std::ssize(stage.draw.labelled);
  Matrix all(labelled + others.rows(), used.cols());
  all.topRows(labelled) = used.topRows(labelled);
  all.bottomRows(others.rows()) = others;
  return all;
}

Scored run_graph(const Stage& stage, const std::string& method) {
  const Matrix all = everything(stage);
  const auto labelled = std::ssize(stage.draw.labelled);
  const NeighbourGraph graph = neighbour_graph(all, {}, stage.jobs);
  if (method == "propagation") {
    MatrixD labels = MatrixD::Zero(all.rows(), stage.labels.cols());
    labels.topRows(labelled) = stage.labels;
    LabelPropagationOptions spread;
    spread.balanced = true;
    const Matrix scores =
        propagate_labels(graph.weights.view(), labels, spread, {.jobs = stage.jobs}).scores;
    return {scores.bottomRows(all.rows() - labelled), ""};
  }
  if (method == "lapsvm") {
    const OneVsRestLinear model = fit_lap_svm(all, graph.weights.view(), places(stage),
                                              stage.labels, {}, {.jobs = stage.jobs});
    return {score(model, Matrix(all.bottomRows(all.rows() - labelled)), stage.jobs), ""};
  }
  GraphEigenmapOptions maps;
  maps.count = std::min<std::int64_t>(stage.detector.space.count, all.rows() - 1);
  const GraphEigenmaps eigenmaps =
      graph_eigenmaps(graph.weights.view(), maps, {.jobs = stage.jobs});
  const auto scale = static_cast<float>(
      std::sqrt(static_cast<double>(all.rows()) / static_cast<double>(eigenmaps.vectors.cols())));
  OneVsRestLinearOptions linear;
  linear.cost = stage.detector.cost;
  const Matrix rows = scale * eigenmaps.vectors;
  const OneVsRestLinear model =
      fit_one_vs_rest(Matrix(rows.topRows(labelled)), stage.labels, linear, {.jobs = stage.jobs});
  return {score(model, Matrix(rows.bottomRows(all.rows() - labelled)), stage.jobs),
          eigenmaps.report.converged ? "" : "not converged"};
}

Scored run_method(const Stage& stage, const std::string& method) {
  if (method == "auto") return run_detector(stage, stage.detector);
  if (method == "svm" || method == "logistic") return run_linear(stage, method);
  if (method == "knn") return run_knn(stage);
  if (method == "ale-svm") return run_authors(stage, false, true);
  if (method == "ale-laprls") return run_authors(stage, false, false);
  if (method == "iale-svm") return run_authors(stage, true, true);
  if (method == "iale-laprls") return run_authors(stage, true, false);
  if (method == "axis" || method == "anchors" || method == "smoothed" || method == "raw") {
    DetectorOptions options = stage.detector;
    options.representation = method;
    options.head = "laprls";
    return run_detector(stage, options);
  }
  return run_graph(stage, method);
}

void check_methods(const std::vector<std::string>& methods) {
  static constexpr const char* kKnown[] = {"auto",    "svm",        "logistic",   "knn",
                                           "ale-svm", "ale-laprls", "iale-svm",   "iale-laprls",
                                           "raw",     "smoothed",   "axis",       "anchors",
                                           "gsf",     "lapsvm",     "propagation"};
  require(!methods.empty(), "there are no methods to compare");
  for (const std::string& method : methods)
    require(std::find(std::begin(kKnown), std::end(kKnown), method) != std::end(kKnown),
            "there is no method '", method, "'; expected some of ", join(kKnown));
}

/// One repetition's figures.
struct Outcome {
  std::int64_t helping = 0;        ///< unlabelled items that helped
  std::vector<double> precisions;  ///< per concept that can be judged: interpolated AP
  std::vector<double> at_100;
  double error = -1;
  double seconds = 0;
  std::string chosen;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcome, helping, precisions, at_100, error, seconds, chosen)

Outcome judge(const Trial& trial, const Draw& draw, const Scored& scored) {
  Outcome outcome;
  outcome.chosen = scored.chosen;
  for (Eigen::Index c = 0; c < trial.labels.cols(); ++c) {
    std::vector<double> scores;
    std::vector<std::uint8_t> relevant;
    for (std::size_t i = 0; i < draw.others.size(); ++i) {
      scores.push_back(static_cast<double>(scored.scores(static_cast<Eigen::Index>(i), c)));
      relevant.push_back(trial.labels(draw.others[i], c) > 0 ? 1 : 0);
    }
    const auto positives =
        static_cast<std::size_t>(std::count(relevant.begin(), relevant.end(), std::uint8_t{1}));
    const std::vector<std::uint8_t> hits = rank_by_score(scores, relevant);
    outcome.precisions.push_back(positives == 0 ? 0
                                                : interpolated_average_precision(hits, positives));
    outcome.at_100.push_back(precision_at(hits, 100));
  }
  if (!trial.one_each()) return outcome;
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < draw.others.size(); ++i) {
    Eigen::Index best = 0;
    scored.scores.row(static_cast<Eigen::Index>(i)).maxCoeff(&best);
    if (trial.labels(draw.others[i], best) <= 0) ++wrong;
  }
  outcome.error = static_cast<double>(wrong) / static_cast<double>(draw.others.size());
  return outcome;
}

MethodQuality quality_of(const std::string& method, std::int64_t labelled,
                         const std::vector<Outcome>& outcomes) {
  MethodQuality result;
  result.method = method;
  result.labelled = labelled;
  result.unlabelled = outcomes[0].helping;
  result.miap = measured_over(outcomes, &Outcome::precisions);
  result.precision_at_100 = measured_over(outcomes, &Outcome::at_100);
  result.chosen = outcomes[0].chosen;
  const auto count = static_cast<double>(outcomes.size());
  result.of_concepts.assign(outcomes[0].precisions.size(), 0);
  double error = 0;
  for (const Outcome& each : outcomes) {
    error += each.error / count;
    result.seconds += each.seconds / count;
    for (std::size_t c = 0; c < each.precisions.size(); ++c)
      result.of_concepts[c] += each.precisions[c] / count;
  }
  result.error = outcomes[0].error < 0 ? -1 : error;
  return result;
}

/// One method on one drawing of labelled items.
struct Repetition {
  std::int64_t labelled;
  std::int64_t unlabelled;
  int round;
  std::string method;
};

Outcome make_outcome(const Repetition& asked, const Trial& trial, const DetectorOptions& detector,
                     int jobs) {
  const Draw draw = draw_items(
      trial, asked.labelled, asked.unlabelled,
      random_bits(detector.space.seed, static_cast<std::uint64_t>(asked.round), 0x726eU));
  Stage stage{trial,
              draw,
              detector,
              {},
              rows_of(trial.features, draw.used),
              rows_of(trial.features, draw.others),
              jobs};
  stage.labels = trial.labels(draw.labelled, Eigen::all);
  const auto begin = Clock::now();
  const Scored scored = run_method(stage, asked.method);
  Outcome outcome = judge(trial, draw, scored);
  outcome.seconds = seconds_since(begin);
  outcome.helping = std::ssize(draw.used) - std::ssize(draw.labelled);
  return outcome;
}

}  // namespace

Evaluation evaluate(const Trial& trial, const EvaluationOptions& options,
                    const DetectorOptions& detector, const Run& run) {
  check(detector);
  const std::vector<std::string> methods = current_words(options.methods);
  check_methods(methods);
  require(options.repeat >= 1, "repeat is ", options.repeat, "; expected 1 or more");
  require(!trial.features.empty() && trial.labels.cols() >= 1, "there are no features or concepts");
  Evaluation evaluation;
  evaluation.items = trial.labels.rows();
  for (const Matrix& each : trial.features) evaluation.columns += each.cols();
  evaluation.concepts = trial.concepts;
  std::vector<Repetition> runs;
  for (const std::int64_t unlabelled : number_list(options.unlabelled, "unlabelled", true))
    for (const std::int64_t labelled : number_list(options.labelled, "labelled", false))
      for (const std::string& method : methods)
        for (int round = 0; round < options.repeat; ++round)
          runs.push_back({labelled, unlabelled, round, method});
  const auto outcomes = run_contest(runs, "detecting", run, [&](const Repetition& each) {
    return make_outcome(each, trial, detector, run.jobs);
  });
  for_each_method(runs, outcomes, options.repeat, [&](const Repetition& of, const auto& rounds) {
    evaluation.methods.push_back(quality_of(of.method, of.labelled, rounds));
  });
  return evaluation;
}

}  // namespace commonplace::detect

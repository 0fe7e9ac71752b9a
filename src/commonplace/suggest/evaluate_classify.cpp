#include "commonplace/suggest/evaluate_classify.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/eval/calibration.h"
#include "commonplace/eval/contest.h"
#include "commonplace/eval/split.h"
#include "commonplace/suggest/core/softmax_gp.h"
#include "commonplace/suggest/core/sparse_gp_basis.h"
#include "commonplace/suggest/rivals/full_gp.h"
#include "commonplace/suggest/rivals/ivm.h"

namespace commonplace {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Kernel, kind, length_scale, variance)

namespace suggest {

namespace {

constexpr std::uint64_t kRepetition = 0x636cULL;

std::vector<std::string> parts_of(const std::string& list, const char* option) {
  std::vector<std::string> result;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    result.push_back(list.substr(begin, end - begin));
    require(!result.back().empty(), option, " is '", list, "'; expected names separated by commas");
    begin = end + 1;
  }
  return result;
}

/// "40" of them, or "5%" of all.
std::int64_t count_of(const std::string& asked, std::int64_t all, std::int64_t classes) {
  const bool share = asked.ends_with('%');
  const char* end = asked.data() + asked.size() - (share ? 1 : 0);
  double number = 0;
  const auto [stop, problem] = std::from_chars(asked.data(), end, number);
  require(problem == std::errc{} && stop == end && number > 0 && (!share || number <= 100) &&
              (share || number == std::floor(number)) && number < 1e9,
          "prototypes has '", asked, "'; expected numbers such as 100 or shares such as 5%");
  const double wanted = share ? number / 100 * static_cast<double>(all) : number;
  return std::clamp(std::llround(wanted), static_cast<long long>(std::min(classes, all)),
                    static_cast<long long>(all));
}

void check(const ClassifiedItems& items, const ClassifyOptions& options) {
  require(options.train_share > 0 && options.train_share < 1, "train_share is ",
          options.train_share, "; expected more than 0 and less than 1");
  require(options.repeat >= 1, "repeat is ", options.repeat, "; expected 1 or more");
  require(options.ivm_active >= 1, "ivm_active is ", options.ivm_active, "; expected 1 or more");
  require(items.classes.size() >= 2, "the items have ", items.classes.size(),
          " classes; expected 2 or more");
  require(items.features.rows() == std::ssize(items.labels), items.features.rows(),
          " items do not fit ", items.labels.size(), " labels");
  kernel_kind(options.kernel);
  for (const std::string& asked : parts_of(options.prototypes, "prototypes"))
    count_of(asked, items.features.rows(), 1);
  for (const std::string& way : parts_of(options.selection, "selection"))
    require(way == "descent" || way == "random" || way == "gain", "selection has '", way,
            "'; expected descent, random or gain");
}

/// One side of a split.
struct Side {
  Matrix features;
  std::vector<std::int32_t> labels;
};

Side side_of(const ClassifiedItems& items, const std::vector<std::int64_t>& rows) {
  Side side{items.features(rows, Eigen::all), {}};
  for (const std::int64_t row : rows)
    side.labels.push_back(items.labels[static_cast<std::size_t>(row)]);
  return side;
}

/// Mean 0 and variance 1 over the training items; a constant feature becomes 0.
void standardise(Side& train, Side& test) {
  for (Eigen::Index f = 0; f < train.features.cols(); ++f) {
    const VectorD values = train.features.col(f).cast<double>();
    const double mean = values.mean();
    const double deviation = std::sqrt((values.array() - mean).square().mean());
    for (Side* side : {&train, &test})
      for (Eigen::Index n = 0; n < side->features.rows(); ++n)
        side->features(n, f) = static_cast<float>(
            (static_cast<double>(side->features(n, f)) - mean) / (deviation > 0 ? deviation : 1));
  }
}

/// What one method did in one repetition, an entry a test item.
struct Outcome {
  std::int64_t prototypes = 0;
  std::vector<double> wrong;
  std::vector<double> log_probability;
  double calibration_error = 0;
  std::vector<double> averaged_log_probability;
  double averaged_calibration_error = 0;
  double train_seconds = 0;
  double predict_seconds = 0;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Outcome, prototypes, wrong, log_probability, calibration_error,
                                   averaged_log_probability, averaged_calibration_error,
                                   train_seconds, predict_seconds)

/// What the probabilities are worth.
struct Judged {
  std::vector<double> wrong;
  std::vector<double> log_probability;
  double calibration_error = 0;
};

Judged judged(const Matrix& probabilities, const std::vector<std::int32_t>& labels) {
  Judged result;
  std::vector<double> confidence;
  std::vector<std::uint8_t> right;
  for (Eigen::Index n = 0; n < probabilities.rows(); ++n) {
    const std::int32_t label = labels[static_cast<std::size_t>(n)];
    Eigen::Index best = 0;
    const auto top = static_cast<double>(probabilities.row(n).maxCoeff(&best));
    confidence.push_back(std::clamp(top, 0.0, 1.0));
    right.push_back(best == label ? 1 : 0);
    result.wrong.push_back(best == label ? 0 : 1);
    result.log_probability.push_back(
        std::log(std::max(1e-12, static_cast<double>(probabilities(n, label)))));
  }
  result.calibration_error = expected_calibration_error(confidence, right, 15);
  return result;
}

void judge(const Matrix& probabilities, const Matrix& averaged,
           const std::vector<std::int32_t>& labels, Outcome& outcome) {
  Judged mode = judged(probabilities, labels);
  outcome.wrong = std::move(mode.wrong);
  outcome.log_probability = std::move(mode.log_probability);
  outcome.calibration_error = mode.calibration_error;
  Judged mean = judged(averaged, labels);
  outcome.averaged_log_probability = std::move(mean.log_probability);
  outcome.averaged_calibration_error = mean.calibration_error;
}

/// The sides of one repetition, and what all methods share.
struct Stage {
  Side train;
  Side test;
  std::int64_t classes = 0;
  Kernel kernel;
  int jobs = 0;
};

Outcome run_sparse(const Stage& stage, const PrototypeOptions& choice) {
  Outcome outcome;
  outcome.prototypes = choice.count;
  auto begin = Clock::now();
  const SparseGpBasis basis =
      make_basis(stage.kernel,
                 select_prototypes(stage.train.features, stage.train.labels, stage.classes,
                                   stage.kernel, choice, {.jobs = stage.jobs})
                     .rows,
                 1e-6, stage.jobs);
  SoftmaxGpOptions options;
  options.tolerance = 1e-5;
  const SoftmaxGp model =
      fit_softmax_gp(whiten(basis, stage.train.features, stage.jobs), stage.train.labels,
                     stage.classes, options, {.jobs = stage.jobs})
          .model;
  outcome.train_seconds = seconds_since(begin);
  begin = Clock::now();
  const Latents latents =
      predict_latents(model, whiten(basis, stage.test.features, stage.jobs),
                      kernel_diagonal(stage.kernel, stage.test.features), stage.jobs);
  outcome.predict_seconds = seconds_since(begin);
  judge(mode_probabilities(latents), fast_probabilities(latents), stage.test.labels, outcome);
  return outcome;
}

Outcome run_ivm(const Stage& stage, std::int64_t active, std::uint64_t seed) {
  Outcome outcome;
  outcome.prototypes = active;
  auto begin = Clock::now();
  const Ivm model = fit_ivm(stage.kernel, stage.train.features, stage.train.labels, stage.classes,
                            {active, seed}, {.jobs = stage.jobs});
  outcome.train_seconds = seconds_since(begin);
  begin = Clock::now();
  const Matrix probabilities = predict(model, stage.test.features, stage.jobs);
  outcome.predict_seconds = seconds_since(begin);
  judge(probabilities, probabilities, stage.test.labels, outcome);
  return outcome;
}

Outcome run_full(const Stage& stage) {
  Outcome outcome;
  outcome.prototypes = stage.train.features.rows();
  auto begin = Clock::now();
  FullGpOptions options;
  options.tolerance = 1e-6;
  const FullGp model = fit_full_gp(stage.kernel, stage.train.features, stage.train.labels,
                                   stage.classes, options, stage.jobs)
                           .model;
  outcome.train_seconds = seconds_since(begin);
  begin = Clock::now();
  const Latents latents = predict_latents(model, stage.test.features, stage.jobs);
  outcome.predict_seconds = seconds_since(begin);
  judge(mode_probabilities(latents), sampled_probabilities(latents, 500, 1, stage.jobs),
        stage.test.labels, outcome);
  return outcome;
}

struct Method {
  std::string name;
  std::string selection;
  std::string asked;

  auto operator<=>(const Method&) const = default;
};

std::vector<Method> methods_of(const ClassifyOptions& options, bool full) {
  std::vector<Method> result;
  for (const std::string& asked : parts_of(options.prototypes, "prototypes")) {
    for (const std::string& way : parts_of(options.selection, "selection"))
      result.push_back({"sgp", way, asked});
    if (options.ivm) result.push_back({"ivm", "", asked});
  }
  if (full) result.push_back({"full", "", ""});
  return result;
}

ClassifierQuality quality_of(const Method& method, const std::vector<Outcome>& outcomes) {
  ClassifierQuality result;
  result.method = method.name;
  result.selection = method.selection;
  result.asked = method.asked;
  result.prototypes = outcomes[0].prototypes;
  result.error = measured_over(outcomes, &Outcome::wrong);
  result.log_likelihood = measured_over(outcomes, &Outcome::log_probability);
  result.averaged_log_likelihood = measured_over(outcomes, &Outcome::averaged_log_probability);
  std::vector<double> calibration;
  std::vector<double> averaged;
  for (const Outcome& outcome : outcomes) {
    calibration.push_back(outcome.calibration_error);
    averaged.push_back(outcome.averaged_calibration_error);
    result.train_seconds += outcome.train_seconds / static_cast<double>(outcomes.size());
    result.predict_seconds += outcome.predict_seconds / static_cast<double>(outcomes.size());
  }
  result.calibration_error = measured(calibration);
  result.averaged_calibration_error = measured(averaged);
  return result;
}

using Outcomes = std::map<Method, std::vector<Outcome>>;

void add_gains(const ClassifyOptions& options, const Outcomes& outcomes,
               ClassifyEvaluation& evaluation) {
  for (const std::string& asked : parts_of(options.prototypes, "prototypes")) {
    const auto moved = outcomes.find({"sgp", "descent", asked});
    const auto random = outcomes.find({"sgp", "random", asked});
    if (moved == outcomes.end() || random == outcomes.end()) continue;
    std::vector<Outcome> differences;
    for (std::size_t r = 0; r < moved->second.size(); ++r) {
      Outcome& difference = differences.emplace_back();
      for (std::size_t n = 0; n < moved->second[r].wrong.size(); ++n) {
        difference.wrong.push_back(moved->second[r].wrong[n] - random->second[r].wrong[n]);
        difference.log_probability.push_back(moved->second[r].log_probability[n] -
                                             random->second[r].log_probability[n]);
      }
    }
    evaluation.descent_over_random.push_back(
        {asked, measured_over(differences, &Outcome::wrong),
         measured_over(differences, &Outcome::log_probability)});
  }
}

/// All but the kernel.
Stage stage_of(const ClassifiedItems& items, const ClassifyOptions& options, std::uint64_t seed,
               int jobs) {
  const Split split = split_rows(seed, items.features.rows(), 1 - options.train_share);
  require(!split.train.empty() && !split.test.empty(), items.features.rows(),
          " items are too few to part into those to learn from and those to ask for");
  Stage stage;
  stage.train = side_of(items, split.train);
  stage.test = side_of(items, split.test);
  stage.classes = std::ssize(items.classes);
  stage.jobs = jobs;
  standardise(stage.train, stage.test);
  return stage;
}

Outcome run(const Method& method, const Stage& stage, const ClassifyOptions& options,
            PrototypeOptions choice) {
  if (method.name == "full") return run_full(stage);
  const std::int64_t count = count_of(method.asked, stage.train.features.rows(), stage.classes);
  if (method.name == "ivm") return run_ivm(stage, std::min(count, options.ivm_active), choice.seed);
  choice.count = count;
  choice.selection = method.selection;
  return run_sparse(stage, choice);
}

/// All that is run, in pieces that any rank can do by itself.
class ClassifyContest {
 public:
  ClassifyContest(const ClassifiedItems& items, const ClassifyOptions& options,
                  const PrototypeOptions& descent, const HyperparameterOptions& tuning,
                  const Run& run)
      : items_(items), options_(options), descent_(descent), tuning_(tuning), run_(run) {}

  /// The kernel of each repetition.
  void tune() {
    std::vector<std::int64_t> repetitions(static_cast<std::size_t>(options_.repeat));
    std::iota(repetitions.begin(), repetitions.end(), std::int64_t{0});
    kernels_ = run_contest(repetitions, "tuning kernels", run_, [&](std::int64_t repetition) {
      go_to(repetition);
      return tune_kernel(kernel_kind(options_.kernel), stage_.train.features, stage_.train.labels,
                         stage_.classes, tuning_of(repetition), {.jobs = run_.jobs})
          .kernel;
    });
    stage_at_ = -1;
  }
  const Kernel& first_kernel() const { return kernels_[0]; }
  /// Of the first repetition.
  std::int64_t train_items() const {
    return std::ssize(
        split_rows(seed_of(0), items_.features.rows(), 1 - options_.train_share).train);
  }

  /// What each method did in each repetition.
  Outcomes run(const std::vector<Method>& methods) {
    const auto count = std::ssize(methods);
    const auto total = options_.repeat * count;
    std::vector<std::int64_t> pieces(static_cast<std::size_t>(total));
    std::iota(pieces.begin(), pieces.end(), std::int64_t{0});
    const auto made = run_contest(pieces, "comparing classifiers", run_, [&](std::int64_t piece) {
      const std::int64_t repetition = piece / count;
      go_to(repetition);
      PrototypeOptions choice = descent_;
      choice.seed = seed_of(repetition);
      return suggest::run(methods[static_cast<std::size_t>(piece % count)], stage_, options_,
                          choice);
    });
    Outcomes outcomes;
    for (std::int64_t piece = 0; piece < total; ++piece)
      outcomes[methods[static_cast<std::size_t>(piece % count)]].push_back(
          made[static_cast<std::size_t>(piece)]);
    return outcomes;
  }

  /// The first repetition's, a length scale to a piece.
  LikelihoodSurface surface() {
    const Kernel& kernel = kernels_[0];
    LikelihoodSurface surface;
    for (int i = -4; i <= 4; ++i)
      surface.length_scales.push_back(kernel.length_scale * std::pow(2.0, 0.5 * i));
    for (int i = -2; i <= 2; ++i) surface.variances.push_back(kernel.variance * std::pow(4.0, i));
    const auto rows = run_contest(surface.length_scales, "surface", run_, [&](double length_scale) {
      go_to(0);
      const MatrixD values = likelihood_surface(
          kernel.kind, stage_.train.features, stage_.train.labels, stage_.classes,
          std::span(&length_scale, 1), surface.variances, tuning_of(0), {.jobs = run_.jobs});
      return std::vector<double>(values.data(), values.data() + values.size());
    });
    surface.values.resize(std::ssize(surface.length_scales), std::ssize(surface.variances));
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy(rows[i].begin(), rows[i].end(),
                surface.values.row(static_cast<Eigen::Index>(i)).data());
    return surface;
  }

 private:
  std::uint64_t seed_of(std::int64_t repetition) const {
    return random_bits(options_.seed, static_cast<std::uint64_t>(repetition), kRepetition);
  }
  HyperparameterOptions tuning_of(std::int64_t repetition) const {
    HyperparameterOptions tuned = tuning_;
    tuned.seed = seed_of(repetition);
    return tuned;
  }
  /// A rank is given its pieces in order, so the last stage is often the one that is needed.
  void go_to(std::int64_t repetition) {
    if (stage_at_ == repetition) return;
    stage_ = stage_of(items_, options_, seed_of(repetition), run_.jobs);
    if (!kernels_.empty()) stage_.kernel = kernels_[static_cast<std::size_t>(repetition)];
    stage_at_ = repetition;
  }

  const ClassifiedItems& items_;
  const ClassifyOptions& options_;
  const PrototypeOptions& descent_;
  const HyperparameterOptions& tuning_;
  Run run_;
  std::vector<Kernel> kernels_;
  Stage stage_;
  std::int64_t stage_at_ = -1;
};

}  // namespace

ClassifyEvaluation evaluate_classify(const ClassifiedItems& items, const ClassifyOptions& options,
                                     const PrototypeOptions& descent,
                                     const HyperparameterOptions& tuning, const Run& run) {
  check(items, options);
  ClassifyEvaluation evaluation;
  evaluation.items = items.features.rows();
  evaluation.features = items.features.cols();
  evaluation.classes = std::ssize(items.classes);
  require_same(run.comm,
               concat(evaluation.items, " items of ", evaluation.features, " features and ",
                      evaluation.classes, " classes"),
               "items");
  const auto expected =
      static_cast<std::int64_t>(options.train_share * static_cast<double>(evaluation.items) * 1.02);
  const std::vector<Method> methods =
      methods_of(options, options.full && fits_full_gp(expected, evaluation.classes));
  ClassifyContest contest(items, options, descent, tuning, run);
  contest.tune();
  evaluation.kernel = contest.first_kernel();
  evaluation.train_items = contest.train_items();
  if (options.surface) evaluation.surface = contest.surface();
  const Outcomes outcomes = contest.run(methods);
  for (const Method& method : methods)
    evaluation.methods.push_back(quality_of(method, outcomes.at(method)));
  add_gains(options, outcomes, evaluation);
  return evaluation;
}

}  // namespace suggest
}  // namespace commonplace

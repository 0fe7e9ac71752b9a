#include "commonplace/suggest/core/learn_suggester.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/eval/split.h"
#include "commonplace/io/options_json.h"
#include "commonplace/learn/rank_parts.h"
#include "commonplace/suggest/core/suggester_fitting.h"

namespace commonplace {
namespace {

/// The cost of a model grows with its cube; more is for --prototypes to say.
constexpr std::int64_t kMostPrototypes = 3000;
constexpr std::int64_t kFewestPrototypes = 50;
/// Whether categories help is tried with a classifier of at most so many items, and prototypes with
/// so many rounds of k-means: enough to choose by.
constexpr std::int64_t kClassifiedToChoose = 1000;
constexpr int kRoundsToChoose = 3;
/// Fewer held-out items tell nothing.
constexpr std::int64_t kFewestHeldOut = 20;

struct NamedWeighting {
  const char* name;
  FeatureWeighting weighting;
};
constexpr NamedWeighting kWeightings[] = {
    {"telling", {.rarity = 0, .telling = 0.5}},
    {"rare", {.rarity = 0.5, .telling = 0}},
    {"plain", {.rarity = 0, .telling = 0}},
    {"both", {.rarity = 0.5, .telling = 0.25}},
};

/// All that is chosen before the mixture.
struct Setting {
  NamedWeighting weighting = kWeightings[0];
  double length_scale = 0.7;
  double noise_variance = 0.1;
  double share = 0.1;  ///< of the items, as prototypes
};

/// Items with what is known of them.
struct TaggedRows {
  StoredRows rows;
  Sparse targets;
};

TaggedRows take(const FeatureRows& raw, const SparseView& targets,
                std::span<const std::int64_t> which) {
  TaggedRows result;
  result.rows = take_rows(raw, which);
  result.targets.columns = targets.columns;
  for (const std::int64_t row : which) result.targets.push_row(targets, row);
  return result;
}

/// So many prototypes as a share of the items asks for; "auto" is kept from being too costly.
std::int64_t prototypes_of(double share, std::int64_t items) {
  const auto wanted = static_cast<std::int64_t>(std::llround(share * static_cast<double>(items)));
  return std::clamp(wanted, std::min(kFewestPrototypes, items), std::min(kMostPrototypes, items));
}

/// What is taken where nothing else is clearly better.
SuggesterMixture usual_mixture(const std::string& method) {
  const bool combined = method == "combined";
  return {.tags = combined || method == "tags" ? 1.0 : 0.0,
          .neighbours = combined                 ? 0.2
                        : method == "neighbours" ? 1.0
                                                 : 0.0,
          .category = method == "category" ? 1.0 : 0.0};
}

void require_categories(bool classified) {
  require(classified,
          "the method category needs items of two tags or more; give another method, "
          "such as tags");
}

/// Searches the hyper-parameters on items held out from a sample, by the one-standard-error rule.
class HyperparameterSearch {
 public:
  HyperparameterSearch(const SuggesterData& data, const SuggesterOptions& options, const Run& run)
      : options_(options), run_(run) {
    const FeatureRows& raw = data.features;
    const SparseView& targets = data.targets;
    std::vector<std::int64_t> train;
    std::vector<std::int64_t> held;
    const double kept =
        std::min(1.0, static_cast<double>(options.choose_on) / static_cast<double>(raw.rows()));
    for (std::int64_t row = 0; row < raw.rows(); ++row) {
      if (!is_test_row(mix(options.seed), row, kept)) continue;
      const auto values = targets.row_values(row);
      const bool tagged =
          std::any_of(values.begin(), values.end(), [](float value) { return value > 0; });
      (tagged && is_test_row(options.seed, row, options.held_out) ? held : train).push_back(row);
    }
    train_ = take(raw, targets, train);
    held_ = take(raw, targets, held);
    fitting_.emplace(train_.rows.view(), data.blocks, train_.targets.view(), options,
                     Run{.jobs = run.jobs, .progress = run.progress});
    setting_.share = share_asked_for(raw.rows());
    if (options.length_scale > 0) setting_.length_scale = options.length_scale;
    if (options.noise_variance > 0) setting_.noise_variance = options.noise_variance;
    for (const NamedWeighting& each : kWeightings)
      if (options.weighting == each.name) setting_.weighting = each;
  }

  bool possible() const {
    return held_.targets.rows() >= kFewestHeldOut && train_.targets.rows() > 0;
  }
  const Setting& setting() const { return setting_; }
  const std::vector<SettingTried>& tried() const { return tried_; }

  void choose_settings() {
    choose_weighting();
    choose_length_scale();
    if (options_.prototypes == "auto") choose_share();
  }

  /// The mixture, with the quality and confidence that it has.
  void choose_mixture(Suggester& into, SuggesterQuality& quality) {
    Suggester& suggester = fitting_->suggester();
    const bool combined = options_.method == "combined";
    const bool category = options_.method == "category";
    const bool classified =
        (category && fitting_->classify()) || (combined && fitting_->classify(kClassifiedToChoose));
    if (category) require_categories(classified);
    suggester.mixture = {.tags = combined || options_.method == "tags" ? 1.0 : 0.0,
                         .neighbours = combined || options_.method == "neighbours" ? 1.0 : 0.0,
                         .category = classified ? 1.0 : 0.0};
    const StoredRows held = prepare(suggester, held_.rows.view(), run_.jobs);
    const TagScores ways = score_ways(suggester, held.view(), {}, run_.jobs);
    into.mixture = combined ? best_mixture(ways) : suggester.mixture;
    const Matrix scores = mix(ways, into.mixture);
    quality = judge_suggestions(scores, held_.targets.view(), run_.jobs);
    into.confidence = learn_confidence(scores, held_.targets.view());
    into.threshold = choose_threshold(scores, held_.targets.view(), into.confidence);
    quality.f1 = mean_f1(scores, held_.targets.view(), into.confidence, into.threshold);
    take_quality_of_first(quality);
    take_first(run_.comm, into.confidence.score);
    take_first(run_.comm, into.confidence.probability);
    into.threshold = run_.comm.broadcast(into.threshold, 0);
  }

 private:
  double share_asked_for(std::int64_t items) const {
    const std::int64_t count = prototype_count(options_.prototypes, items);
    return count == 0 ? Setting().share : static_cast<double>(count) / static_cast<double>(items);
  }

  void take_quality_of_first(SuggesterQuality& quality) {
    quality.items = run_.comm.broadcast(quality.items, 0);
    Interval& interval = quality.precision_at_1_interval;
    for (double* number :
         {&quality.precision_at_1, &quality.precision_at_3, &quality.precision_at_5, &interval.low,
          &interval.high, &quality.ndcg_at_5, &quality.f1, &quality.calibration_error})
      *number = run_.comm.broadcast(*number, 0);
    take_first(run_.comm, quality.reliability);
  }

  /// What every held-out item gains by these scores: what rank 0 finds, since choices follow it.
  std::vector<double> gains_of(const Matrix& scores) {
    std::vector<double> gains = ndcg_of_items(scores, held_.targets.view());
    take_first(run_.comm, gains);
    return gains;
  }

  /// The gain of each held-out item by the tags' processes as they now are.
  std::vector<double> gains() {
    Suggester& suggester = fitting_->suggester();
    suggester.mixture = {};
    const StoredRows held = prepare(suggester, held_.rows.view(), run_.jobs);
    return gains_of(score(suggester, held.view(), {}, run_.jobs));
  }
  void note(const std::string& setting, const std::vector<double>& gains) {
    tried_.push_back({setting, mean(gains)});
  }
  void make_prototypes(double share) {
    fitting_->choose_prototypes(prototypes_of(share, fitting_->items()), kRoundsToChoose);
  }

  /// Remembers a trial; whether it is clearly better than the best before it, and so the new best.
  bool improves(const std::string& setting, std::vector<double> gains) {
    note(setting, gains);
    if (!best_gains_.empty() && !clearly_better(gains, best_gains_)) return false;
    best_gains_ = std::move(gains);
    return true;
  }

  void choose_weighting() {
    if (train_.rows.is_sparse && options_.weighting == "auto") {
      best_gains_.clear();
      for (const NamedWeighting& each : kWeightings) {
        fit_with(each);
        if (improves(std::string("weighting ") + each.name, gains())) setting_.weighting = each;
      }
    }
    fitting_->weigh(setting_.weighting.weighting);
    make_prototypes(setting_.share);
  }
  /// With the means of the tags alone as prototypes, which tell weightings apart as well as more.
  void fit_with(const NamedWeighting& weighting) {
    fitting_->weigh(weighting.weighting);
    fitting_->choose_prototypes(
        std::min(prototypes_of(setting_.share, fitting_->items()), train_.targets.columns),
        kRoundsToChoose);
    fitting_->gather(setting_.length_scale);
    fitting_->solve(setting_.noise_variance);
  }

  void try_length_scale(double length_scale) {
    fitting_->gather(length_scale);
    const std::vector<double> noise_variances = options_.noise_variance > 0
                                                    ? std::vector{options_.noise_variance}
                                                    : std::vector{0.1, 0.03, 0.3, 1.0};
    for (const double noise_variance : noise_variances) {
      fitting_->solve(noise_variance);
      if (!improves(
              "length " + short_number(length_scale) + ", ridge " + short_number(noise_variance),
              gains()))
        continue;
      setting_.length_scale = length_scale;
      setting_.noise_variance = noise_variance;
    }
  }
  static std::string short_number(double number) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
    return {buffer, end};
  }

  /// The usual length scale and noise variance come first: others must be clearly better.
  void choose_length_scale() {
    const bool scaled = kernel_kind(options_.kernel) != KernelKind::cosine;
    const std::vector<double> length_scales = options_.length_scale > 0
                                                  ? std::vector{options_.length_scale}
                                              : scaled ? std::vector{0.7, 0.5, 1.0}
                                                       : std::vector{1.0};
    best_gains_.clear();
    for (const double length_scale : length_scales) try_length_scale(length_scale);
    refit();
  }
  void refit() {
    fitting_->gather(setting_.length_scale);
    fitting_->solve(setting_.noise_variance);
  }

  /// Twice as many prototypes while that is clearly better.
  void choose_share() {
    std::vector<double> before = gains();
    double tried = setting_.share;
    while (tried < 0.4) {
      const std::int64_t count = prototypes_of(tried, fitting_->items());
      tried *= 2;
      if (prototypes_of(tried, fitting_->items()) == count) break;
      make_prototypes(tried);
      refit();
      std::vector<double> after = gains();
      note("prototypes " + short_number(100 * tried) + "%", after);
      if (!clearly_better(after, before)) break;
      setting_.share = tried;
      before = std::move(after);
    }
    make_prototypes(setting_.share);
    refit();
  }

  /// Another weight than the usual one must be clearly better.
  SuggesterMixture best_mixture(const TagScores& ways) {
    SuggesterMixture best = usual_mixture("combined");
    std::vector<double> gain = gains_of(mix(ways, best));
    note("neighbours " + short_number(best.neighbours), gain);
    const auto try_weights = [&](double SuggesterMixture::*way, const char* name,
                                 std::initializer_list<double> weights) {
      const SuggesterMixture start = best;
      const std::vector<double> before = gain;
      for (const double weight : weights) {
        SuggesterMixture next = start;
        next.*way = weight;
        std::vector<double> after = gains_of(mix(ways, next));
        note(std::string(name) + " " + short_number(weight), after);
        if (mean(after) > mean(gain) && clearly_better(after, before)) {
          best = next;
          gain = std::move(after);
        }
      }
    };
    try_weights(&SuggesterMixture::neighbours, "neighbours", {0, 0.1, 0.3, 0.5, 0.8});
    if (ways.category.size() > 0)
      try_weights(&SuggesterMixture::category, "category", {0.1, 0.2, 0.4, 0.8});
    return best;
  }

  const SuggesterOptions& options_;
  Run run_;
  TaggedRows train_;
  TaggedRows held_;
  std::optional<SuggesterFitting> fitting_;
  Setting setting_;
  std::vector<double> best_gains_;  ///< of the best setting so far
  std::vector<SettingTried> tried_;
};

/// Everything again from all items, by what was chosen.
Suggester fit_all(const SuggesterData& data, const Setting& setting,
                  const SuggesterOptions& options, const Run& run, Suggester chosen) {
  const std::int64_t items = data.features.rows();
  SuggesterFitting fitting(data.features, data.blocks, data.targets, options, run);
  fitting.weigh(setting.weighting.weighting);
  const std::int64_t asked = prototype_count(options.prototypes, items);
  fitting.choose_prototypes(asked > 0 ? asked : prototypes_of(setting.share, items));
  fitting.gather(setting.length_scale);
  fitting.solve(setting.noise_variance);
  if (chosen.mixture.category != 0) require_categories(fitting.classify());
  Suggester result = std::move(fitting.suggester());
  result.mixture = chosen.mixture;
  result.confidence = std::move(chosen.confidence);
  result.threshold = chosen.threshold;
  return result;
}

void check_targets(const FeatureRows& raw, const SparseView& targets) {
  require(raw.rows() == targets.rows, "tags of ", targets.rows, " items do not fit ", raw.rows(),
          " rows of features");
  require(targets.rows > 0 && targets.columns > 0,
          "there are no tagged items to learn from; tag some, or allow rarer tags");
}

}  // namespace

std::int64_t prototype_count(const std::string& text, std::int64_t items) {
  if (text == "auto") return 0;
  const bool share = text.ends_with('%');
  double number = 0;
  const char* end = text.data() + text.size() - (share ? 1 : 0);
  const auto read = std::from_chars(text.data(), end, number);
  require(read.ec == std::errc() && read.ptr == end && std::isfinite(number) && number > 0 &&
              (share ? number <= 100 : number == std::floor(number)),
          "prototypes is '", text, "'; expected a number, a share such as 5%, or auto");
  const auto all = static_cast<double>(items);
  if (share) number = std::max(1.0, std::round(number / 100 * all));
  return static_cast<std::int64_t>(std::min(number, all));
}

LearnedSuggester learn_suggester(const SuggesterData& data, const SuggesterOptions& options,
                                 const Run& run) {
  check(options);
  check_targets(data.features, data.targets);
  const std::int64_t items = data.features.rows();
  prototype_count(options.prototypes, items);
  const auto begin = Clock::now();
  LearnedSuggester learned;
  HyperparameterSearch search(data, options, run);
  Suggester chosen;
  if (search.possible()) {
    search.choose_settings();
    search.choose_mixture(chosen, learned.report.quality);
  } else {
    chosen.mixture = usual_mixture(options.method);
    chosen.confidence = fit_confidence({}, {});
  }
  const Setting& setting = search.setting();
  learned.suggester = fit_all(data, setting, options, run, std::move(chosen));
  SuggesterReport& report = learned.report;
  report.items = items;
  report.tags = data.targets.columns;
  report.prototypes = learned.suggester.basis.size();
  if (data.features.is_sparse()) report.weighting = setting.weighting.name;
  report.length_scale = setting.length_scale;
  report.noise_variance = setting.noise_variance;
  report.mixture = learned.suggester.mixture;
  report.threshold = learned.suggester.threshold;
  report.tried = search.tried();
  report.seconds = run.comm.broadcast(seconds_since(begin), 0);
  return learned;
}

std::string to_json(const SuggesterReport& report) {
  using Json = nlohmann::ordered_json;
  Json tried = Json::array();
  for (const SettingTried& each : report.tried)
    tried.push_back({{"setting", each.setting}, {"ndcg@5", each.ndcg}});
  Json reliability = Json::array();
  for (const CalibrationBin& bin : report.quality.reliability)
    reliability.push_back(
        {{"pairs", bin.count}, {"confidence", bin.mean_probability}, {"right", bin.frequency}});
  const SuggesterQuality& quality = report.quality;
  const Json json = {{"items", report.items},
                     {"tags", report.tags},
                     {"prototypes", report.prototypes},
                     {"weighting", report.weighting},
                     {"length", report.length_scale},
                     {"ridge", report.noise_variance},
                     {"mixture", Json::parse(options_to_json(report.mixture))},
                     {"threshold", report.threshold},
                     {"tried", tried},
                     {"held_out",
                      {{"items", quality.items},
                       {"precision@1", quality.precision_at_1},
                       {"precision@3", quality.precision_at_3},
                       {"precision@5", quality.precision_at_5},
                       {"ndcg@5", quality.ndcg_at_5},
                       {"f1", quality.f1},
                       {"calibration_error", quality.calibration_error},
                       {"reliability", reliability}}},
                     {"seconds", report.seconds}};
  return json.dump();
}

}  // namespace commonplace

#include "commonplace/suggest/core/learn_suggester.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/number_list.h"
#include "commonplace/base/rng.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/eval/split.h"
#include "commonplace/io/fields_json.h"
#include "commonplace/io/json.h"
#include "commonplace/io/options_json.h"
#include "commonplace/learn/rank_parts.h"
#include "commonplace/suggest/core/suggester_fitting.h"

namespace commonplace::suggest {
namespace {

/// The cost of a model grows with its cube; more is for --prototypes to say.
constexpr std::int64_t kMostPrototypes = 3000;
constexpr std::int64_t kFewestPrototypes = 50;
/// So many cost next to nothing.
constexpr std::int64_t kFewPrototypes = 1000;
/// Whether categories help is tried with a classifier of at most so many items, and prototypes with
/// so many rounds of k-means: enough to choose by.
constexpr std::int64_t kClassifiedToChoose = 1000;
/// Where categories are one voice of several, their classifier learns from no more items than make
/// so many products of an item, a prototype and a category; it takes hundreds of such steps.
constexpr std::int64_t kMostClassifying = 100'000'000;
constexpr int kRoundsToChoose = 3;
/// Fewer held-out items tell nothing.
constexpr std::int64_t kFewestHeldOut = 20;

/// What the linear classifiers are chosen from, and about how many seconds of one processor a
/// nonzero feature costs for each tag.
constexpr LinearChoice kLinear[] = {{"logistic, cost 4", "logistic", 4},
                                    {"svm, cost 1", "svm", 1},
                                    {"logistic, cost 1", "logistic", 1},
                                    {"svm, cost 0.25", "svm", 0.25}};
constexpr double kLinearSeconds = 6e-8;
/// They are learned three times over; where that takes longer a budget must have been given.
constexpr double kLinearFits = 3;
constexpr double kUsualLinearSeconds = 0.25;

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
  LinearChoice linear = kLinear[0];
};

/// Items with what is known of them.
struct TaggedRows {
  StoredRows rows;
  Sparse targets;
};

/// Widens all intervals: by the items that a model was learned from, which are drawn too (Nadeau
/// and Bengio 2003: the variance is 1 + held out / learned from times as great), and by so much
/// drift.
void widen_intervals(double learned_from, double drift, SuggesterQuality& quality) {
  const double resampled =
      std::sqrt(1 + static_cast<double>(quality.items) / std::max(1.0, learned_from));
  const double relative = quality.precision_at_1 > 0 ? drift / quality.precision_at_1 : 0;
  const auto widen = [&](double value, Interval& interval) {
    const double drifted = std::min(drift, relative * value);
    const auto reach = [&](double end) {
      return std::hypot(resampled * std::abs(value - end), drifted);
    };
    interval = {std::max(0.0, value - reach(interval.low)),
                std::min(1.0, value + reach(interval.high))};
  };
  widen(quality.precision_at_1, quality.precision_at_1_interval);
  widen(quality.shown.right, quality.shown.interval);
  widen(quality.shown_rare.right, quality.shown_rare.interval);
}

/// A share of items in the order of their times.
ShareInTime share_in_time(std::span<const double> right) {
  const Interval interval = share_interval(right, true);
  return {mean(right), (interval.high - interval.low) / (2 * 1.96)};
}

/// Which items do what: numbers of rows, the strange ones after all others.
struct Split {
  std::vector<std::int64_t> train;   ///< settings are tried by what these say
  std::vector<std::int64_t> choose;  ///< of these
  std::vector<std::int64_t> report;  ///< neither: what is reported is found on them
  std::vector<std::int64_t> older;   ///< the other tagged ones, from the oldest on; if `newest`
  bool newest = false;               ///< the last are the newest, in the order of their times
};

/// Rows with their times, in the order of these.
std::vector<std::pair<std::string_view, std::int64_t>> in_order_of_time(
    const SuggesterData& data, const std::vector<std::int64_t>& rows) {
  const std::int64_t items = data.features.rows();
  std::vector<std::pair<std::string_view, std::int64_t>> timed;
  for (const std::int64_t row : rows) {
    const std::string& time = row < items
                                  ? data.times[static_cast<std::size_t>(row)]
                                  : data.strange_times[static_cast<std::size_t>(row - items)];
    timed.emplace_back(time, row);
  }
  std::sort(timed.begin(), timed.end());
  return timed;
}

/// Parts the items off from `rows` that are newest, about `share` of them, but none from others of
/// the same time; nothing if times do not allow it.
std::vector<std::int64_t> newest_rows(const SuggesterData& data,
                                      const std::vector<std::int64_t>& rows, double share) {
  if (data.times.empty()) return {};
  const auto timed = in_order_of_time(data, rows);
  const auto count = static_cast<double>(timed.size());
  const auto at = static_cast<std::size_t>((1 - share) * count);
  if (at >= timed.size() || timed[at].first.empty()) return {};
  const auto [first, last] =
      std::equal_range(timed.begin(), timed.end(), timed[at],
                       [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto part_from = [&](auto begin) {
    return static_cast<double>(timed.end() - begin) / count;
  };
  const auto begin = part_from(first) <= 2 * share ? first : last;
  if (part_from(begin) < share / 2) return {};
  std::vector<std::int64_t> newest;
  for (auto each = begin; each != timed.end(); ++each) newest.push_back(each->second);
  return newest;
}

/// Of at most so many items as choices are made on.
Split split_items(const SuggesterData& data, const SuggesterOptions& options) {
  const std::int64_t items = data.features.rows();
  const double kept =
      std::min(1.0, static_cast<double>(options.choose_on) / static_cast<double>(items));
  Split split;
  std::vector<std::int64_t> tagged;
  for (std::int64_t row = 0; row < items + data.strange.rows(); ++row) {
    if (!is_test_row(commonplace::mix(options.seed), row, kept)) continue;
    const bool has_tags =
        row >= items ||
        std::ranges::any_of(data.targets.row_values(row), [](float value) { return value > 0; });
    (has_tags ? tagged : split.train).push_back(row);
  }
  split.report = newest_rows(data, tagged, options.held_out);
  split.newest = !split.report.empty();
  const std::set<std::int64_t> newest(split.report.begin(), split.report.end());
  std::vector<std::int64_t> others;
  for (const std::int64_t row : tagged) {
    if (newest.contains(row)) continue;
    others.push_back(row);
    if (row < items && is_test_row(options.seed, row, options.held_out))
      split.choose.push_back(row);
    else if (!split.newest &&
             is_test_row(commonplace::mix(commonplace::mix(options.seed)), row, options.held_out))
      split.report.push_back(row);
    else if (row < items)
      split.train.push_back(row);
  }
  std::sort(split.train.begin(), split.train.end());
  if (split.newest)
    for (const auto& [time, row] : in_order_of_time(data, others)) split.older.push_back(row);
  return split;
}

/// The items of a split as those that are learned from would have them: with the tags that enough
/// of these have, and held out ones with the features that any of these has.
class SplitItems {
 public:
  SplitItems(const SuggesterData& data, const SuggesterOptions& options)
      : data_(data), split_(split_items(data, options)) {
    std::vector<std::int64_t> uses(static_cast<std::size_t>(data.targets.columns));
    seen_.resize(static_cast<std::size_t>(data.features.columns()));
    for (const auto* rows : {&split_.train, &split_.choose})
      for (const std::int64_t row : *rows) {
        const auto values = data.targets.row_values(row);
        for (std::size_t i = 0; i < values.size(); ++i)
          if (values[i] > 0) ++uses[static_cast<std::size_t>(data.targets.row_indices(row)[i])];
        if (data.features.is_sparse())
          for (const std::int32_t feature : data.features.sparse().row_indices(row))
            seen_[static_cast<std::size_t>(feature)] = 1;
      }
    // In a sample tags are rarer than they are.
    const std::int64_t least = options.choose_on < data.features.rows() ? 1 : data.min_uses;
    for (const std::int64_t count : uses) place_.push_back(count >= least ? tags_++ : -1);
  }

  const Split& split() const { return split_; }
  std::int64_t tags() const { return tags_; }
  /// The names of these tags.
  NamedTags names() const {
    NamedTags kept = data_.names;
    if (kept.empty()) return kept;
    kept.vectors.resize(tags_, data_.names.vectors.cols());
    for (std::size_t tag = 0; tag < place_.size(); ++tag)
      if (place_[tag] >= 0)
        kept.vectors.row(place_[tag]) = data_.names.vectors.row(static_cast<Eigen::Index>(tag));
    return kept;
  }
  TaggedRows train() const { return take(split_.train, false); }
  TaggedRows choose() const { return take(split_.choose, true); }
  TaggedRows report() const { return take(split_.report, true); }
  /// The tagged items of a part of time.
  TaggedRows older(std::size_t begin, std::size_t end, bool held_out) const {
    const auto at = [&](std::size_t i) {
      return split_.older.begin() + static_cast<std::ptrdiff_t>(i);
    };
    std::vector<std::int64_t> rows(at(begin), at(end));
    if (!held_out)
      std::erase_if(rows, [&](std::int64_t row) { return row >= data_.features.rows(); });
    if (!held_out) std::sort(rows.begin(), rows.end());
    return take(rows, held_out);
  }
  /// All that is not reported on.
  TaggedRows rest() const {
    std::vector<std::int64_t> rows = split_.train;
    rows.insert(rows.end(), split_.choose.begin(), split_.choose.end());
    std::sort(rows.begin(), rows.end());
    return take(rows, false);
  }

 private:
  TaggedRows take(const std::vector<std::int64_t>& which, bool held_out) const {
    TaggedRows result;
    result.rows.is_sparse = data_.features.is_sparse();
    result.rows.sparse.columns = data_.features.columns();
    if (!result.rows.is_sparse)
      result.rows.dense.resize(std::ssize(which), data_.features.columns());
    result.targets.columns = tags_;
    const std::int64_t items = data_.features.rows();
    for (std::size_t i = 0; i < which.size(); ++i) {
      const bool known = which[i] < items;
      const FeatureRows& from = known ? data_.features : data_.strange;
      const std::int64_t row = known ? which[i] : which[i] - items;
      if (!result.rows.is_sparse)
        result.rows.dense.row(static_cast<Eigen::Index>(i)) = from.dense().row(row);
      else
        push_seen(from.sparse(), row, held_out, result.rows.sparse);
      if (known) push_kept(row, result.targets);
      result.targets.end_row();
    }
    return result;
  }
  void push_seen(const SparseView& from, std::int64_t row, bool held_out, Sparse& to) const {
    const auto features = from.row_indices(row);
    const auto values = from.row_values(row);
    for (std::size_t i = 0; i < features.size(); ++i)
      if (!held_out || seen_[static_cast<std::size_t>(features[i])] != 0)
        to.push(features[i], values[i]);
    to.end_row();
  }
  void push_kept(std::int64_t row, Sparse& to) const {
    const auto tags = data_.targets.row_indices(row);
    const auto values = data_.targets.row_values(row);
    for (std::size_t i = 0; i < tags.size(); ++i)
      if (const std::int32_t tag = place_[static_cast<std::size_t>(tags[i])]; tag >= 0)
        to.push(tag, values[i]);
  }

  const SuggesterData& data_;
  Split split_;
  std::vector<std::int32_t> place_;  ///< of each tag, among those that would be known
  std::int32_t tags_ = 0;
  std::vector<std::uint8_t> seen_;  ///< of sparse features
};

/// So many prototypes as a share of the items asks for; "auto" is kept from being too costly.
std::int64_t prototypes_of(double share, std::int64_t items) {
  const auto wanted = static_cast<std::int64_t>(std::llround(share * static_cast<double>(items)));
  return std::clamp(wanted, std::min(kFewestPrototypes, items), std::min(kMostPrototypes, items));
}

/// What is taken where nothing else is clearly better.
SuggesterMixture usual_mixture(const std::string& method) {
  const bool combined = method == "combined";
  return {.tags = combined || method == "tags" ? 1.0 : 0.0,
          .neighbours = combined          ? 0.2
                        : method == "knn" ? 1.0
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
  HyperparameterSearch(const SuggesterData& data, const SplitItems& parts,
                       const SuggesterOptions& options, const Run& run)
      : options_(options),
        run_(run),
        parts_(parts),
        train_(parts.train()),
        held_(parts.choose()),
        blocks_(data.blocks),
        names_(parts.names()),
        tuner_(run, {}, tuning_budget(options.budget)) {
    fitting_.emplace(train_.rows.view(), blocks_, train_.targets.view(), options, alone());
    setting_.share = share_asked_for(data.features.rows());
    if (options.length_scale > 0) setting_.length_scale = options.length_scale;
    if (options.noise_variance > 0) setting_.noise_variance = options.noise_variance;
    for (const NamedWeighting& each : kWeightings)
      if (options.weighting == each.name) setting_.weighting = each;
  }

  bool possible() const {
    return held_.targets.rows() >= kFewestHeldOut && train_.targets.rows() > 0 &&
           std::ssize(parts_.split().report) >= kFewestHeldOut && parts_.tags() > 0;
  }
  const Setting& setting() const { return setting_; }
  const std::vector<TuningTrial>& tried() const { return tuner_.trials(); }

  void choose_settings() {
    choose_weighting();
    choose_length_scale();
    if (options_.prototypes == "auto") choose_share();
  }

  void choose_mixture() {
    Suggester& suggester = fitting_->suggester();
    const bool combined = options_.method == "combined";
    const bool category = options_.method == "category";
    const bool classified =
        (category && fitting_->classify()) || (combined && fitting_->classify(kClassifiedToChoose));
    if (category) require_categories(classified);
    suggester.mixture = {.tags = combined || options_.method == "tags" ? 1.0 : 0.0,
                         .neighbours = combined || options_.method == "knn" ? 1.0 : 0.0,
                         .category = classified ? 1.0 : 0.0};
    const StoredRows held = prepare(suggester, held_.rows.view(), run_.jobs);
    TagScores ways = score_ways(suggester, held.view(), {}, run_.jobs);
    if (combined && has_time_for_linear()) ways.linear = choose_linear(held.view());
    if (combined && !names_.empty()) {
      fitting_->add_names(names_);
      ways.names = fit_names(suggester.names, held.view(), run_.jobs);
    }
    mixture_ = combined ? best_mixture(ways) : suggester.mixture;
    older_precision_at_1_ = mean(first_right(mix(ways, mixture_), held_.targets.view()));
  }

  /// What was chosen, learned from all items but those to report on: the quality, confidence and
  /// threshold that it has on these.
  void judge(Suggester& into, SuggesterQuality& quality) {
    const std::vector<ShareInTime> before = judge_earlier();
    const TaggedRows rest = parts_.rest();
    fit_chosen(rest);
    const TaggedRows asked = parts_.report();
    const Matrix scores = scores_of(asked);
    const SparseView tags = asked.targets.view();
    quality = judge_suggestions(scores, tags, popular_tags(rest.targets.view()),
                                parts_.split().newest, run_.jobs);
    if (quality.newest) quality.older_precision_at_1 = older_precision_at_1_;
    widen_intervals(static_cast<double>(rest.targets.rows()),
                    drift_by(before, first_right(scores, tags), quality), quality);
    into.mixture = mixture_;
    into.confidence = learn_confidence(scores, tags);
    into.threshold = choose_threshold(scores, tags, into.confidence);
    if (!names_.empty()) find_worth(asked, into);
    fitting_.reset();
    take_quality_of_first(quality);
    take_first(run_.comm, into.confidence.score);
    take_first(run_.comm, into.confidence.probability);
    take_first(run_.comm, into.names.fit);
    take_first(run_.comm, into.names.score);
    into.threshold = run_.comm.broadcast(into.threshold, 0);
  }

 private:
  /// Learns by what was chosen.
  void fit_chosen(const TaggedRows& from) {
    fitting_.emplace(from.rows.view(), blocks_, from.targets.view(), options_, alone());
    fitting_->weigh(setting_.weighting.weighting);
    make_prototypes(setting_.share);
    refit();
    SuggesterMixture mixture = mixture_;
    if (options_.method == "category")
      require_categories(fitting_->classify());
    else if (mixture.category != 0 && !fitting_->classify(kClassifiedToChoose))
      mixture.category = 0;
    if (mixture.linear != 0) fitting_->add_linear(setting_.linear);
    if (!names_.empty()) fitting_->add_names(names_);
    fitting_->suggester().mixture = mixture;
  }
  /// What a name that fits an item is worth by itself.
  void find_worth(const TaggedRows& asked, Suggester& into) {
    const Suggester& suggester = fitting_->suggester();
    const StoredRows prepared = prepare(suggester, asked.rows.view(), run_.jobs);
    learn_worth(into.names, fit_names(suggester.names, prepared.view(), run_.jobs),
                asked.targets.view(), into.confidence);
  }
  Matrix scores_of(const TaggedRows& asked) {
    const StoredRows prepared = prepare(fitting_->suggester(), asked.rows.view(), run_.jobs);
    return score(fitting_->suggester(), prepared.view(), {}, run_.jobs);
  }

  /// Evaluates by rolling origin: how the first tag fared in earlier parts of time, two after each
  /// of two origins, told by what came before these.
  std::vector<ShareInTime> judge_earlier() {
    constexpr std::size_t kOrigins = 2;
    std::vector<ShareInTime> parts;
    const std::size_t part = parts_.split().report.size() / 2;
    const std::size_t all = parts_.split().older.size();
    if (!parts_.split().newest || std::ssize(parts_.split().report) / 2 < kFewestHeldOut ||
        all < (2 * kOrigins + 1) * part || options_.method == "category")
      return parts;
    for (std::size_t origin = all - 2 * kOrigins * part; origin < all; origin += 2 * part) {
      const TaggedRows from = parts_.older(0, origin, false);
      if (from.targets.rows() < kFewestHeldOut || from.targets.nonzeros() == 0) return {};
      fit_chosen(from);
      for (const std::size_t begin : {origin, origin + part}) {
        const TaggedRows asked = parts_.older(begin, begin + part, true);
        parts.push_back(share_in_time(first_right(scores_of(asked), asked.targets.view())));
      }
    }
    return parts;
  }

  /// Of what was right before, and in the two halves of the newest items.
  static double drift_by(std::vector<ShareInTime> parts, const std::vector<double>& newest,
                         SuggesterQuality& quality) {
    if (parts.empty()) return 0;
    const std::span<const double> all(newest);
    parts.push_back(share_in_time(all.first(all.size() / 2)));
    parts.push_back(share_in_time(all.subspan(all.size() / 2)));
    for (const ShareInTime& each : parts) quality.precision_in_time.push_back(each.share);
    return drift_to_come(parts);
  }

  double share_asked_for(std::int64_t items) const {
    const std::int64_t count = prototype_count(options_.prototypes, items);
    return count == 0 ? Setting().share : static_cast<double>(count) / static_cast<double>(items);
  }

  /// Choices are made by this process alone.
  Run alone() const { return {.jobs = run_.jobs, .progress = run_.progress}; }

  void take_quality_of_first(SuggesterQuality& quality) {
    const auto take = [&](auto& number) { number = run_.comm.broadcast(number, 0); };
    take(quality.items);
    take(quality.strange);
    for (double* number : {&quality.precision_at_1, &quality.precision_at_3,
                           &quality.precision_at_5, &quality.precision_at_1_interval.low,
                           &quality.precision_at_1_interval.high, &quality.older_precision_at_1,
                           &quality.ndcg_at_5, &quality.f1, &quality.calibration_error})
      take(*number);
    for (ShownSuggestions* shown : {&quality.shown, &quality.shown_rare}) {
      take(shown->count);
      for (double* number :
           {&shown->confidence, &shown->right, &shown->interval.low, &shown->interval.high})
        take(*number);
    }
    take_first(run_.comm, quality.precision_in_time);
    take_first(run_.comm, quality.reliability);
  }

  /// What every held-out item gains by these scores.
  std::vector<double> gains_of(const Matrix& scores) const {
    return ndcg_of_items(scores, held_.targets.view(), run_.jobs);
  }

  /// The gain of each held-out item by the tags' processes as they now are.
  std::vector<double> gains() {
    Suggester& suggester = fitting_->suggester();
    suggester.mixture = {};
    const StoredRows held = prepare(suggester, held_.rows.view(), run_.jobs);
    return gains_of(score(suggester, held.view(), {}, run_.jobs));
  }
  void make_prototypes(double share) {
    fitting_->choose_prototypes(prototypes_of(share, fitting_->items()), kRoundsToChoose);
  }

  void choose_weighting() {
    if (train_.rows.is_sparse && options_.weighting == "auto") {
      tuner_.begin();
      for (const NamedWeighting& each : kWeightings)
        if (tuner_.attempt(std::string("weighting ") + each.name, [&] {
              fit_with(each);
              return gains();
            }))
          setting_.weighting = each;
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
    for (const double noise_variance : noise_variances)
      if (tuner_.attempt(concat("length scale ", short_number(length_scale), ", noise ",
                                short_number(noise_variance)),
                         [&] {
                           fitting_->solve(noise_variance);
                           return gains();
                         })) {
        setting_.length_scale = length_scale;
        setting_.noise_variance = noise_variance;
      }
  }

  /// The usual length scale and noise variance come first: others must be clearly better.
  void choose_length_scale() {
    const bool scaled = kernel_kind(options_.kernel) != KernelKind::cosine;
    const std::vector<double> length_scales = options_.length_scale > 0
                                                  ? std::vector{options_.length_scale}
                                              : scaled ? std::vector{0.7, 0.5, 1.0}
                                                       : std::vector{1.0};
    tuner_.begin();
    for (const double length_scale : length_scales) try_length_scale(length_scale);
    refit();
  }
  void refit() {
    fitting_->gather(setting_.length_scale);
    fitting_->solve(setting_.noise_variance);
  }

  /// Twice as many prototypes while that is clearly better: two fifths of the items at most, or all
  /// of a few, which is kernel ridge regression.
  void choose_share() {
    tuner_.begin();
    tuner_.attempt(concat("prototypes ", short_number(100 * setting_.share), "%"),
                   [&] { return gains(); });
    const auto count = [&](double share) { return prototypes_of(share, fitting_->items()); };
    while (setting_.share < 1) {
      const double more = std::min(1.0, 2 * setting_.share);
      if (count(more) == count(setting_.share) || (more >= 0.8 && count(more) > kFewPrototypes) ||
          !tuner_.has_time())
        break;
      if (!tuner_.attempt(concat("prototypes ", short_number(100 * more), "%"), [&] {
            make_prototypes(more);
            refit();
            return gains();
          }))
        break;
      setting_.share = more;
    }
    make_prototypes(setting_.share);
    refit();
  }

  /// Whether learning linear classifiers takes a small part of the time, or of the budget.
  bool has_time_for_linear() const {
    const auto entries = train_.rows.is_sparse ? static_cast<double>(train_.rows.sparse.nonzeros())
                                               : static_cast<double>(train_.rows.dense.size());
    const double seconds =
        kLinearFits * kLinearSeconds * entries * static_cast<double>(parts_.tags());
    return tuner_.has_budget() ? tuner_.has_time(seconds) : seconds <= kUsualLinearSeconds;
  }

  /// What the best of the linear classifiers says of the held-out items. The first choices are made
  /// on every other item.
  Matrix choose_linear(const FeatureRows& held) {
    const Suggester& suggester = fitting_->suggester();
    const Sparse rows = linear_rows(suggester, suggester.known.view(), run_.jobs);
    const Sparse asked = linear_rows(suggester, held, run_.jobs);
    std::vector<std::string> names;
    for (const LinearChoice& each : kLinear) names.emplace_back(each.name);
    std::vector<Matrix> said(names.size());
    const std::int64_t sizes[] = {(rows.rows() + 1) / 2, rows.rows()};
    const std::size_t best =
        halve_settings(tuner_, names, sizes, [&](std::size_t which, std::int64_t size) {
          Sparse some;
          Sparse their;
          some.columns = rows.columns;
          their.columns = train_.targets.columns;
          const std::int64_t step = size < rows.rows() ? 2 : 1;
          for (std::int64_t row = 0; row < rows.rows(); row += step) {
            some.push_row(rows.view(), row);
            their.push_row(train_.targets.view(), row);
          }
          said[which] =
              score(fit_linear(some.view(), their.view(), kLinear[which], run_.jobs), asked.view());
          return gains_of(said[which]);
        });
    setting_.linear = kLinear[best];
    return std::move(said[best]);
  }

  /// Another weight than the usual one must be clearly better.
  SuggesterMixture best_mixture(const TagScores& ways) {
    const auto mixture_of = [](const std::vector<double>& weights) {
      return SuggesterMixture{.tags = 1,
                              .neighbours = weights[0],
                              .category = weights[1],
                              .linear = weights[2],
                              .names = weights[3]};
    };
    const SuggesterMixture usual = usual_mixture("combined");
    const auto if_made = [](const Matrix& way, std::vector<double> weights) {
      return way.size() > 0 ? std::move(weights) : std::vector<double>{};
    };
    const StackedWay tried[] = {{"k-NN", {0, 0.1, 0.3, 0.5, 0.8}},
                                {"category", if_made(ways.category, {0.1, 0.2, 0.4, 0.8})},
                                {"linear", if_made(ways.linear, {0.25, 0.5, 1, 2, 4})},
                                {"names", if_made(ways.names, {0.1, 0.2, 0.3, 0.5})}};
    return mixture_of(stack_ways(tuner_, {usual.neighbours, usual.category, 0, 0}, tried,
                                 {.over_start = true}, [&](const std::vector<double>& weights) {
                                   return gains_of(mix(ways, mixture_of(weights)));
                                 }));
  }

  const SuggesterOptions& options_;
  Run run_;
  const SplitItems& parts_;
  TaggedRows train_;
  TaggedRows held_;
  std::vector<std::int64_t> blocks_;
  NamedTags names_;
  std::optional<SuggesterFitting> fitting_;
  Setting setting_;
  SuggesterMixture mixture_;
  double older_precision_at_1_ = 0;
  Tuner tuner_;
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
  if (chosen.mixture.category != 0)
    require_categories(fitting.classify(
        options.method == "category"
            ? kMostClassified
            : std::max(kClassifiedToChoose, kMostClassifying / (fitting.suggester().basis.size() *
                                                                options.categories))));
  if (chosen.mixture.linear != 0) fitting.add_linear(setting.linear);
  fitting.add_names(data.names);
  Suggester result = std::move(fitting.suggester());
  result.mixture = chosen.mixture;
  result.names.fit = std::move(chosen.names.fit);
  result.names.score = std::move(chosen.names.score);
  result.confidence = std::move(chosen.confidence);
  result.threshold = chosen.threshold;
  return result;
}

void check_data(const SuggesterData& data) {
  const FeatureRows& raw = data.features;
  const SparseView& targets = data.targets;
  require(raw.rows() == targets.rows, "tags of ", targets.rows, " items do not fit ", raw.rows(),
          " rows of features");
  require(targets.rows > 0 && targets.columns > 0,
          "there are no tagged items to learn from; tag some, or allow rarer tags");
  require((data.times.empty() || std::ssize(data.times) == raw.rows()) &&
              (data.strange.rows() == 0 || (data.strange.is_sparse() == raw.is_sparse() &&
                                            data.strange.columns() == raw.columns())) &&
              (data.times.empty() || std::ssize(data.strange_times) == data.strange.rows()),
          "times or strange items do not fit the ", raw.rows(), " rows of features");
  require(data.names.empty() ||
              (data.names.vectors.rows() == targets.columns && data.names.first >= 0 &&
               data.names.columns > 0 && data.names.first + data.names.columns <= raw.columns() &&
               (data.names.mapped || data.names.columns == data.names.vectors.cols())),
          "the names of ", data.names.vectors.rows(), " tags do not fit ", targets.columns,
          " tags and ", raw.columns(), " features");
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
  check_data(data);
  const std::int64_t items = data.features.rows();
  prototype_count(options.prototypes, items);
  const auto begin = Clock::now();
  LearnedSuggester learned;
  const SplitItems parts(data, options);
  HyperparameterSearch search(data, parts, options, run);
  Suggester chosen;
  if (search.possible()) {
    search.choose_settings();
    search.choose_mixture();
    search.judge(chosen, learned.report.quality);
  } else {
    chosen.mixture = usual_mixture(options.method);
    chosen.confidence = fit_confidence({}, {});
    chosen.names.fit = chosen.names.score = {0, 1};
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
  if (report.mixture.linear != 0) report.linear = setting.linear.name;
  report.threshold = learned.suggester.threshold;
  report.tried = search.tried();
  report.seconds = run.comm.broadcast(seconds_since(begin), 0);
  return learned;
}

std::string to_json(const SuggesterReport& report) {
  using Json = nlohmann::ordered_json;
  Json json = {{"items", report.items},
               {"tags", report.tags},
               {"prototypes", report.prototypes},
               {"weighting", report.weighting},
               {"length_scale", report.length_scale},
               {"noise", report.noise_variance},
               {"mixture", ordered_json_from(options_to_json(report.mixture))},
               {"threshold", report.threshold},
               {"tried", ordered_json_from(to_json(report.tried, "ndcg@5"))},
               {"held_out", commonplace::as_json(report.quality)},
               {"seconds", report.seconds}};
  if (!report.linear.empty()) json["linear"] = report.linear;
  return json_text(json);
}

}  // namespace commonplace::suggest

#include "commonplace/suggest/evaluate.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/memory.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/spelling.h"
#include "commonplace/comm/collectives.h"
#include "commonplace/eval/contest.h"
#include "commonplace/eval/label_metrics.h"
#include "commonplace/eval/ranking_metrics.h"
#include "commonplace/learn/knn.h"
#include "commonplace/learn/sparse_one_vs_rest_linear.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/suggest/core/learn_suggester.h"
#include "commonplace/suggest/rivals/poisson_tags.h"
#include "commonplace/suggest/rivals/popular_tags.h"

namespace commonplace {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CalibrationBin, count, mean_probability, frequency)

namespace suggest {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ShownSuggestions, count, confidence, right, interval)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MethodQuality, method, prototypes, settings, precision,
                                   precision_at_1, precision_at_3, precision_at_5, ndcg_at_5,
                                   f1_at_5, popular_ndcg, rare_ndcg, rank_loss, one_error, coverage,
                                   hamming_loss, f1, has_confidence, calibration_error, shown,
                                   shown_rare, reliability, has_claim, claimed_precision_at_1,
                                   claimed_precision_at_1_interval, precision_at_1_less_claimed,
                                   right_less_confidence, train_seconds, predict_seconds, memory)

namespace {

constexpr std::int64_t kBlock = 1024;
constexpr double kLeastConfidence = 0.01;
constexpr std::int64_t kLookedAt = 50;

/// Scores of a block of items, items x tags, and how sure they are (empty: it does not say).
struct Answers {
  Matrix scores;
  Matrix confidence;
};
/// What a method has learned: answers for raw rows.
struct Learned {
  std::function<Answers(const FeatureRows&)> answer;
  std::int64_t prototypes = 0;
  std::string settings;  ///< as MethodQuality has them
  double threshold = 0;  ///< of confidence; 0: none
  std::optional<SuggesterQuality> claimed{};
};

/// The measures of one test item. Where there is nothing to find, precision is 0 and the others are
/// not asked for.
struct ItemMeasures {
  bool tagged = false;
  std::array<double, 10> precision{};
  double ndcg = 0;
  double f1_at_5 = 0;
  std::optional<double> popular_ndcg;
  std::optional<double> rare_ndcg;
  double rank_loss = 0;
  double one_error = 0;
  double coverage = 0;
  double hamming_loss = 0;
  double f1 = 0;
  std::vector<double> confidences;
  std::vector<std::uint8_t> outcomes;
  std::vector<double> shown;  ///< the confidence of what a person would see
  std::vector<std::uint8_t> shown_right;
  std::vector<std::uint8_t> shown_rare;  ///< whether its tag is not popular
};

/// Judges items one by one; one for each thread.
class Judge {
 public:
  Judge(const SparseView& tags, const std::vector<std::uint8_t>& popular)
      : tags_(tags), popular_(popular), has_(popular.size()) {}

  ItemMeasures measure(std::int64_t item, std::span<const float> scores,
                       std::span<const float> confidence, double threshold) {
    const auto of_item = tags_.row_indices(item);
    for (const std::int32_t tag : of_item) has_[static_cast<std::size_t>(tag)] = 1;
    ItemMeasures result;
    result.tagged = !of_item.empty();
    const std::vector<std::int32_t> order =
        best_tags(scores, static_cast<std::int64_t>(scores.size()));
    std::vector<std::uint8_t> hits;
    for (const std::int32_t tag : order) hits.push_back(has_[static_cast<std::size_t>(tag)]);
    for (std::size_t k = 1; k <= result.precision.size(); ++k)
      result.precision[k - 1] = precision_at(hits, k);
    result.ndcg = ndcg_at(hits, of_item.size(), 5);
    result.f1_at_5 = f1_at(hits, of_item.size(), 5);
    result.popular_ndcg = among(order, 1);
    result.rare_ndcg = among(order, 0);
    const std::vector<double> all(scores.begin(), scores.end());
    const std::vector<TieGroup> groups = tie_groups(all, has_);
    result.rank_loss = rank_loss(groups);
    result.one_error = one_error(groups);
    result.coverage = static_cast<double>(coverage(groups));
    if (!confidence.empty()) judge_confidence(order, confidence, threshold, of_item, result);
    for (const std::int32_t tag : of_item) has_[static_cast<std::size_t>(tag)] = 0;
    return result;
  }

 private:
  /// The gain where only popular (1) or only rare (0) tags count.
  std::optional<double> among(const std::vector<std::int32_t>& order, std::uint8_t popular) const {
    std::vector<std::uint8_t> hits;
    std::size_t relevant = 0;
    for (const std::int32_t tag : order)
      if (popular_[static_cast<std::size_t>(tag)] == popular) {
        hits.push_back(has_[static_cast<std::size_t>(tag)]);
        relevant += hits.back();
      }
    if (relevant == 0) return std::nullopt;
    return ndcg_at(hits, relevant, 5);
  }

  void judge_confidence(const std::vector<std::int32_t>& order, std::span<const float> confidence,
                        double threshold, std::span<const std::int32_t> of_item,
                        ItemMeasures& result) const {
    std::vector<std::int32_t> given;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto tag = static_cast<std::size_t>(order[i]);
      const double chance = static_cast<double>(confidence[tag]);
      if (chance >= threshold) {
        given.push_back(order[i]);
        if (given.size() <= kMostShown) {
          result.shown.push_back(std::min(chance, 1.0));
          result.shown_right.push_back(has_[tag]);
          result.shown_rare.push_back(popular_[tag] == 0);
        }
      }
      if (static_cast<std::int64_t>(i) < kLookedAt && chance >= kLeastConfidence) {
        result.confidences.push_back(std::min(chance, 1.0));
        result.outcomes.push_back(has_[tag]);
      }
    }
    std::sort(given.begin(), given.end());
    const LabelCounts counts = count_labels(of_item, given);
    result.hamming_loss = hamming_loss(counts, static_cast<std::int64_t>(has_.size()));
    result.f1 = precision_recall(counts).f1;
  }

  SparseView tags_;
  const std::vector<std::uint8_t>& popular_;
  std::vector<std::uint8_t> has_;
};

double mean_of(const std::vector<ItemMeasures>& items, double ItemMeasures::*measure) {
  double sum = 0;
  double count = 0;
  for (const ItemMeasures& each : items)
    if (each.tagged) {
      sum += each.*measure;
      ++count;
    }
  return count > 0 ? sum / count : 0;
}

double mean_of(const std::vector<ItemMeasures>& items,
               std::optional<double> ItemMeasures::*measure) {
  double sum = 0;
  double count = 0;
  for (const ItemMeasures& each : items)
    if (const auto value = each.*measure) {
      sum += *value;
      ++count;
    }
  return count > 0 ? sum / count : 0;
}

Interval precision_interval(const std::vector<ItemMeasures>& items, std::size_t k, bool in_time) {
  std::vector<double> values;
  for (const ItemMeasures& each : items) values.push_back(each.precision[k - 1]);
  return share_interval(values, in_time);
}

/// What a person would see, of all tags or only of those that are not popular.
ShownSuggestions shown_of(const std::vector<ItemMeasures>& items, bool rare, bool in_time) {
  std::vector<ShownOfItem> shown;
  for (const ItemMeasures& each : items) {
    ShownOfItem& one = shown.emplace_back();
    for (std::size_t i = 0; i < each.shown.size(); ++i) {
      if (rare && each.shown_rare[i] == 0) continue;
      ++one.count;
      one.confidence += each.shown[i];
      one.right += each.shown_right[i];
    }
  }
  return sum_up(shown, in_time);
}

void summarise_confidence(const std::vector<ItemMeasures>& items, bool in_time,
                          MethodQuality& result) {
  std::vector<double> confidences;
  std::vector<std::uint8_t> outcomes;
  std::vector<double> shown;
  std::vector<std::uint8_t> shown_right;
  for (const ItemMeasures& each : items) {
    confidences.insert(confidences.end(), each.confidences.begin(), each.confidences.end());
    outcomes.insert(outcomes.end(), each.outcomes.begin(), each.outcomes.end());
    shown.insert(shown.end(), each.shown.begin(), each.shown.end());
    shown_right.insert(shown_right.end(), each.shown_right.begin(), each.shown_right.end());
  }
  result.shown = shown_of(items, false, in_time);
  result.shown_rare = shown_of(items, true, in_time);
  if (!confidences.empty()) result.reliability = calibration_bins(confidences, outcomes);
  if (!shown.empty()) result.calibration_error = expected_calibration_error(shown, shown_right);
}

/// The difference of what was found on two sets of items, each with its own interval.
Measured difference(double real, const Interval& of_real, double claimed,
                    const Interval& of_claimed) {
  const double value = real - claimed;
  return {value,
          {value - std::hypot(real - of_real.low, of_claimed.high - claimed),
           value + std::hypot(of_real.high - real, claimed - of_claimed.low)}};
}

void compare(const SuggesterQuality& claimed, MethodQuality& result) {
  result.has_claim = claimed.items > 0;
  if (!result.has_claim) return;
  result.claimed_precision_at_1 = claimed.precision_at_1;
  result.claimed_precision_at_1_interval = claimed.precision_at_1_interval;
  result.precision_at_1_less_claimed =
      difference(result.precision[0], result.precision_at_1, claimed.precision_at_1,
                 claimed.precision_at_1_interval);
  if (result.shown.count == 0 || claimed.shown.count == 0) return;
  // How far confidence may be off because these items were calibrated on and not others.
  const double given = result.shown.confidence;
  const Interval calibrated{given - (claimed.shown.right - claimed.shown.interval.low),
                            given + (claimed.shown.interval.high - claimed.shown.right)};
  result.right_less_confidence =
      difference(result.shown.right, result.shown.interval, given, calibrated);
}

MethodQuality summarise(const std::vector<ItemMeasures>& items, bool has_confidence, bool in_time) {
  MethodQuality result;
  for (std::size_t k = 0; k < result.precision.size(); ++k) {
    for (const ItemMeasures& each : items) result.precision[k] += each.precision[k];
    result.precision[k] /= static_cast<double>(items.size());
  }
  result.precision_at_1 = precision_interval(items, 1, in_time);
  result.precision_at_3 = precision_interval(items, 3, in_time);
  result.precision_at_5 = precision_interval(items, 5, in_time);
  result.ndcg_at_5 = mean_of(items, &ItemMeasures::ndcg);
  result.f1_at_5 = mean_of(items, &ItemMeasures::f1_at_5);
  result.popular_ndcg = mean_of(items, &ItemMeasures::popular_ndcg);
  result.rare_ndcg = mean_of(items, &ItemMeasures::rare_ndcg);
  result.rank_loss = mean_of(items, &ItemMeasures::rank_loss);
  result.one_error = mean_of(items, &ItemMeasures::one_error);
  result.coverage = mean_of(items, &ItemMeasures::coverage);
  result.has_confidence = has_confidence;
  if (!has_confidence) return result;
  result.hamming_loss = mean_of(items, &ItemMeasures::hamming_loss);
  result.f1 = mean_of(items, &ItemMeasures::f1);
  summarise_confidence(items, in_time, result);
  return result;
}

/// What all methods are tried on.
class Contest {
 public:
  Contest(const Trial& trial, int jobs)
      : trial_(trial), jobs_(jobs), popular_(popular_tags(trial.train_tags.view())) {}

  MethodQuality run(const std::string& name, const std::function<Learned()>& learn) const {
    forget_peak_memory();
    const std::int64_t before = current_memory();
    const auto begin = Clock::now();
    const Learned learned = learn();
    const double train_seconds = seconds_since(begin);
    double predict_seconds = 0;
    bool has_confidence = false;
    std::vector<ItemMeasures> items(static_cast<std::size_t>(trial_.test_tags.rows()));
    for (std::int64_t first = 0; first < trial_.test_tags.rows(); first += kBlock) {
      const std::int64_t count = std::min(kBlock, trial_.test_tags.rows() - first);
      const auto start = Clock::now();
      const Answers answers = learned.answer(slice(trial_.test.view(), first, count));
      predict_seconds += seconds_since(start);
      has_confidence = answers.confidence.size() > 0;
      judge(answers, learned.threshold, first, items);
    }
    MethodQuality result = summarise(items, has_confidence, !trial_.times.empty());
    if (learned.claimed) compare(*learned.claimed, result);
    result.method = name;
    result.prototypes = learned.prototypes;
    result.settings = learned.settings;
    result.train_seconds = train_seconds;
    result.predict_seconds = predict_seconds;
    result.memory = std::max<std::int64_t>(0, peak_memory() - before);
    return result;
  }

 private:
  void judge(const Answers& answers, double threshold, std::int64_t first,
             std::vector<ItemMeasures>& items) const {
    parallel_for(static_cast<std::size_t>(answers.scores.rows()), jobs_,
                 [&](std::size_t begin, std::size_t end) {
                   Judge one(trial_.test_tags.view(), popular_);
                   const auto tags = static_cast<std::size_t>(answers.scores.cols());
                   for (std::size_t i = begin; i < end; ++i) {
                     const auto row = static_cast<Eigen::Index>(i);
                     const std::int64_t item = first + static_cast<std::int64_t>(i);
                     const std::span<const float> confidence =
                         answers.confidence.size() == 0
                             ? std::span<const float>()
                             : std::span<const float>(answers.confidence.row(row).data(), tags);
                     items[static_cast<std::size_t>(item)] = one.measure(
                         item, {answers.scores.row(row).data(), tags}, confidence, threshold);
                   }
                 });
  }

  const Trial& trial_;
  int jobs_;
  std::vector<std::uint8_t> popular_;
};

Learned learn_commonplace(const Trial& trial, const SuggesterOptions& options, const Run& run) {
  auto learned = std::make_shared<LearnedSuggester>(
      learn_suggester({trial.train.view(), trial.blocks, trial.train_tags.view(), trial.times,
                       trial.strange.view(), trial.strange_times, trial.min_uses, trial.names},
                      options, {.jobs = run.jobs, .progress = run.progress}));
  Learned result;
  result.prototypes = learned->report.prototypes;
  result.settings = to_json(learned->report);
  result.threshold = learned->suggester.threshold;
  result.claimed = learned->report.quality;
  const auto lookup = std::make_shared<const SuggesterLookup>(
      learned->suggester, learned->suggester.mixture.neighbours != 0);
  result.answer = [learned, lookup, jobs = run.jobs](const FeatureRows& raw) {
    const Suggester& suggester = learned->suggester;
    const StoredRows rows = prepare(suggester, raw, jobs);
    Answers answers;
    answers.scores = mix(suggester, *lookup, score_ways(suggester, *lookup, rows.view(), {}, jobs));
    answers.confidence = answers.scores.unaryExpr([&](float score) {
      return static_cast<float>(confidence(suggester.confidence, static_cast<double>(score)));
    });
    return answers;
  };
  return result;
}

/// Dense rows in the form that baselines take.
Sparse as_sparse(const MatrixView& rows) {
  Sparse result;
  result.columns = rows.cols();
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    for (Eigen::Index column = 0; column < rows.cols(); ++column)
      if (rows(row, column) != 0) result.push(static_cast<std::int32_t>(column), rows(row, column));
    result.end_row();
  }
  normalise_rows(result);
  return result;
}

/// Baselines see sparse rows weighed by rarity, as their authors would, and dense ones of length
/// one.
class Weighed {
 public:
  explicit Weighed(const Trial& trial) : blocks_(trial.blocks) {
    const FeatureRows rows = trial.train.view();
    if (rows.is_sparse())
      weights_ = feature_weights(rows.sparse(), trial.train_tags.view(),
                                 {.rarity = 1, .telling = 0}, self_comm());
    train_ = weigh(rows);
  }
  const Sparse& train() const { return train_; }
  Sparse weigh(const FeatureRows& raw) const {
    return raw.is_sparse() ? weigh_rows(raw.sparse(), weights_, blocks_) : as_sparse(raw.dense());
  }

 private:
  std::vector<std::int64_t> blocks_;
  std::vector<float> weights_;
  Sparse train_;
};

template <class Fitted>
Learned baseline(Fitted model, std::shared_ptr<const Weighed> weighed, bool probabilities) {
  Learned result;
  result.threshold = probabilities ? 0.5 : 0;
  result.answer = [model = std::make_shared<const Fitted>(std::move(model)), weighed,
                   probabilities](const FeatureRows& raw) {
    Answers answers;
    answers.scores = score(*model, weighed ? weighed->weigh(raw).view() : raw.sparse());
    if (probabilities) answers.confidence = answers.scores;
    return answers;
  };
  return result;
}

/// The tags of the k nearest neighbours, by cosine.
struct KnnTags {
  Sparse items;  ///< rows of length one
  Sparse tags;
  int jobs;
};

Matrix score(const KnnTags& model, const SparseView& rows) {
  Sparse asked = copy(rows);
  normalise_rows(asked, model.jobs);
  return sum_votes(knn_votes(asked, model.items, {.power = 1}, {}, model.jobs), model.tags.view());
}

Learned learn_baseline(const std::string& name, const Trial& trial, const Run& run) {
  const SparseView tags = trial.train_tags.view();
  if (name == "poisson") {
    return baseline(fit_poisson_tags(trial.train.view().sparse(), tags, {}, run), nullptr, false);
  }
  const auto weighed = std::make_shared<const Weighed>(trial);
  const SparseView rows = weighed->train().view();
  if (name == "popular") return baseline(fit_popular_tags(rows, tags), weighed, true);
  if (name == "knn") {
    KnnTags model{copy(rows), ones_above_zero(tags), run.jobs};
    normalise_rows(model.items, run.jobs);
    return baseline(std::move(model), weighed, true);
  }
  SparseOneVsRestLinearOptions options;
  options.loss = name;
  // On rows of length one logistic regression is better with less penalty than liblinear's usual.
  if (name == "logistic") options.cost = 4;
  return baseline(fit_sparse_one_vs_rest(rows, tags, options, run), weighed, name == "logistic");
}

const std::vector<std::string>& baseline_names() {
  static const std::vector<std::string> names = {"logistic", "svm", "knn", "popular", "poisson"};
  return names;
}

/// Of dense features all but Poisson's, which counts words.
std::vector<std::string> baselines_asked_for(const std::string& text, bool sparse) {
  if (text == "none") return {};
  std::vector<std::string> names = text == "all" ? baseline_names() : current_words(text);
  if (text == "all" && !sparse) std::erase(names, "poisson");
  for (const std::string& name : names)
    require(std::count(baseline_names().begin(), baseline_names().end(), name) == 1,
            "the baseline '", name,
            "' is not known; give logistic, svm, knn, popular, poisson, all or none");
  require(sparse || std::count(names.begin(), names.end(), "poisson") == 0,
          "the baseline 'poisson' counts words or other sparse features, and there are none; leave",
          " it out");
  return names;
}

/// All are checked before the first is learned.
std::vector<SuggesterOptions> methods_asked_for(const std::string& text,
                                                const SuggesterOptions& model) {
  std::vector<SuggesterOptions> methods;
  for (const std::string& method : current_words(text)) {
    methods.push_back(model);
    methods.back().method = method;
    check(methods.back());
  }
  return methods;
}

/// What is run, each by itself.
struct Entry {
  std::string name;
  std::function<Learned()> learn;
};

}  // namespace

Evaluation evaluate(const Trial& trial, const SuggesterOptions& model,
                    const EvaluationOptions& options, const Run& run) {
  check(model);
  const std::vector<std::string> baselines =
      baselines_asked_for(options.baselines, trial.train.is_sparse);
  const std::vector<SuggesterOptions> methods = methods_asked_for(options.methods, model);
  const std::vector<std::string> sweep = split(options.sweep);
  for (const std::string& count : sweep) prototype_count(count, trial.train_tags.rows());
  Evaluation evaluation;
  evaluation.train_items = trial.train_tags.rows();
  evaluation.test_items = trial.test_tags.rows();
  evaluation.untagged = trial.untagged;
  evaluation.features = trial.train.view().columns();
  evaluation.tags = trial.train_tags.columns;
  require(evaluation.train_items > 0 && evaluation.test_items > 0,
          "there are too few tagged items to learn from some and ask for the others");
  for (std::int64_t row = 0; row < trial.test_tags.rows(); ++row)
    if (trial.test_tags.view().row_indices(row).empty()) ++evaluation.strange;
  require_same(run.comm,
               concat(evaluation.train_items, " and ", evaluation.test_items, " items of ",
                      trial.train_tags.nonzeros(), " and ", trial.test_tags.nonzeros(), " tags"),
               "items");

  std::vector<Entry> entries;
  const auto enter = [&](const std::string& name, const SuggesterOptions& chosen) {
    entries.push_back({"commonplace, " + name,
                       [&trial, &run, chosen] { return learn_commonplace(trial, chosen, run); }});
  };
  for (const SuggesterOptions& chosen : methods) enter(chosen.method, chosen);
  for (const std::string& name : baselines)
    entries.push_back({name, [&, name] { return learn_baseline(name, trial, run); }});
  for (const std::string& count : sweep) {
    SuggesterOptions chosen = model;
    chosen.method = "tags";
    chosen.prototypes = count;
    enter("tags, prototypes " + count, chosen);
  }
  const Contest contest(trial, run.jobs);
  evaluation.methods = run_contest(entries, "comparing", run, [&](const Entry& entry) {
    return contest.run(entry.name, entry.learn);
  });
  const auto first_swept = evaluation.methods.end() - std::ssize(sweep);
  evaluation.sweep.assign(first_swept, evaluation.methods.end());
  evaluation.methods.erase(first_swept, evaluation.methods.end());
  return evaluation;
}

}  // namespace suggest
}  // namespace commonplace

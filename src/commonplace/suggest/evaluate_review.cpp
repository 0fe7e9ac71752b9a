#include "commonplace/suggest/evaluate_review.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/eval/calibration.h"
#include "commonplace/suggest/core/review_questions.h"
#include "commonplace/suggest/targets.h"

namespace commonplace::suggest {
namespace {

constexpr std::int64_t kScored = 512;
constexpr std::int64_t kMostPerItem = 10;

/// What is known of an item's tags: 1 given, -1 rejected.
using Known = std::map<std::int32_t, float>;

class Review {
 public:
  Review(const Trial& trial, const SuggesterOptions& how, const ReviewTrialOptions& options,
         std::string order, const Run& run)
      : trial_(trial), how_(how), options_(options), order_(std::move(order)), run_(run) {
    Rng rng(how.seed, 7);
    known_.resize(static_cast<std::size_t>(trial.train_tags.rows()));
    for (std::size_t item = 0; item < known_.size(); ++item) {
      if (rng.uniform() >= options.tagged) continue;
      const auto tags = trial.train_tags.view().row_indices(static_cast<std::int64_t>(item));
      for (const std::int32_t tag : tags)
        if (rng.uniform() >= options.left_out) known_[item][tag] = 1;
      if (known_[item].empty() && !tags.empty()) known_[item][tags[0]] = 1;
    }
  }

  ReviewOrderQuality run() {
    ReviewOrderQuality result;
    result.order = order_;
    std::int64_t given = 0;
    for (;;) {
      const Suggester suggester = learned();
      measure(suggester, result);
      if (given >= options_.answers) break;
      const std::int64_t wanted = std::min(options_.batch, options_.answers - given);
      const std::int64_t answered = answer(questions(suggester), wanted);
      given += answered;
      if (answered == 0) break;
    }
    if (right_.empty()) return result;
    result.error = expected_calibration_error(shown_, right_);
    result.error_raw = expected_calibration_error(raw_, right_);
    result.yes = static_cast<double>(std::count(right_.begin(), right_.end(), 1)) /
                 static_cast<double>(right_.size());
    return result;
  }

 private:
  static bool has_tags(const Known& known) {
    return std::ranges::any_of(known, [](const auto& each) { return each.second > 0; });
  }

  Suggester learned() const {
    std::vector<std::int64_t> which;
    Sparse targets;
    targets.columns = trial_.train_tags.columns;
    for (std::size_t item = 0; item < known_.size(); ++item) {
      if (!has_tags(known_[item])) continue;
      which.push_back(static_cast<std::int64_t>(item));
      push_targets({known_[item].begin(), known_[item].end()}, targets);
    }
    const StoredRows rows = take_rows(trial_.train.view(), which);
    return learn_suggester({rows.view(), trial_.blocks, targets.view()}, how_, run_).suggester;
  }

  template <class Visit>
  void score_all(const Suggester& suggester, const FeatureRows& features, std::int64_t count,
                 const Visit& visit) const {
    for (std::int64_t begin = 0; begin < count; begin += kScored) {
      std::vector<std::int64_t> which;
      for (std::int64_t i = begin; i < std::min(count, begin + kScored); ++i) which.push_back(i);
      const StoredRows rows = take_rows(features, which);
      const Matrix scores =
          score(suggester, prepare(suggester, rows.view(), run_.jobs).view(), {}, run_.jobs);
      for (std::size_t i = 0; i < which.size(); ++i)
        visit(which[i], std::span<const float>(scores.row(static_cast<Eigen::Index>(i)).data(),
                                               static_cast<std::size_t>(scores.cols())));
    }
  }

  void measure(const Suggester& suggester, ReviewOrderQuality& result) const {
    double first = 0;
    double gain = 0;
    double count = 0;
    score_all(suggester, trial_.test.view(), trial_.test_tags.rows(),
              [&](std::int64_t item, std::span<const float> scores) {
                const auto tags = trial_.test_tags.view().row_indices(item);
                if (tags.empty()) return;
                const std::set<std::int32_t> truth(tags.begin(), tags.end());
                const std::vector<std::int32_t> best = best_tags(scores, 5);
                double sum = 0;
                double possible = 0;
                for (std::size_t i = 0; i < 5; ++i) {
                  const double weight = 1 / std::log2(static_cast<double>(i) + 2);
                  if (i < best.size() && truth.contains(best[i])) sum += weight;
                  if (i < truth.size()) possible += weight;
                }
                first += !best.empty() && truth.contains(best[0]) ? 1 : 0;
                gain += sum / possible;
                ++count;
              });
    result.precision.push_back(count > 0 ? first / count : 0);
    result.ndcg.push_back(count > 0 ? gain / count : 0);
  }

  /// In the order of the queue. The chance that is shown is found when one is asked.
  std::vector<ReviewQuestion> questions(const Suggester& suggester) const {
    std::vector<ReviewQuestion> found;
    const double threshold =
        order_ == "confident" ? suggester.threshold : std::min(suggester.threshold, 0.25);
    score_all(suggester, trial_.train.view(), std::ssize(known_),
              [&](std::int64_t item, std::span<const float> scores) {
                const Known& known = known_[static_cast<std::size_t>(item)];
                const bool tagged = has_tags(known);
                std::int64_t left = kMostPerItem;
                for (const std::int32_t tag : best_tags(scores, kMostPerItem + std::ssize(known))) {
                  const double sure =
                      confidence(suggester.confidence,
                                 static_cast<double>(scores[static_cast<std::size_t>(tag)]));
                  if (sure < threshold || left == 0) break;
                  if (known.contains(tag)) continue;
                  found.push_back({item, tag, sure, tagged});
                  --left;
                }
              });
    std::vector<ReviewQuestion> ordered;
    if (order_ == "useful") {
      std::vector<ReviewQuestion> likely = found;
      for (ReviewQuestion& each : likely)
        each.confidence = calibration_(each.confidence, each.tagged);
      for (const std::size_t i : useful_order(likely)) ordered.push_back(found[i]);
      return ordered;
    }
    ordered = std::move(found);
    if (order_ == "random") {
      Rng rng(how_.seed, 11 + static_cast<std::uint64_t>(raw_.size()));
      for (std::size_t i = ordered.size(); i > 1; --i)
        std::swap(ordered[i - 1], ordered[static_cast<std::size_t>(rng.below(i))]);
    } else {
      std::stable_sort(ordered.begin(), ordered.end(),
                       [](const ReviewQuestion& a, const ReviewQuestion& b) {
                         return a.tagged != b.tagged ? !a.tagged : a.confidence > b.confidence;
                       });
    }
    return ordered;
  }

  std::int64_t answer(const std::vector<ReviewQuestion>& questions, std::int64_t wanted) {
    std::int64_t answered = 0;
    for (const ReviewQuestion& each : questions) {
      if (answered == wanted) break;
      const auto truth = trial_.train_tags.view().row_indices(each.item);
      const bool yes =
          std::binary_search(truth.begin(), truth.end(), static_cast<std::int32_t>(each.tag));
      raw_.push_back(each.confidence);
      shown_.push_back(calibration_(each.confidence, each.tagged));
      right_.push_back(yes ? 1 : 0);
      calibration_.note(each.confidence, each.tagged, yes);
      known_[static_cast<std::size_t>(each.item)][static_cast<std::int32_t>(each.tag)] =
          yes ? 1.0F : -1.0F;
      ++answered;
    }
    return answered;
  }

  const Trial& trial_;
  const SuggesterOptions& how_;
  const ReviewTrialOptions& options_;
  std::string order_;
  const Run& run_;
  std::vector<Known> known_;
  AnswerCalibration calibration_;
  std::vector<double> raw_;
  std::vector<double> shown_;
  std::vector<std::uint8_t> right_;
};

}  // namespace

ReviewEvaluation evaluate_review(const Trial& trial, const SuggesterOptions& how,
                                 const ReviewTrialOptions& options, const Run& run) {
  require(options.tagged > 0 && options.tagged <= 1, "the share of tagged items is ",
          options.tagged, "; expected a share above 0");
  require(options.left_out >= 0 && options.left_out < 1, "the share that was left out is ",
          options.left_out, "; expected a share below 1");
  require(options.answers >= 1 && options.batch >= 1,
          "the numbers of answers and of a batch are 1 or more");
  const auto begin = Clock::now();
  ReviewEvaluation result;
  result.items = trial.train_tags.rows();
  result.test_items = trial.test_tags.rows();
  result.tags = trial.train_tags.columns;
  result.batch = options.batch;
  for (const char* order : {"confident", "random", "useful"}) {
    run.progress({concat("answering in the order ", order), 0, 0, ""});
    result.orders.push_back(Review(trial, how, options, order, run).run());
  }
  result.seconds = seconds_since(begin);
  return result;
}

std::string to_json(const ReviewEvaluation& evaluation) {
  nlohmann::ordered_json orders = nlohmann::ordered_json::array();
  for (const ReviewOrderQuality& each : evaluation.orders)
    orders.push_back({{"order", each.order},
                      {"precision@1", each.precision},
                      {"ndcg@5", each.ndcg},
                      {"yes", each.yes},
                      {"calibration_error", each.error},
                      {"calibration_error_of_the_model", each.error_raw}});
  return nlohmann::ordered_json{
      {"items", evaluation.items}, {"test_items", evaluation.test_items}, {"tags", evaluation.tags},
      {"batch", evaluation.batch}, {"seconds", evaluation.seconds},       {"orders", orders}}
      .dump();
}

}  // namespace commonplace::suggest

#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/suggest/core/learn_suggester.h"
#include "commonplace/suggest/evaluate_trial.h"

namespace commonplace::suggest {

/// How a reviewer is simulated.
struct ReviewTrialOptions {
  double tagged = 0.2;          ///< share of the items that have tags before the review
  double left_out = 0.3;        ///< share of their tags that people left out
  std::int64_t answers = 1000;  ///< that the reviewer gives
  std::int64_t batch = 100;     ///< answers after which the model is learned anew
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, ReviewTrialOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("tagged", options.tagged, "share of the items that have tags before");
  visit("left_out", options.left_out, "share of their tags that people left out");
  visit("answers", options.answers, "that the reviewer gives");
  visit("batch", options.batch, "answers after which the model is learned anew");
}

/// What one order of questions led to.
struct ReviewOrderQuality {
  std::string order;
  std::vector<double> precision;  ///< at 1, on test items: before, and after each batch
  std::vector<double> ndcg;       ///< of the first five, the same
  double yes = 0;                 ///< share of the answers
  double error = 0;               ///< of calibration, of the chances as they were shown
  double error_raw = 0;           ///< the same of the model's confidence alone
};

struct ReviewEvaluation {
  std::int64_t items = 0;
  std::int64_t test_items = 0;
  std::int64_t tags = 0;
  std::int64_t batch = 0;
  double seconds = 0;
  std::vector<ReviewOrderQuality> orders;
};
std::string to_json(const ReviewEvaluation& evaluation);

/// Some items have some of their tags; a reviewer who knows all of them answers the questions of
/// the queue, in each of its orders, and the model learns from the answers. Its quality is that on
/// test items, which nobody asks about.
ReviewEvaluation evaluate_review(const Trial& trial, const SuggesterOptions& how,
                                 const ReviewTrialOptions& options, const Run& run);

}  // namespace commonplace::suggest

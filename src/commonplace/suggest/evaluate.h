#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/eval/bootstrap.h"
#include "commonplace/eval/calibration.h"
#include "commonplace/suggest/core/suggester_quality.h"
#include "commonplace/suggest/evaluate_trial.h"

namespace commonplace::suggest {

struct EvaluationOptions {
  std::string methods = "combined,tags,category";  ///< of Commonplace
  std::string baselines = "logistic,knn,popular";  ///< also svm, poisson; all; none
  std::string sweep{};   ///< numbers of prototypes to try, such as 1%,5%,20%; empty: none
  SplitOptions split{};  ///< of a collection
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, EvaluationOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("methods", options.methods, "ways of Commonplace: combined, tags, category, knn");
  visit("baselines", options.baselines, "logistic, svm, knn, popular, poisson; all or none");
  visit("sweep", options.sweep, "also try these numbers of prototypes, such as 1%,5%,20%");
  visit_options(options.split, visit);
}

/// How one method did.
struct MethodQuality {
  std::string method;
  std::int64_t prototypes = 0;  ///< 0 where there are none
  std::string settings;         ///< chosen and tried, as to_json(SuggesterReport); empty: none
  std::array<double, 10> precision{};  ///< at 1 .. 10
  Interval precision_at_1;             ///< 95 %, over the test items
  Interval precision_at_3;
  Interval precision_at_5;
  double ndcg_at_5 = 0;
  double f1_at_5 = 0;
  double popular_ndcg = 0;  ///< at 5, asked for and among the fewest tags of half of all uses
  double rare_ndcg = 0;     ///< at 5, asked for and among the others
  double rank_loss = 0;
  double one_error = 0;
  double coverage = 0;
  double hamming_loss = 0;       ///< of what is above the threshold; 0 where there is none
  double f1 = 0;                 ///< of the same
  bool has_confidence = false;   ///< whether it says how sure it is
  double calibration_error = 0;  ///< of what is shown
  ShownSuggestions shown;        ///< and how sure it was of them
  ShownSuggestions shown_rare;   ///< of them, those of tags that are not popular
  std::vector<CalibrationBin> reliability;  ///< of pairs of 1 % or more
  bool has_claim = false;                   ///< whether learning said how good it would be
  double claimed_precision_at_1 = 0;
  Interval claimed_precision_at_1_interval;
  /// What is real less what was claimed, with the 95 % interval that both have together: of the
  /// first tag, and of what is shown.
  Measured precision_at_1_less_claimed;
  Measured right_less_confidence;
  double train_seconds = 0;
  double predict_seconds = 0;
  std::int64_t memory = 0;  ///< bytes that learning and predicting took at most, beyond the data
};

struct Evaluation {
  std::int64_t train_items = 0;
  std::int64_t test_items = 0;
  std::int64_t untagged = 0;  ///< as Trial has it
  std::int64_t strange = 0;   ///< test items none of whose tags could be suggested
  std::int64_t features = 0;
  std::int64_t tags = 0;
  std::vector<MethodQuality> methods;
  std::vector<MethodQuality> sweep;  ///< the tags' processes, by number of prototypes
};

/// Learns from the trial's first part by each method and asks for the tags of the second. Nothing
/// of the second part is seen by any choice. A test item of whose tags none can be suggested counts
/// in precision, with 0, and in nothing else. Every rank has the whole trial, and each method is
/// run by one of them. Collective.
Evaluation evaluate(const Trial& trial, const SuggesterOptions& model,
                    const EvaluationOptions& options, const Run& run);

}  // namespace commonplace::suggest

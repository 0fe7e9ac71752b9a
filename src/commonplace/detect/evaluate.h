#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/detect/core/detector.h"
#include "commonplace/detect/evaluate_trial.h"
#include "commonplace/eval/bootstrap.h"

namespace commonplace::detect {

struct EvaluationOptions {
  std::string labelled = "5,10,15";  ///< labelled items a concept
  std::string unlabelled = "all";    ///< of the others, so many help to learn: numbers, or all
  std::string methods =
      "auto,svm,logistic,knn,ale-svm,ale-laprls,iale-svm,iale-laprls,anchors,smoothed,"
      "gsf,lapsvm,propagation";
  int repeat = 3;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, EvaluationOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("labelled", options.labelled, "label so many items a concept; numbers by commas");
  visit("unlabelled", options.unlabelled, "learn from so many of the others too; numbers, or all");
  visit("methods", options.methods, "what to compare");
  visit("repeat", options.repeat, "repeat with so many different draws of the labelled items");
}

/// Means are over the repetitions, and so are their 95 % intervals; over the concepts if there is
/// only one.
struct MethodQuality {
  std::string method;
  std::int64_t labelled = 0;    ///< a concept
  std::int64_t unlabelled = 0;  ///< that helped
  Measured miap;                ///< 11-point interpolated average precision, mean over concepts
  Measured precision_at_100;
  double error = -1;                ///< share of items put to a wrong concept; -1 if not one each
  std::vector<double> of_concepts;  ///< interpolated average precision, mean over the repetitions
  double seconds = 0;               ///< to learn and score, on average
  std::string chosen;               ///< of auto: what it chose in the first repetition
};

struct Evaluation {
  std::int64_t items = 0;
  std::int64_t columns = 0;
  std::vector<std::string> concepts;
  std::vector<MethodQuality> methods;
};

/// Labels some items of each concept, drawn at random, learns from them and from the unlabelled
/// ones, and scores all others by each method. `ale` methods follow the authors' rules with all
/// items at hand, `iale` ones learn the space from the labelled and half of the others and take the
/// rest as new. The seed of the draws is that of the detector's space. Graph methods (gsf, lapsvm,
/// propagation) tie all items to each other. Each run of a method is done by one rank, whichever is
/// free.
Evaluation evaluate(const Trial& trial, const EvaluationOptions& options,
                    const DetectorOptions& detector, const Run& run);

}  // namespace commonplace::detect

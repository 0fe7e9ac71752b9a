#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/eval/bootstrap.h"
#include "commonplace/learn/kernel.h"
#include "commonplace/suggest/core/gp_hyperparameters.h"
#include "commonplace/suggest/core/prototypes.h"
#include "commonplace/suggest/evaluate_classify_items.h"

namespace commonplace::suggest {

struct ClassifyOptions {
  std::string kernel = "rbf";                     ///< rbf, nn, linear or cosine
  std::string prototypes = "1%,5%,20%";           ///< numbers, or shares of the training items
  std::string selection = "descent,random,gain";  ///< ways of choosing prototypes to compare
  double train_share = 0.6;                       ///< of the items, drawn anew in each repetition
  int repeat = 10;
  std::uint64_t seed = 1;
  bool ivm = true;                ///< also the informative vector machine
  std::int64_t ivm_active = 300;  ///< its items a class: as many as prototypes, at most so many
  bool full = true;               ///< also the full Gaussian process, if there are few items
  bool surface = true;            ///< also the marginal likelihood by length scale and variance
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, ClassifyOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("kernel", options.kernel, "how items are compared: rbf, nn, linear or cosine");
  visit("prototypes", options.prototypes, "numbers, or shares of the training items, to try");
  visit("selection", options.selection, "ways of choosing prototypes to compare");
  visit("train_share", options.train_share, "share of the items to learn from");
  visit("repeat", options.repeat, "repeat with so many different draws of these");
  visit("seed", options.seed, "seed of all draws");
  visit("ivm", options.ivm, "also the informative vector machine, one class against the rest");
  visit("ivm_active", options.ivm_active, "most items a class of the informative vector machine");
  visit("full", options.full, "also the full Gaussian process, if there are few items");
  visit("surface", options.surface, "also the marginal likelihood by length and variance");
}

/// Means are over the repetitions; over the test items if there is only one.
struct ClassifierQuality {
  std::string method;  ///< sgp, ivm, or full
  std::string selection;
  std::string asked;            ///< of the option's numbers of prototypes
  std::int64_t prototypes = 0;  ///< as many in the first repetition; a class for ivm
  Measured error;
  Measured log_likelihood;     ///< mean log probability of the true class of test items
  Measured calibration_error;  ///< expected, of the most probable class
  /// The same two when probabilities are averaged over the latents' variances (as the paper does)
  /// rather than taken at the mode. Equal for methods that have but one way.
  Measured averaged_log_likelihood;
  Measured averaged_calibration_error;
  double train_seconds = 0;  ///< on average
  double predict_seconds = 0;
};

struct LikelihoodSurface {
  std::vector<double> length_scales;
  std::vector<double> variances;
  MatrixD values;  ///< length scales x variances
};

/// Moved prototypes minus random ones, over the same repetitions. Once there are as many prototypes
/// as the kernel can use, both classify alike, and only the log likelihood still tells them apart.
struct SelectionGain {
  std::string asked;
  Measured difference;      ///< of the error
  Measured log_likelihood;  ///< of the mean log probability of the true class
};

struct ClassifyEvaluation {
  std::int64_t items = 0;
  std::int64_t features = 0;
  std::int64_t classes = 0;
  std::int64_t train_items = 0;  ///< in the first repetition
  Kernel kernel;                 ///< of the first repetition
  std::vector<ClassifierQuality> methods;
  std::vector<SelectionGain> descent_over_random;  ///< if both were asked for
  LikelihoodSurface surface;                       ///< of the first repetition; may be empty
};

/// Learns from some of the items and classifies the others, by each method. Features are
/// standardised, and the kernel is chosen by marginal likelihood, on the training items alone.
/// Every rank has all items, and each method of each repetition is run by one of them. Collective.
ClassifyEvaluation evaluate_classify(const ClassifiedItems& items, const ClassifyOptions& options,
                                     const PrototypeOptions& descent,
                                     const HyperparameterOptions& tuning, const Run& run);

}  // namespace commonplace::suggest

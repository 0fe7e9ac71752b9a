#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"

namespace commonplace::transfer {

/// Multinomial naive Bayes, with EM for items whose classes are not known: the classes of items
/// from the features that they have, taken for words of a text. Features are nonnegative.
struct NaiveBayesOptions {
  /// Items count as texts of so many words on average: their evidence is scaled to it. Less than
  /// they have, since words come together.
  double words = 15;
  double smoothing = 1;     ///< as if every class had so many more of each word
  int iterations = 20;      ///< of refine_classes, at most
  double tolerance = 1e-4;  ///< stop when the classes of items move by less on average
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, NaiveBayesOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("words", options.words, "items count as texts of so many words on average");
  visit("smoothing", options.smoothing, "as if every class had so many more of each word");
  visit("refinements", options.iterations, "most rounds that refine the classes");
}

/// ln of the probability of each feature in each class, features x classes; rows of 0 for features
/// that say nothing.
struct NaiveBayes {
  MatrixD log_probability;
  std::vector<std::uint8_t> used;  ///< per feature
};

/// Items x classes: 1 where an item has the label, otherwise 0. Error for labels other than -1 ..
/// classes - 1.
MatrixD class_indicators(std::span<const std::int32_t> labels, std::int64_t classes);

/// For each feature whether some item of any rank has it.
std::vector<std::uint8_t> features_in_use(const SparseView& items, Comm& comm);

/// The items with those features alone that are marked.
Sparse only_features(const SparseView& items, std::span<const std::uint8_t> used);

/// Learned from this rank's items, which are so much of each class (`classes`: items x classes),
/// and those of the other ranks, over the features marked in `used`. O(nonzeros classes).
NaiveBayes fit_naive_bayes(const SparseView& items, const MatrixD& classes,
                           std::vector<std::uint8_t> used, const NaiveBayesOptions& options,
                           const Run& run);

/// Items x classes: what the used features of each item say of each class, as sums of logarithms.
MatrixD class_evidence(const NaiveBayes& model, const SparseView& items,
                       const NaiveBayesOptions& options, const Run& run);

/// The softmax of evidence / temperature, rows of sum one.
MatrixD class_probabilities(const MatrixD& evidence, double inverse_temperature = 1);

/// The same after the evidence for each class was moved, for all items alike, so that the classes
/// have as many items as each other in sum. Evidence that comes from another collection often
/// favours one class throughout; as a start the middle is better.
MatrixD balanced_probabilities(const MatrixD& evidence, double inverse_temperature, Comm& comm);

/// The same with classes that have these shares of the items in sum, all above 0.
MatrixD probabilities_with_shares(const MatrixD& evidence, const std::vector<double>& shares,
                                  Comm& comm);

struct RefinedClasses {
  MatrixD classes;     ///< items x classes, rows of sum one
  MatrixD evidence;    ///< that they come from; given items too
  Convergence report;  ///< the objective is the mean move of an item's classes
};

/// Expectation maximisation (EM) of the mixture from where `classes` stands: what the classes are
/// by words, then what the items are by classes. Items marked in `given` (nothing: none) keep
/// theirs. A round is O(nonzeros classes) and sums features x classes doubles over the ranks.
RefinedClasses refine_classes(const SparseView& items, MatrixD classes,
                              std::span<const std::uint8_t> given, const NaiveBayesOptions& options,
                              const Run& run);

/// Temperature scaling, fitted on held-out items.
struct TemperatureScaling {
  double inverse_temperature = 1;  ///< at which they are the likeliest
  double likelihood = 0;  ///< the mean of ln probability of what they are, at that temperature
  double items = 0;       ///< over all ranks
};

/// Over five folds, by the features marked in `used`: evidence counts words that come together as
/// if each came alone, so it is too sure, and a higher temperature is better calibrated. `labels`
/// are classes, -1 for items to leave out. A temperature of 1 if fewer than ten items are labelled.
TemperatureScaling fit_temperature(const SparseView& items, std::span<const std::int32_t> labels,
                                   std::int64_t classes, const std::vector<std::uint8_t>& used,
                                   const NaiveBayesOptions& options, const Run& run);

/// The rows of the ranks before this one. Collective.
std::int64_t rows_before(std::int64_t rows, Comm& comm);

/// The fold, 0 .. folds-1, of each of this rank's items: a function of its place among all.
std::vector<int> folds_of_items(std::int64_t items, int folds, Comm& comm);

}  // namespace commonplace::transfer

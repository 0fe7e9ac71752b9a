#pragma once

#include <cstdint>
#include <type_traits>

#include "commonplace/base/matrix.h"

namespace commonplace::transfer {

/// The share, in [0, 1], of long-tail features: those that fewer than `share` times the number of
/// items have, among the features that at least one item has. Features that never occur are left
/// out, because in a vocabulary of several collections they would only measure the other ones. 0
/// where nothing occurs. A feature occurs in an item if its value is not 0. O(entries + columns).
double complexity(const SparseView& items, double share = 0.1);

struct ADistanceOptions {
  std::int64_t items = 2000;  ///< at most so many of each collection
  int folds = 5;              ///< each is told apart by what was learned from the others
  double cost = 1;            ///< of a wrong item, against the length of the weights
  double tolerance = 0.01;    ///< liblinear's, of the gradient
  std::uint64_t seed = 1;     ///< of the sample and the folds
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, ADistanceOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("items", options.items, "at most so many of each collection");
  visit("folds", options.folds, "parts, each told apart by what was learned from the others");
  visit("cost", options.cost, "of a wrong item, against the length of the weights");
  visit("tolerance", options.tolerance, "of the gradient, at which to stop");
  visit("seed", options.seed, "of the sample and the folds");
}

/// How easily two collections over the same features are told apart (Ben-David et al. 2007):
/// 2 (1 - 2 error), where `error` is that of a logistic regression on items it has not seen; 0 if
/// they look the same, 2 if no item is mistaken. Never outside of [0, 2]: an error above one half
/// is luck. Both collections are brought to the same number of items by a random sample, a function
/// of (seed, row), so the order of the two makes no difference beyond rounding. Items are best
/// scaled to length one. Error if a collection has fewer than 2 items. O(folds steps entries).
double a_distance(const SparseView& a, const SparseView& b, const ADistanceOptions& options = {},
                  int jobs = 0);

}  // namespace commonplace::transfer

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"

namespace commonplace::transfer {

/// Coupled nonnegative tri-factorisation (Tan, Song, Zhong & Yang, KDD 2015): collections over one
/// set of features are joined in pairs. The items X_d (items x features) of either end of a pair
/// are G_d S_dᵀ, where G_d says how much each item is of each class and
///   S_d = F A + F_d A_d,   features x classes,
/// has clusters of features F that the two ends share and others F_d that are the end's own. A
/// collection that stands in two pairs has one G, and by it what is known of one collection
/// reaches the next.
struct CoupledFactorOptions {
  int clusters = 30;        ///< of features, for each end of a pair: the shared and its own
  double shared = 0.5;      ///< share of them that both ends have
  int iterations = 100;     ///< at most
  double tolerance = 1e-5;  ///< stop when the classes of items move by less on average; 0: never
  std::uint64_t seed = 1;   ///< of the start
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, CoupledFactorOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("clusters", options.clusters, "clusters of features, shared and own together");
  visit("shared", options.shared, "share of the clusters that both ends of a pair have");
  visit("iterations", options.iterations, "most iterations");
  visit("tolerance", options.tolerance, "stop when classes move by less on average");
  visit("seed", options.seed, "seed of the start");
}

/// Clusters of features (features x clusters, columns of sum one) and what each weighs in each
/// class (classes x clusters).
struct FeatureClusters {
  MatrixD features;
  MatrixD weights;
};

struct CoupledPair {
  std::array<int, 2> ends{};  ///< collections
  FeatureClusters common;
  std::array<FeatureClusters, 2> own;  ///< of either end
};

struct CoupledCollection {
  SparseView items;  ///< this rank's: items x features, nonnegative
  MatrixD classes;   ///< where to start: items x classes, nonnegative
  /// Not 0: what `classes` says of the item is known and stays. Empty: nothing is known.
  std::vector<std::uint8_t> given;
};

struct CoupledFit {
  std::vector<CoupledPair> pairs;
  std::vector<MatrixD> classes;  ///< per collection: this rank's items x classes, rows of sum one
  Convergence report;
};

/// A random start for the pairs, the same for the same seed. Error unless `shared` leaves a cluster
/// to both kinds.
std::vector<CoupledPair> start_coupled_pairs(std::span<const std::array<int, 2>> ends,
                                             std::int64_t features, std::int64_t classes,
                                             const CoupledFactorOptions& options);

/// Called after each iteration with what this rank's items are by then.
using WatchClasses =
    std::function<void(int iteration, double objective, const std::vector<MatrixD>& classes)>;

/// Each rank gives its own items of every collection, and the same pairs. Every rank gets the same
/// pairs back. The objective after an iteration is the sum over the ends of all pairs of
/// |X_d - G_d S_dᵀ|², with every X_d scaled to a sum of one, so that collections weigh alike. The
/// updates are the published multiplicative ones, and so is what is normalised after them: columns
/// of clusters and rows of classes, without a correction in the weights. The updates never raise
/// the objective; that normalising does not either is an observation.
/// An iteration is O((nonzeros + features clusters) classes), sums features x classes doubles for
/// each collection over the ranks, and never forms items x features. Error for shapes that do not
/// fit, negative or infinite numbers, and a collection that is in no pair or has no entries.
CoupledFit fit_coupled_factors(std::span<const CoupledCollection> collections,
                               std::vector<CoupledPair> pairs, const CoupledFactorOptions& options,
                               const Run& run, const WatchClasses& watch = {});

}  // namespace commonplace::transfer

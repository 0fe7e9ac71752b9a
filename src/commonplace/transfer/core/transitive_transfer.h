#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/transfer/core/coupled_factors.h"
#include "commonplace/transfer/core/naive_bayes.h"
#include "commonplace/transfer/core/simulated_transfer.h"

namespace commonplace::transfer {

/// Transitive transfer in stages: classes of labelled sources reach a target through collections in
/// between.
///
/// Each collection of the path, from the first to the last, is a stage. It is started with what the
/// words that it shares with those before say of its items, the classes being as common as there.
/// Then, if items cluster by themselves as
/// their classes say, all collections up to it are factorised together along the path
/// (coupled_factors.h), and its classes are refined by EM (naive_bayes.h). Whether
/// this cluster assumption holds is tried on the collection before, by a simulated transfer
/// (simulated_transfer.h): where self-training is clearly better there, the answer is the start
/// after one step of self-training. So it is where a later step collapses: a class loses nearly all
/// of its items, or what was found hardly agrees with the start. The factorisation
/// cannot tell a solution from the one with classes exchanged, but the evidence of shared words
/// can: if it fits better to a permutation of the labels, they are permuted and the factorisation
/// goes on from there.
struct Options {
  CoupledFactorOptions factors;
  NaiveBayesOptions naive_bayes;
  std::string cluster_assumption =
      "auto";            ///< factorise and refine: yes, no, or auto as said above
  bool refine = true;    ///< each collection's classes among themselves; false: as published
  bool evidence = true;  ///< start with what shared words say; false: with random classes
  /// The base classifier, which tells what shared features say: "naive-bayes"
  /// (naive_bayes.h), "logistic" regression (logistic_regression.h), "auto" both, pooled
  /// as held-out items of the collection that teaches are the likeliest (base_classifiers.h).
  std::string base_classifier = "auto";
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, Options>
void visit_options(Self& options, Visit&& visit) {
  visit_options(options.factors, visit);
  visit_options(options.naive_bayes, visit);
  visit("cluster_assumption|grouping", options.cluster_assumption,
        "let items find their classes among themselves: yes, no, or auto");
  visit("refine", options.refine, "refine the classes of each collection among themselves");
  visit("evidence", options.evidence, "start with what shared words say, else at random");
  visit("base_classifier|teller", options.base_classifier,
        "what tells the start: naive-bayes, logistic, or auto");
}

struct TransferCollection {
  SparseView items;                  ///< this rank's: items x features, nonnegative
  std::vector<std::int32_t> labels;  ///< 0 .. classes-1, -1: not known; empty: none are known
};

/// How a collection of the path was reached.
struct Stage {
  bool clustered = true;         ///< it was factorised and refined
  SimulatedTransfer simulation;  ///< which decided that; of no items if it was asked for
  Convergence report;            ///< of the factorisation
  int refinements = 0;           ///< rounds
  bool permuted = false;         ///< the labels were
  double shared_features = 0;    ///< share of its features that the one before it has too
  std::string told_by =
      "naive-bayes";    ///< what the start was told by: naive-bayes, logistic, or both
  double expected = 0;  ///< share of the start that is expected to be right
  double guessing = 0;  ///< what naming the commonest class may reach
  /// The step that the answer is of: start, self-training, factors or refinement.
  std::string answer = "start";
  bool collapsed = false;  ///< a later step was undone
  double agreement = 0;    ///< share of items that are of the class that the start said
};

struct Transfer {
  /// Per collection of the path: this rank's items x classes. Those of the last are calibrated
  /// probabilities: on held-out items of the sources if refined, else to the expected accuracy.
  std::vector<MatrixD> classes;
  std::vector<Stage> stages;       ///< one a collection of the path
  double inverse_temperature = 1;  ///< of the evidence in the last one's probabilities
  std::int64_t same_items = 0;     ///< of the last that a labelled item equals (same_items.h)
};

/// Called after each iteration of the stage that reaches collection `stage` of the path, with what
/// this rank's items of that collection are.
using WatchTransfer =
    std::function<void(std::size_t stage, int iteration, double objective, const MatrixD& classes)>;

/// All collections are over the same features, with zeros where one lacks them. The path ends with
/// the target; its labels, and those of collections before it, are used where there are any. With
/// one source and a path of one it is direct transfer. Error for shapes that do not fit, labels out
/// of range, sources without labels or a class that no source has.
Transfer transfer_classes(std::span<const TransferCollection> sources,
                          std::span<const TransferCollection> path, std::int64_t classes,
                          const Options& options, const Run& run, const WatchTransfer& watch = {});

}  // namespace commonplace::transfer

#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/transfer/data.h"
#include "commonplace/transfer/rivals/methods.h"

namespace commonplace::transfer {

struct EvaluationOptions {
  std::string methods{};  ///< by commas; empty: all that are possible
  int repeat = 1;         ///< with so many different cuts and draws
  /// Words are cut in two at random: the sources lose one half, the target the other, so that they
  /// share nothing.
  bool cut = false;
  std::string clusters{};         ///< numbers of clusters to compare
  std::string labelled_bridge{};  ///< numbers of labelled items of those in between
  std::string labelled_target{};  ///< numbers of labelled items of the target
  std::string removed{};          ///< numbers of features that those in between lose
  std::uint64_t seed = 1;         ///< of cuts and draws
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, EvaluationOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("methods", options.methods, "what to compare, by commas; default: all that are possible");
  visit("repeat", options.repeat, "repeat with so many different cuts and draws");
  visit("cut", options.cut, "cut the features in two: one half for the source, one for the target");
  visit("cluster_counts", options.clusters, "clusters to compare; numbers by commas");
  visit("labelled_bridge", options.labelled_bridge,
        "labelled items of those in between; numbers by commas");
  visit("labelled_target", options.labelled_target,
        "labelled items of the target; numbers by commas");
  visit("removed", options.removed, "features that those in between lose; numbers by commas");
  visit("draw_seed", options.seed, "seed of cuts and draws");
}

/// Means over the repetitions.
struct MethodQuality {
  std::string method;
  std::int64_t clusters = 0;
  std::int64_t labelled_bridge = 0;
  std::int64_t labelled_target = 0;
  std::int64_t removed = 0;
  double accuracy = 0;   ///< share of the target's items that are right; labelled ones aside
  double deviation = 0;  ///< of the accuracy, over the repetitions
  double calibration_error = 0;  ///< expected; -1 for methods without probabilities
  double confidence = 0;         ///< the mean probability of what is said
  double largest_said = 0;       ///< share of the class that is said most often
  double seconds = 0;
  std::vector<double> accuracies{};  ///< one a repetition
};

struct Evaluation {
  std::vector<std::string> collections;  ///< sources, those in between, the target
  std::vector<std::int64_t> items;
  std::int64_t features = 0;
  std::vector<std::string> classes;
  double largest_class = 0;  ///< share of the target: what always saying the same would get
  std::vector<MethodQuality> methods;
  /// Of the stage that reaches the target, in the first repetition.
  std::vector<double> objective;
  std::vector<double> accuracy_by_iteration;
};

/// Hides the labels of all but the first `sources` collections and asks for those of the last. All
/// ranks have the data, share the methods and repetitions, and get the same.
Evaluation evaluate(const Data& data, std::size_t sources, const Options& transfer,
                    const EvaluationOptions& options, const Run& run);

std::string to_json(const Evaluation& evaluation);
/// Convergence, and accuracy against whatever was varied, as SVG.
std::string evaluation_plot(const Evaluation& evaluation);

}  // namespace commonplace::transfer

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/detect/core/heads.h"
#include "commonplace/detect/core/space.h"
#include "commonplace/eval/tune.h"

namespace commonplace::detect {

/// How concepts are learned from features. What is "auto" or 0 is chosen on labelled items that are
/// held out in turn.
struct DetectorOptions {
  std::string representation = "auto";  ///< raw, smoothed, axis, anchors, several by '+', or auto
  std::string head = "auto";            ///< smooth (LapRLS), svm (linear) or auto
  double lambda = 0;                    ///< LapRLS: weight of a label against smoothness
  double cost = 5;                      ///< svm: of a wrong item
  std::int64_t choose_on = 3000;        ///< choices are made on at most so many labelled items
  std::string budget{};  ///< choosing may take so long, such as 30s; empty: as it needs
  SpaceOptions space;
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, DetectorOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("representation", options.representation,
        "raw, smoothed, axis (ALE), anchors, several joined by +, or auto");
  visit("head", options.head, "laprls, svm or auto");
  visit("lambda", options.lambda, "laprls: weight of a label; 0 to choose it");
  visit("cost", options.cost, "svm: cost of a wrong item");
  visit("choose_on", options.choose_on, "make choices on at most so many labelled items");
  visit("budget", options.budget, "choose for so long at most, such as 30s");
  visit_options(options.space, visit);
}

/// Error if an option is out of range.
void check(const DetectorOptions& options);

/// A space and head for concepts.
struct Detector {
  Space space;
  std::string representation;
  HeadSetting head;
  std::vector<TuningTrial> tried;  ///< by MiAP: 11-point interpolated, mean over the concepts
  /// Of the chosen way: what each labelled item was scored while it was held out, with its label.
  std::vector<float> held_scores;
  std::vector<std::uint8_t> held_outcomes;
};

/// Fits the space to all items, labelled or not, and chooses what the options leave open on the
/// labelled ones, held out in turn. Without labels enough to choose by, `auto` is smoothed features
/// and LapRLS. Above `kManyItems` items, auto leaves out what costs more than a few passes
/// over them (smoothed and anchors).
/// Every rank gives the features of all items, of which it reads its own rows and the labelled
/// ones; all get the same detector.
Detector fit_detector(ManyFeatures features, const LabelledItems& labelled,
                      const DetectorOptions& options, const Run& run);
inline constexpr std::int64_t kManyItems = 200'000;

}  // namespace commonplace::detect

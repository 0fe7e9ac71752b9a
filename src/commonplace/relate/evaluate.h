#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/eval/bootstrap.h"
#include "commonplace/library/library.h"
#include "commonplace/relate/rivals/methods.h"

namespace commonplace::relate {

struct EvaluationOptions {
  std::string target{};  ///< the modality that is asked for; empty: the first of tags or a label
  std::string methods =
      "commonplace,alone,positive,cca,mvlpp,lpp,popular,knn,ridge,ridge-all,kernel-regression";
  int repeat = 3;              ///< with so many different choices of what is held out
  double held = 0.2;           ///< share of the items that are held out
  std::string shares = "100";  ///< per cent of the other items that are learned from; a list
  std::string dims{};          ///< coordinates at most; a list; empty: as each method chooses
  std::int64_t groups = 10;    ///< of items and nodes together, for the Rand index
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, EvaluationOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("target", options.target, "the kind that is asked for, such as photos/tags");
  visit("methods", options.methods, "what to compare");
  visit("repeat", options.repeat, "repeat with so many different choices of what is held out");
  visit("held_out|held", options.held, "share of the items that are held out");
  visit("shares", options.shares, "per cent of the other items to learn from; numbers by commas");
  visit("dims", options.dims, "coordinates at most; numbers by commas");
  visit("groups", options.groups, "groups of everything together, for the Rand index");
}

/// Means over the repetitions, with 95 % intervals over them if there are several, else over items.
struct MethodQuality {
  std::string method;
  std::int64_t learned_from = 0;  ///< items, in the first repetition
  std::int64_t dim = 0;           ///< at most; 0: as the method chose
  Measured ndcg;                  ///< of as many nodes as an item has
  /// Share of the links of items held out among the closest 10, 20 .. 100 % of all pairs; empty for
  /// methods that place nothing.
  std::vector<double> met;
  double rand = -1;  ///< share of pairs of item and node that groups tell right; -1: places nothing
  std::string chosen;  ///< settings, in the first repetition
  double seconds = 0;  ///< on average
};

/// How far guessed places are off, in metres.
struct PlaceQuality {
  std::string method;
  Measured median;
  double within_1_km = 0;  ///< share of the items
};

struct Evaluation {
  std::string target;
  std::vector<std::string> modalities;
  std::int64_t items = 0;  ///< that have nodes of the target
  std::int64_t nodes = 0;  ///< of the target
  std::vector<MethodQuality> methods;
  std::vector<PlaceQuality> places;  ///< if there are places
  double told = 0;                   ///< share of the items whose place could be told
};

/// Hides what some items of a library have of the target and asks for it, by every method that can
/// be used. Changes nothing. All ranks have the data, share the repetitions and get the same.
Evaluation evaluate(const Data& data, const ModelOptions& relate, const EvaluationOptions& options,
                    const Run& run);

}  // namespace commonplace::relate

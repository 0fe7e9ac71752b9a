#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/transfer/core/bridge_choice.h"

namespace commonplace::transfer {

/// A collection as numbers, over a vocabulary that it shares with others.
struct LabelledCollection {
  std::string name;                  ///< what errors call it
  Sparse rows;                       ///< items x features, such as tf-idf
  std::vector<std::int32_t> labels;  ///< a class from 0 on for each item, -1 where it is not known
};

struct BridgeTrialOptions {
  std::int64_t neighbours = 10;  ///< nearest items, which an item is tied to
  std::string among = "each";    ///< so many of each collection, or of "all" of a trial together
  double alpha = 0.9;            ///< share of what an item takes from its neighbours; in (0, 1)
  double bandwidth = 0;          ///< h of exp(-distance² / 2h²); 0: chosen by the data
  double tolerance = 1e-3;       ///< of the spread labels' residual
  std::int64_t items = 2000;     ///< at most so many of a collection, a random sample
  double rare = 0.1;             ///< features of less than this share of the items are long-tail
  int folds = 5;                 ///< of telling two collections apart
  double cost = 1;               ///< of an item given to the wrong one of two collections
  std::uint64_t seed = 1;        ///< of samples and folds
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, BridgeTrialOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("neighbours", options.neighbours, "the nearest items, which an item is tied to");
  visit("among", options.among, "so many of each collection, or of all of a trial together");
  visit("alpha", options.alpha, "share of what an item takes from its neighbours");
  visit("bandwidth", options.bandwidth, "distance at which ties get weak; 0: chosen by the data");
  visit("tolerance", options.tolerance, "of the residual of spread labels, at which to stop");
  visit("items", options.items, "at most so many of a collection");
  visit("rare", options.rare, "features of less than this share of the items are long-tail");
  visit("folds", options.folds, "of telling two collections apart");
  visit("cost", options.cost, "of an item given to the wrong one of two collections");
  visit("seed", options.seed, "of samples and folds");
}

/// The collection without some features, to try bridges where they are needed most: between
/// collections that have little in common. Of all features `share` is split in two halves at
/// random, a function of (seed, feature); side 0 loses the one half, side 1 the other. With a share
/// of 1 two collections of different sides have no feature in common.
LabelledCollection hide_features(const LabelledCollection& collection, int side, double share,
                                 std::uint64_t seed);

/// What is measured of collections without their labels.
struct CollectionMeasures {
  std::vector<double> complexity;  ///< of each collection
  MatrixD distance;                ///< A-distance of each pair, symmetric
};

/// Labels are not looked at. Any number of collections; otherwise Error as for run_bridge_trials.
/// O(collections²) trainings, which the ranks share: all have all collections and get the same.
CollectionMeasures measure_collections(std::span<const LabelledCollection> collections,
                                       const BridgeTrialOptions& options, const Run& run);

BridgeTraits traits_of(const CollectionMeasures& measures, std::int32_t source, std::int32_t bridge,
                       std::int32_t target);

struct BridgeTrial {
  std::int32_t source = 0;  ///< these three are places in the list of collections
  std::int32_t bridge = 0;
  std::int32_t target = 0;
  double direct = 0;   ///< accuracy on the target's labelled items without the bridge
  double bridged = 0;  ///< and with it
  BridgeTraits traits;
};

struct BridgeTrials {
  std::vector<BridgeTrial> trials;  ///< by source, then bridge, then target
  CollectionMeasures measures;
};

/// Tries each collection as a bridge between each two others of which both have labels: those of
/// the source spread (label_propagation.h, both sides of a class counting the same) over the graph
/// of nearest items, by cosine, of source and target, and over that of all three; what the bridge
/// and the target know is hidden. With `among` "each" every item has ties to every collection, so
/// labels do not have to find the few ways out of their own; "all" is the usual graph. An item that
/// no label reaches counts as guessed. Rows are scaled to length one first. Labels of the source
/// and the target must mean the same. Error for fewer than 3 collections, different features, or
/// numbers that are not finite. The neighbours of each pair of collections are found once, and one
/// graph serves the six trials of its three collections. O(collections² products of common terms +
/// collections³ items neighbours steps / 6); memory 8 bytes x collections x all items x neighbours.
/// The ranks share the distances and the graphs: all have all collections and get the same.
BridgeTrials run_bridge_trials(std::span<const LabelledCollection> collections,
                               const BridgeTrialOptions& options, const Run& run);

/// The trials as what fit_bridge_choice learns from; groups are targets.
std::vector<BridgeExample> bridge_examples(const BridgeTrials& trials);

}  // namespace commonplace::transfer

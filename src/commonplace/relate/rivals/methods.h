#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/relate/core/choice.h"

namespace commonplace::relate {

/// Items held out, whose nodes of one modality are asked for.
struct Task {
  Run run{};  ///< of this rank alone
  const Data* data = nullptr;
  std::size_t target = 0;  ///< the modality asked for
  /// Per modality, by item: not 0 for what is not known.
  std::vector<std::vector<std::uint8_t>> held{};
  std::vector<std::int64_t> asked{};  ///< items held out that have nodes of the target
  std::int64_t dim = 0;               ///< coordinates at most; 0: as each method chooses
  ModelOptions options{};             ///< of our own method
};

/// What a method says.
struct Said {
  Matrix scores;  ///< asked items x nodes
  /// Where it has asked items and nodes, if it places them in one space; else without columns.
  Matrix items;
  Matrix nodes;
  std::string chosen;  ///< the settings that it chose
};

/// The methods that relate_method knows:
///   commonplace  all modalities that there are, settings chosen on known items
///   alone        the same from the first modality of the collection alone
///   positive     links above 0 only, nearest nodes by distance (the paper's own guidance)
///   cca          canonical correlations of the first modality and the target, a pair a link
///   mvlpp        locality preserving projections of both views with pairs
///   lpp          the same of the first modality, then k-NN
///   popular      what most items have
///   neighbours   k-NN by the first modality
///   ridge        ridge regression on the first modality
///   ridge-all    ridge regression on all modalities side by side
///   kernel-regression  kernel regression (Nadaraya-Watson) on places
const std::vector<std::string>& methods();

/// Whether a method can be used on the data; "" or why not.
std::string why_not(const Task& task, const std::string& method);

/// Learns from the known items and answers for those asked for. Where a method has a parameter, it
/// is chosen on a fifth of the known items.
Said relate_by(const Task& task, const std::string& method);

/// The items of the target's collection that are known and have nodes of the target.
std::vector<std::int64_t> known_items(const Task& task);

/// Learns our own space on the known items.
struct LearnedRelation {
  Choice choice;
  Space space;
  std::vector<Matrix> positions;  ///< per modality
};
LearnedRelation learn_relation(const Task& task);

}  // namespace commonplace::relate

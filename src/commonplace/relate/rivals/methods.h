#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commonplace/base/progress.h"
#include "commonplace/relate/core/choice.h"

namespace commonplace {

/// Items held out, whose things of one kind are asked for.
struct RelateTask {
  const RelateData* data = nullptr;
  std::size_t target = 0;                       ///< the kind asked for
  std::vector<std::vector<std::uint8_t>> held;  ///< per kind, by item: not 0 for what is not known
  std::vector<std::int64_t> asked;              ///< items held out that have things of the target
  std::int64_t dim = 0;                         ///< coordinates at most; 0: as each method chooses
  RelateOptions options;                        ///< of our own method
  int jobs = 0;
};

/// What a method says.
struct RelateSaid {
  Matrix scores;  ///< asked items x things
  /// Where it has asked items and things, if it places them in one space; else without columns.
  Matrix items;
  Matrix things;
  std::string chosen;  ///< the settings that it chose
};

/// The methods that relate_method knows:
///   commonplace  all kinds that there are, settings chosen on known items
///   alone        the same from the first kind of the collection alone
///   positive     links above 0 only, nearest things by distance (the paper's own guidance)
///   cca          canonical correlations of the first kind and the target, a pair a link
///   mvlpp        locality preserving projections of both views with pairs
///   lpp          the same of the first kind, then votes of the nearest
///   popular      what most items have
///   neighbours   votes of the nearest items by the first kind
///   ridge        ridge regression on the first kind
///   ridge-all    ridge regression on all kinds side by side
///   place-votes  votes of near places
const std::vector<std::string>& relate_methods();

/// Whether a method can be used on the data; "" or why not.
std::string why_not(const RelateTask& task, const std::string& method);

/// Learns from the known items and answers for those asked for. Where a method has a parameter, it
/// is chosen on a fifth of the known items.
RelateSaid relate_by(const RelateTask& task, const std::string& method, const Progress& progress);

/// The items of the target's collection that are known and have things of the target.
std::vector<std::int64_t> known_items(const RelateTask& task);

/// Learns our own space on the known items.
struct LearnedRelation {
  RelateChoice choice;
  RelateSpace space;
  std::vector<Matrix> positions;  ///< per kind
};
LearnedRelation learn_relation(const RelateTask& task, const Progress& progress);

}  // namespace commonplace

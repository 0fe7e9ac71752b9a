#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "commonplace/base/progress.h"
#include "commonplace/library/library.h"

namespace commonplace {

/// Why two tags may be one.
enum class Likeness {
  writing,   ///< alike but for blanks, hyphens and other signs
  plural,    ///< one is the plural of the other
  level,     ///< the same word, once below another tag and once without
  spelling,  ///< a letter or two apart
  use,       ///< given beside the same tags, and hardly ever together
};
constexpr std::array<std::pair<Likeness, const char*>, 5> words_of(Likeness) {
  return {{{Likeness::writing, "writing"},
           {Likeness::plural, "plural"},
           {Likeness::level, "level"},
           {Likeness::spelling, "spelling"},
           {Likeness::use, "use"}}};
}

/// Two tags that may be one.
struct MergeCandidate {
  std::string tag;   ///< the one of fewer items
  std::string into;  ///< the one that it would mean
  Likeness why = Likeness::writing;
  double score = 0;             ///< in [0, 1]: how sure, by rule and by use
  std::int64_t items = 0;       ///< of `tag`
  std::int64_t into_items = 0;  ///< of `into`
  std::int64_t together = 0;    ///< that have both
};
template <class Visit>
void visit_fields(const MergeCandidate& candidate, Visit&& visit) {
  visit("tag", candidate.tag, "the one of fewer items");
  visit("into", candidate.into, "the one that it would mean");
  visit("why", candidate.why, "why they may be one");
  visit("score", candidate.score, "how sure, 0 to 1");
  visit("items", candidate.items, "that have the first");
  visit("into_items", candidate.into_items, "that have the second");
  visit("together", candidate.together, "that have both");
}

/// The pairs of tags that may be one, surest first; those that were kept apart are left out.
/// O(uses + pairs of tags that share a rare neighbour).
std::vector<MergeCandidate> merge_candidates(const Library& library, const Progress& progress);

}  // namespace commonplace

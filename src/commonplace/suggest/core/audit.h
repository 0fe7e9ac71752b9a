#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/suggest/core/learn_suggester.h"

namespace commonplace::suggest {

/// How tags are looked through.
struct AuditOptions {
  std::int64_t folds = 5;        ///< each item is judged by a model that learned from the others
  std::int64_t candidates = 20;  ///< so many tags of an item that it has not are looked at
  std::uint64_t seed = 1;        ///< of the folds, and of what is drawn
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, AuditOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("folds", options.folds, "parts of the items, each judged by what the others teach");
  visit("candidates", options.candidates, "tags of an item that it has not, to look at");
}

/// A tag of an item, by what was learned from other items.
struct JudgedTag {
  std::int64_t item = 0;  ///< row of the targets
  std::int32_t tag = 0;
  bool given = false;     ///< the item has it
  double confidence = 0;  ///< that the item has it
  std::int64_t rank = 0;  ///< among all tags of the item, from 0
  double company = 0;     ///< how well it goes with the other tags of the item
  double doubt = 0;       ///< in [0, 1]: how much what is said of it, given or not, looks wrong
};

/// All tags that items have, and of those that they have not the likeliest.
struct Judgement {
  std::vector<JudgedTag> given;    ///< by item and tag
  std::vector<JudgedTag> missing;  ///< the same
  std::vector<double> usual;       ///< of each tag: mean confidence where it is given
  std::vector<double> elsewhere;   ///< and mean confidence where it is not
};

/// Judges every item by a suggester that learned from the items of other folds alone. That a tag is
/// missing is as likely as it is sure. The doubt of one that was given is
/// the chance, by a logistic regression on confidence, rank, what is usual of the tag and the
/// item's other tags, that the tag is one drawn at random rather than one that was given: it is
/// learned from tags drawn at random, so no list of faults is needed. O(folds) times learning.
Judgement judge_tags(const SuggesterData& data, const SuggesterOptions& how,
                     const AuditOptions& options, const Run& run);

}  // namespace commonplace::suggest

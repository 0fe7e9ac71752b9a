#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commonplace/library/library.h"

namespace commonplace {

enum class Verdict {
  rejected = -1,  ///< not this tag: it is hidden, never suggested again, and counts as a negative
  withdrawn = 0,  ///< as if nothing had been decided
  accepted = 1,   ///< this tag, as if the user had given it
};
constexpr std::array<std::pair<Verdict, const char*>, 3> words_of(Verdict) {
  return {{{Verdict::accepted, "accepted"},
           {Verdict::rejected, "rejected"},
           {Verdict::withdrawn, "withdrawn"}}};
}

struct Decision {
  std::string item;
  std::string tag;  ///< as written
  Verdict verdict = Verdict::accepted;
  std::string time;

  bool operator==(const Decision&) const = default;
};
template <class Visit>
void visit_fields(const Decision& decision, Visit&& visit) {
  visit("tag", decision.tag, "as written");
  visit("verdict", decision.verdict, "what was decided");
  visit("time", decision.time, "when");
}

/// A part of the log of decisions: what was stored at once, by its first and last number. Both are
/// 0 where nothing was.
struct DecisionRun {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t count = 0;
};
template <class Visit>
void visit_fields(const DecisionRun& run, Visit&& visit) {
  visit("stored", run.count, "how many decisions were stored");
  visit("first", run.first, "number of them");
  visit("last", run.last, "number of them");
}

/// The decisions of one collection.
struct CollectionDecisions {
  Collection collection;
  std::vector<Decision> decisions;
};

/// Adds to the log of decisions, all or none. Each item must be in its collection.
DecisionRun decide(Library& library, const std::vector<CollectionDecisions>& decisions);
void decide(Library& library, const Collection& collection, const std::vector<Decision>& decisions);

/// Takes a run back, all or none: what it decided and nobody changed since becomes what was in
/// force before it. That is a run too, so that it can be taken back in its turn. Items that have
/// gone since are left out.
DecisionRun undo(Library& library, DecisionRun run);

/// The decisions in force for a collection (its name suffices: they outlive it), oldest first.
std::vector<Decision> decisions_in_force(const Library& library, std::string_view collection);

/// The decisions after number `last` whose items are there, in the order of the items' rows.
std::vector<Decision> decisions_since(const Library& library, const Collection& collection,
                                      std::int64_t last);

/// Everything ever decided for one item, oldest first.
std::vector<Decision> decision_history(const Library& library, std::string_view collection,
                                       std::string_view item);

}  // namespace commonplace

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/library/tags/decisions.h"

namespace commonplace {

/// A decision as it was made: what was decided of which item, by whom and when, and the number that
/// it has in the library where it was made, by which it is told from all others.
struct LoggedDecision : Decision {
  std::int64_t number = 0;
  std::string collection;
  std::string who;      ///< empty: it was made before this was noted
  std::string library;  ///< the identity of the one where it was made

  bool operator==(const LoggedDecision&) const = default;
};
template <class Visit>
void visit_fields(const LoggedDecision& each, Visit&& visit) {
  visit("library", each.library, "where it was made, by its identity");
  visit("number", each.number, "of the decision there");
  visit("collection", each.collection, "of the item");
  visit("item", each.item, "that it is about");
  visit("tag", each.tag, "as written");
  visit("verdict", each.verdict, "what was decided");
  visit("who", each.who, "decided it");
  visit("time", each.time, "when");
}

/// The whole log, or that of one collection, in the order in which it came here.
std::vector<LoggedDecision> decision_log(const Library& library, std::string_view collection = {});

/// A log as lines of JSON, and back. Error, with the number of the line, for what is no decision.
std::string write_decision_log(const std::vector<LoggedDecision>& log);
std::vector<LoggedDecision> read_decision_log(std::string_view text);

/// What merging did.
struct MergedLog {
  std::int64_t read = 0;   ///< decisions in the log
  std::int64_t fresh = 0;  ///< that were not known
  std::int64_t known = 0;
};
template <class Visit>
void visit_fields(const MergedLog& merged, Visit&& visit) {
  visit("read", merged.read, "decisions in the log");
  visit("new", merged.fresh, "that were not known");
  visit("known", merged.known, "that were here already");
}

/// Adds the decisions of a log that are not known, all or none. Of each person the last word on an
/// item and a tag counts, a withdrawn one not at all; between persons the newest of their last
/// words, and of two of one second the rejection. So what is in force follows from the set of all
/// decisions, whichever way and however often logs are merged. Items need not be there. Error if a
/// decision is known with another content.
MergedLog merge_decisions(Library& library, const std::vector<LoggedDecision>& log);

/// What persons say differently of an item and a tag.
struct DecisionConflict {
  struct Word {
    std::string who;
    Verdict verdict = Verdict::accepted;
    std::string time;
  };
  std::string collection;
  std::string item;
  std::string tag;
  Verdict in_force = Verdict::accepted;
  std::vector<Word> said;  ///< the last word of each person, the newest first
};
template <class Visit>
void visit_fields(const DecisionConflict::Word& word, Visit&& visit) {
  visit("who", word.who, "says so");
  visit("verdict", word.verdict, "what");
  visit("time", word.time, "when");
}
template <class Visit>
void visit_fields(const DecisionConflict& conflict, Visit&& visit) {
  visit("collection", conflict.collection, "of the item");
  visit("item", conflict.item, "that it is about");
  visit("tag", conflict.tag, "that it is about");
  visit("in_force", conflict.in_force, "by the rule");
  visit("said", conflict.said, "the last word of each person, the newest first");
}
/// By collection, item and tag.
std::vector<DecisionConflict> decision_conflicts(const Library& library,
                                                 std::string_view collection = {});

}  // namespace commonplace

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/library/tags/lessons.h"

namespace commonplace::detect {

struct Options {
  std::int64_t limit = 50;
  bool uncertain = false;  ///< the items that it would help most to have labelled, instead
};

/// An item that shows a concept, more or less.
struct Detected {
  std::string id;
  double score = 0;        ///< the higher the more sure; 1 and -1 are what examples are taught as
  double confidence = -1;  ///< the chance that it shows it; -1 where that is not known
  int taught = 0;          ///< 1 or -1 if the user showed it as an example
};
enum class Taught { no, yes };
constexpr std::array<std::pair<Taught, const char*>, 2> words_of(Taught) {
  return {{{Taught::yes, "yes"}, {Taught::no, "no"}}};
}
template <class Visit>
void visit_scores(const Detected& detected, Visit&& visit) {
  visit("score", detected.score, "the higher the more sure");
  visit.where(detected.confidence >= 0, "confidence", detected.confidence,
              "the chance that it shows the concept");
  visit.where(detected.taught != 0, "taught", detected.taught > 0 ? Taught::yes : Taught::no,
              "it was shown as an example");
}
template <class Visit>
void visit_fields(const Detected& detected, Visit&& visit) {
  visit("id", detected.id, "of the item");
  visit_scores(detected, visit);
}

struct Answer {
  std::string name;            ///< of the concept
  std::string collection{};    ///< of the items
  std::int64_t shown = 0;      ///< examples that show it, from lessons
  std::int64_t not_shown = 0;  ///< and that do not
  bool learned = false;        ///< it was learned from tags or labels too
  std::int64_t items = 0;      ///< that were ranked
  double seconds = 0;          ///< from the lessons to the ranking
  std::vector<Detected> items_found;
};
template <class Visit>
void visit_head(const Answer& answer, Visit&& visit) {
  visit("concept", answer.name, "what was looked for");
  visit("collection", answer.collection, "of the items");
  visit("shown", answer.shown, "examples that show it");
  visit("not_shown", answer.not_shown, "examples that do not");
  visit("learned", answer.learned, "it was learned from tags or labels too");
  visit("items", answer.items, "that were ranked");
  visit("seconds", answer.seconds, "that it took");
}
template <class Visit>
void visit_fields(const Answer& answer, Visit&& visit) {
  visit_head(answer, visit);
  visit("results", answer.items_found, "best first");
}

/// Something that can be detected.
struct DetectableConcept {
  std::string name;
  std::int64_t shown = 0;  ///< lessons
  std::int64_t not_shown = 0;
  std::int64_t tagged = 0;  ///< items of the tag or label that it was learned from
};
template <class Visit>
void visit_fields(const DetectableConcept& each, Visit&& visit) {
  visit("concept", each.name, "its name");
  visit("shown", each.shown, "examples that show it");
  visit("not_shown", each.not_shown, "examples that do not");
  visit("tagged", each.tagged, "items of the tag or label that it was learned from");
}

/// A detect model opened for finding items: any number of concepts, each from the examples that
/// were taught of it, from the tags it was learned from, or from both. Not for several threads at
/// once.
class Answerer {
 public:
  /// `model` or `collection` may be empty where there is but one. Items that have come since the
  /// index was made are coded now, if their features are there.
  Answerer(const Library& library, const std::string& model, const std::string& collection,
           const Run& run);
  ~Answerer();
  Answerer(Answerer&&) noexcept;
  Answerer& operator=(Answerer&&) noexcept;

  const std::string& collection() const;
  std::vector<DetectableConcept> concepts() const;

  /// The items of the greatest scores, best first. Lessons are read from the library each time, so
  /// one that was taught a moment ago counts. The scores of what is returned are exact.
  /// O(k³ + items k / the speed of memory) for k coordinates. Error, listing what there is, for a
  /// concept that is neither taught nor learned.
  Answer ask(const std::string& concept_name, const Options& options = {}) const;
  /// The same with lessons that are not in the library.
  Answer ask(const std::string& concept_name, const std::vector<Lesson>& lessons,
             const Options& options = {}) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The name of the detect model that is meant; Error if that is not clear.
std::string model_for(const Library& library, const std::string& model,
                      const std::string& collection);

/// The collection that examples are of: the named one, that of the only detect model, or the only
/// one; Error if that is not clear.
std::string collection_to_teach(const Library& library, const std::string& collection);

}  // namespace commonplace::detect

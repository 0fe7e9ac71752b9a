#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commonplace/formats/item.h"
#include "commonplace/library/library.h"
#include "commonplace/relate/model.h"

namespace commonplace::relate {

/// What to start from: an item, a tag, a place, words, or several of them together.
struct Query {
  std::string item;
  std::string collection;  ///< of the item, the tag or the words; empty where that is clear
  std::string tag;
  std::optional<Place> at;
  std::string text;
  /// Names or parts of modalities, such as tags or photos/places; empty: all.
  std::vector<std::string> modalities;
  std::int64_t limit = 10;
  bool explain = false;
};

/// What the evidence of one modality adds to an answer.
struct Reason {
  std::string modality;
  double adds = 0;  ///< to `times`
};

struct RelatedNode {
  std::string name;             ///< an item's id, a tag, a label, "latitude,longitude"
  double score = 0;             ///< what it is ranked by
  double times = 0;             ///< as likely as chance would have it
  bool known = false;           ///< the item has it already
  std::vector<Reason> reasons;  ///< if asked for
  /// If asked for: items that have it and are nearest to what was asked.
  std::vector<std::string> examples;
};

struct RelatedNodes {
  std::string modality;
  std::vector<RelatedNode> nodes;
  std::string collection{};  ///< of the nodes, where the page wants to know
  bool items = false;        ///< the nodes are items of it
};
inline std::vector<std::pair<std::string, double>> added(const std::vector<Reason>& reasons) {
  std::vector<std::pair<std::string, double>> result;
  for (const Reason& each : reasons) result.emplace_back(each.modality, each.adds);
  return result;
}
template <class Visit>
void visit_fields(const RelatedNode& node, Visit&& visit) {
  visit("name", node.name, "an item, a tag, a label, or a place");
  visit("score", node.score, "what it is ranked by");
  visit("times", node.times, "as likely as chance would have it");
  visit.where(node.known, "known", node.known, "the item has it already");
  visit.where(!node.reasons.empty(), "reasons", added(node.reasons),
              "what each kind of evidence adds");
  visit.where(!node.examples.empty(), "examples", node.examples,
              "items that have it and are nearest to what was asked");
}
template <class Visit>
void visit_fields(const RelatedNodes& kind, Visit&& visit) {
  visit("kind", kind.modality, "such as photos/tags");
  visit.where(!kind.collection.empty(), "collection", kind.collection, "that they are of");
  visit.where(!kind.collection.empty(), "items", kind.items, "they are items of it");
  visit("things", kind.nodes, "best first");
}

struct GuessedPlace {
  Place place;
  double radius = 0;   ///< metres: half of such guesses were nearer
  bool tells = false;  ///< it says more than naming one place always; otherwise: cannot tell
};
template <class Visit>
void visit_fields(const GuessedPlace& guess, Visit&& visit) {
  visit_fields(guess.place, visit);
  visit("radius", guess.radius, "metres: half of such guesses were nearer");
}

struct Answer {
  std::vector<std::string> evidence;  ///< the modalities that say something of what was asked
  std::vector<RelatedNodes> modalities;
  std::optional<Place> known_place;   ///< of the item
  std::optional<GuessedPlace> guess;  ///< where an item without a place may be
  /// Metres to the nearest place that is known, if a place was given and none is near enough to say
  /// something of it.
  std::optional<double> nearest;
  double seconds = 0;
};
/// The guess, if it says anything.
inline std::optional<GuessedPlace> told(const std::optional<GuessedPlace>& guess) {
  return guess && guess->tells ? guess : std::nullopt;
}
template <class Visit>
void visit_fields(const Answer& answer, Visit&& visit) {
  visit("evidence", answer.evidence, "the kinds that say something of what was asked");
  visit("kinds", answer.modalities, "what belongs to it");
  visit("seconds", answer.seconds, "that it took");
  visit("place", answer.known_place, "where it was taken");
  visit("nearest", answer.nearest, "metres to the nearest place that is known, where none is near");
  visit.where(answer.guess.has_value(), "guess", told(answer.guess),
              "where it may have been taken; null: nothing tells");
}

/// Two tags that may mean the same.
struct SameTags {
  std::string modality;
  std::string first;
  std::string second;
  double alike = 0;  ///< cosine of their positions
  std::int64_t first_items = 0;
  std::int64_t second_items = 0;
  std::int64_t together = 0;  ///< items that have both
};
template <class Visit>
void visit_fields(const SameTags& pair, Visit&& visit) {
  visit("kind", pair.modality, "such as photos/tags");
  visit("first", pair.first, "a tag");
  visit("second", pair.second, "another that may mean the same");
  visit("alike", pair.alike, "how much, the cosine");
  visit("first_items", pair.first_items, "that have the first");
  visit("second_items", pair.second_items, "that have the second");
  visit("together", pair.together, "items that have both");
}

/// A relate model opened for questions.
class Answerer {
 public:
  /// `model` may be empty where there is but one.
  Answerer(const Library& library, const std::string& model, int jobs);
  ~Answerer();
  Answerer(Answerer&&) noexcept;
  Answerer& operator=(Answerer&&) noexcept;

  const Model& model() const;
  /// The nearest nodes of each modality. Items that came after the model was learned are placed by
  /// their features. A tag that was rejected for the item is never among them. O(nodes · dim).
  /// Error, saying what there is, for what is not known.
  Answer ask(const Query& query) const;
  /// The pairs of tags of a modality that lie closest, each of `min_items` items or more; those of
  /// more items first where they are as close.
  std::vector<SameTags> same_tags(std::int64_t limit, std::int64_t min_items = 3) const;
  /// A node's name as shown.
  std::string name_of(std::size_t modality, std::int64_t node) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// "40.71270,-74.00590", and what is written so; Error if it is not a place.
std::string to_string(const Place& place);
Place parse_place(const std::string& text);

/// The name of the relate model that is meant; Error if that is not clear.
std::string model_for(const Library& library, const std::string& model);

}  // namespace commonplace::relate

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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
};

struct GuessedPlace {
  Place place;
  double radius = 0;   ///< metres: half of such guesses were nearer
  bool tells = false;  ///< it says more than naming one place always; otherwise: cannot tell
};

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

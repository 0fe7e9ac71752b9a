#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/library.h"
#include "commonplace/suggest/evidence.h"
#include "commonplace/suggest/model.h"
#include "commonplace/suggest/update.h"

namespace commonplace::suggest {

struct Options {
  std::int64_t limit = 10;
  std::optional<double> threshold{};  ///< least confidence; none: the model's own
  std::string only{};                 ///< no tag but this one, of the model's; empty: all
  bool explain = false;
};

/// Why a tag was suggested.
struct Reasons {
  struct Word {
    std::string word;
    double weight = 0;  ///< by how much the confidence falls without it
  };
  struct Known {
    std::string id;       ///< an item that has the tag
    double likeness = 0;  ///< the cosine
  };
  std::vector<Word> words;   ///< those that carry most, at most five
  std::vector<Known> known;  ///< the nearest, at most three
  double from_tags = 0;      ///< parts of the score; this one with linear classifiers, if any
  double from_neighbours = 0;
  double from_category = 0;
  double from_name = 0;
};
template <class Visit>
void visit_fields(const Reasons::Word& word, Visit&& visit) {
  visit("word", word.word, "of the item");
  visit("weight", word.weight, "by how much the confidence falls without it");
}
template <class Visit>
void visit_fields(const Reasons::Known& known, Visit&& visit) {
  visit("id", known.id, "an item that has the tag");
  visit("likeness", known.likeness, "how like it is, the cosine");
}
template <class Visit>
void visit_fields(const Reasons& reasons, Visit&& visit) {
  visit("words", reasons.words, "that carry most");
  visit("items", reasons.known, "the most like it that have the tag");
  visit("from_tags", reasons.from_tags, "the part of the score that each tag has of its own");
  visit("from_neighbours", reasons.from_neighbours, "the part of items like it");
  visit("from_category", reasons.from_category, "the part of the kind of item");
  visit.where(reasons.from_name != 0, "from_name", reasons.from_name,
              "the part of how well the tag's name fits");
}

struct Suggestion {
  std::string tag;
  double confidence = 0;   ///< the share of such suggestions that are right
  double score = 0;        ///< what that comes from; it tells apart what is equally sure
  bool implied = false;    ///< it has the confidence of a tag below it
  bool explained = false;  ///< reasons were asked for
  Reasons reasons;
};
template <class Visit>
void visit_fields(const Suggestion& suggestion, Visit&& visit) {
  visit("tag", suggestion.tag, "that fits");
  visit("confidence", suggestion.confidence, "the share of such suggestions that are right");
  visit.where(suggestion.implied, "implied", suggestion.implied,
              "it has the confidence of a tag below it");
  visit.where(suggestion.explained, "reasons", suggestion.reasons, "why");
}

struct Answer {
  std::vector<Suggestion> suggestions;  ///< surest first; empty: nothing fits
  double familiarity = 0;  ///< in [0, 1]: how much the model has seen that is like this
  /// Why features that tags are told from could not be made of the thing; empty: they could.
  std::string unseen{};
};
template <class Visit>
void visit_fields(const Answer& answer, Visit&& visit) {
  visit("familiarity", answer.familiarity, "how much the model has seen that is like it, 0 to 1");
  visit("suggestions", answer.suggestions, "surest first");
  visit.where(!answer.unseen.empty(), "unseen", answer.unseen,
              "why features could not be made of it");
}

/// A model open for suggesting, brought up to date with the tags and decisions of its collection.
/// Several threads may ask at once; the library must outlive it.
class Answerer {
 public:
  /// `model` is the name of a suggest model; empty: the only one there is, or the one of
  /// `collection`. Error if that is not clear.
  Answerer(const Library& library, const std::string& model, const std::string& collection,
           const Run& run);
  ~Answerer();
  Answerer(Answerer&&) noexcept;

  /// For things that need not be in the library. A tag in the evidence is not suggested. Error for
  /// a thing that has nothing of what the model tells tags from.
  std::vector<Answer> ask(std::span<const EvidenceOf> things, const Options& options) const;
  /// For items of `collection` by their ids. Tags that an item has, or that were rejected for it,
  /// are not suggested. Error for an id that there is not.
  std::vector<Answer> ask(const std::string& collection, std::span<const std::string> ids,
                          const Options& options) const;
  /// For all items of `collection`, in the order of their rows, by blocks.
  void ask_all(
      const std::string& collection, const Options& options,
      const std::function<void(std::int64_t row, const std::string& id, Answer&& answer)>& visit,
      const Run& run) const;

  const std::string& name() const;
  const Model& model() const;
  /// Its own collection.
  const std::string& collection() const;
  /// What had come since the model was learned.
  const Update& update() const;
  /// Learns what has come since it was opened. Decisions take O(M² + M tags) each, whatever the
  /// size of the collection, but for copying what is known of its items.
  Update refresh();
  /// Stores the model as it now is. False, and nothing is stored, if it was learned anew or removed
  /// since it was opened.
  bool keep(Library& library);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The names of the suggest models, with their collections.
std::vector<std::pair<std::string, std::string>> models(const Library& library);

/// The suggest model of that name; if it is empty, the only one there is, or the one of
/// `collection`. Error if there is none, it is not clear which, or it is of another kind.
std::string model_for(const Library& library, const std::string& model,
                      const std::string& collection);

}  // namespace commonplace::suggest

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/comm/run.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/library.h"
#include "commonplace/search/core/query.h"
#include "commonplace/search/meaning_index.h"
#include "commonplace/search/ranker.h"

namespace commonplace::search {

struct Options {
  std::int64_t limit = 20;
  bool explain = false;
  bool whole_terms = false;  ///< a word borrows through tags that are the word, not that contain it
  bool words_only = false;   ///< rank by the words themselves, borrow nothing
};

/// In which order results stand; those without a time come last.
enum class Order { best, newest, oldest };

/// Why an item is there.
struct Reasons {
  struct Word {
    std::string word;
    bool in_tags = false;
    bool in_text = false;
  };
  struct Association {
    std::string from;   ///< a tag of the item
    std::string asked;  ///< the asked term that it speaks for
    double weight = 0;
    std::string collection;     ///< where most items have both
    std::int64_t together = 0;  ///< how many do there
  };
  struct Neighbour {
    std::string collection;
    std::string id;
    double weight = 0;
    std::vector<std::string> asked;  ///< the asked terms that it has
  };
  struct Topic {
    std::string name;                  ///< as `topics` calls it
    std::vector<std::string> members;  ///< collections that share it
    std::vector<std::string> terms;    ///< its foremost
    double weight = 0;
  };
  /// An item that means what was asked.
  struct Meaning {
    MeaningKind by = MeaningKind::texts;
    double fit = 0;  ///< in (0, 1]
    double weight = 0;
  };
  std::vector<Word> words;
  std::vector<Meaning> meanings;
  std::vector<std::string> seen;  ///< in its picture, the names of classes
  std::vector<Association> associations;
  std::vector<Neighbour> neighbours;
  std::vector<Topic> topics;
};
template <class Visit>
void visit_fields(const Reasons::Word& word, Visit&& visit) {
  visit("word", word.word, "a word that was asked for");
  visit("in_tags", word.in_tags, "it is among the tags");
  visit("in_text", word.in_text, "it is in the text");
}
template <class Visit>
void visit_fields(const Reasons::Meaning& meaning, Visit&& visit) {
  visit("by", meaning.by, "what means it");
  visit("fit", meaning.fit, "how well, above 0, at most 1");
  visit("weight", meaning.weight, "how much");
}
template <class Visit>
void visit_fields(const Reasons::Association& association, Visit&& visit) {
  visit("from", association.from, "a tag of the item");
  visit("asked", association.asked, "what was asked for and it speaks for");
  visit("weight", association.weight, "how much");
  visit("collection", association.collection, "where most items have both");
  visit("together", association.together, "how many do there");
}
template <class Visit>
void visit_fields(const Reasons::Neighbour& neighbour, Visit&& visit) {
  visit("collection", neighbour.collection, "of the item it borrows from");
  visit("id", neighbour.id, "that item");
  visit("weight", neighbour.weight, "how much");
  visit("asked", neighbour.asked, "what was asked for and that item has");
}
template <class Visit>
void visit_fields(const Reasons::Topic& topic, Visit&& visit) {
  visit("topic", topic.name, "its name");
  visit("collections", topic.members, "that share it");
  visit("terms", topic.terms, "its foremost");
  visit("weight", topic.weight, "how much");
}
template <class Visit>
void visit_fields(const Reasons& reasons, Visit&& visit) {
  visit("words", reasons.words, "of the item itself");
  visit("associations", reasons.associations, "tags that speak for what was asked");
  visit("neighbours", reasons.neighbours, "items like it that have what was asked");
  visit("topics", reasons.topics, "that it shares with what was asked");
  visit.where(!reasons.meanings.empty(), "meanings", reasons.meanings,
              "ways in which it means what was asked, without a word in common");
  visit.where(!reasons.seen.empty(), "seen", reasons.seen,
              "classes that an encoder sees in its picture");
}

struct Hit {
  std::string collection;
  std::string id;
  std::string title;
  bool image = false;   ///< it has a picture
  std::string picture;  ///< where, as the item has it
  std::vector<std::string> tags;
  std::string text;
  std::string time;
  std::string metadata;
  double score = 0;
  double own = 0;          ///< the part of the score that its own words have
  double borrowed = 0;     ///< and the part that was borrowed
  double meant = 0;        ///< and what its text or picture means
  bool explained = false;  ///< reasons were asked for
  Reasons reasons;
};
template <class Visit>
void visit_scores(const Hit& hit, Visit&& visit) {
  visit("score", hit.score, "what it is ranked by");
  visit("own", hit.own, "the part that its own words have");
  visit("borrowed", hit.borrowed, "the part that was borrowed");
  visit.where(hit.meant > 0, "meant", hit.meant,
              "what its text or picture adds by meaning what was asked");
  visit.where(hit.explained, "why", hit.reasons, "why it is there");
}
template <class Visit>
void visit_fields(const Hit& hit, Visit&& visit) {
  visit("collection", hit.collection, "that it is of");
  visit("id", hit.id, "its name there");
  visit("title", hit.title, "for people");
  visit("image", hit.image, "it has a picture");
  visit("tags", hit.tags, "that people gave it");
  visit_scores(hit, visit);
}

struct Answer {
  std::vector<Hit> hits;
  std::vector<std::string> unknown;  ///< words of the query that are nowhere
  std::string problem;               ///< why meanings could not be asked for; empty if they could
};
template <class Visit>
void visit_fields(const Answer& answer, Visit&& visit) {
  visit("unknown", answer.unknown, "words of the query that are nowhere");
  visit("hits", answer.hits, "best first");
  visit.where(!answer.problem.empty(), "problem", answer.problem,
              "why meanings could not be asked for");
}

/// What was found in one place, best first, before the items themselves are read.
struct Ranking {
  Ask ask;
  std::vector<RankedItem> items;
  std::int64_t found = 0;  ///< how many items were, more than `items` if these were limited
  std::string asked;       ///< the words, for what they mean
  std::shared_ptr<const MeaningSearcher::Found> meant;  ///< null where meanings were not asked for
};

/// A collection open for searching, by a model or by words alone. Several threads may search at
/// once; the library must outlive it.
class Answerer {
 public:
  /// `model` is the name of a search model, or empty for words alone. Makes the index if the stored
  /// one is out of date, so that items added since are found without learning again.
  Answerer(const Library& library, const std::string& collection, const std::string& model,
           const Run& run);
  ~Answerer();
  Answerer(Answerer&&) noexcept;

  /// By an empty query everything is found, in the order of the rows.
  Ranking rank(const Query& query, const Options& options) const;
  /// Items like this one, by its own words and tags; it may be of any collection.
  Ranking rank_like(const std::string& item_collection, const std::string& id,
                    const Options& options) const;
  /// Items whose pictures look like this one, given by the bytes of its file: by the features that
  /// an encoder, or else descriptors, made of the collection's pictures. Nothing where it has none.
  Ranking rank_like_picture(std::string_view bytes, const std::string& called,
                            const Options& options) const;
  /// The item as it is shown; nothing if it has gone since the ranking was made.
  std::optional<Hit> read(const Ranking& ranking, const RankedItem& item, ItemReader& reader,
                          const Options& options) const;
  ItemReader reader() const;
  /// Seconds since 1970; nothing for an item without a time.
  std::optional<std::int64_t> time_of(std::int64_t row) const;

  /// Ranks, and reads all that was ranked.
  Answer ask(const Query& query, const Options& options) const;
  Answer like(const std::string& item_collection, const std::string& id,
              const Options& options) const;

  const std::string& collection() const;
  const std::string& model() const;  ///< empty: words alone
  /// Whether its index had to be made, so that `keep_index` is worth while.
  bool index_is_new() const;
  void keep_index(Library& library) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The collections and models that a search without further words means: every search model with
/// its target; collections without one by words alone. Names narrow it; Error if one is unknown.
struct SearchPlace {
  std::string collection;
  std::string model;
};
std::vector<SearchPlace> search_places(const Library& library,
                                       const std::vector<std::string>& collections,
                                       const std::vector<std::string>& models);

/// The rankings of several places as one, best first, of which pages can be read. An item that two
/// models of its collection find stands once, with its better score.
class Results {
 public:
  using Searchers = std::vector<std::shared_ptr<const Answerer>>;
  /// A ranking for each searcher, each limited to `limit` items or more; so many best of all are
  /// kept.
  Results(Searchers searchers, std::vector<Ranking> rankings, std::int64_t limit,
          Order order = Order::best);

  const Searchers& searchers() const { return searchers_; }
  /// How many items were found. Where models of one collection overlap only what is kept counts.
  std::int64_t total() const { return total_; }
  /// Words of the query that no place knows.
  const std::vector<std::string>& unknown() const { return unknown_; }
  /// Why meanings could not be asked for somewhere; empty if they could.
  const std::string& problem() const { return problem_; }
  std::vector<Hit> page(std::int64_t offset, std::int64_t limit, const Options& options) const;
  /// Calls `visit` for all that is kept, in order.
  void visit(const std::function<void(const Answerer&, std::int64_t row)>& visit) const;

 private:
  void put_in_order(Order order);
  struct Entry {
    std::size_t place;
    RankedItem item;
  };
  Searchers searchers_;
  std::vector<Ranking> rankings_;  ///< their items are in entries_
  std::vector<Entry> entries_;
  std::int64_t total_ = 0;
  std::vector<std::string> unknown_;
  std::string problem_;
};

/// Whether two of the places search the same collection.
bool overlap(const std::vector<SearchPlace>& places);

}  // namespace commonplace::search

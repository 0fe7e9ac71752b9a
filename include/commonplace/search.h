#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/library.h"

/// Which items are about these words, although their own tags are poor?
namespace commonplace::api::search {

struct LearnOptions {
  std::vector<std::string> auxiliaries{};  ///< collections to borrow from, if that helps
  std::string name{};                      ///< of the model; empty: search.TARGET
  Settings settings{};
};

struct Report {
  std::string model;
  std::string target;
  std::int64_t items = 0;
  std::int64_t terms = 0;
  int shared = 0;            ///< topics in common with the auxiliaries
  std::int64_t asked = 0;    ///< hidden tags that were asked for; 0: too few tags to test on
  double map_words = 0;      ///< mean average precision of own words alone
  double map_alone = 0;      ///< learned from the target alone
  double map_borrowing = 0;  ///< learned with the auxiliaries
  bool converged = false;
  std::string json;  ///< all of it
};

/// Learns to search a collection and stores the model; all or nothing.
COMMONPLACE_API Report learn(Library& library, const std::string& target,
                             const LearnOptions& options = {}, const Run& run = {});
/// What LearnOptions::settings may name.
COMMONPLACE_API std::vector<Setting> settings();

/// Brings the stored index of a model up to date with its collection, and says whether it had to.
/// A Searcher does so in memory by itself.
COMMONPLACE_API bool update(Library& library, const std::string& model, const Run& run = {});

/// Where to search; empty: everywhere, by every model, and by words alone where there is none.
struct Places {
  std::vector<std::string> collections{};
  std::vector<std::string> models{};
};

struct Options {
  std::int64_t limit = 20;
  bool explain = false;
  bool whole_terms = false;  ///< a word borrows through tags that are the word, not that contain it
  bool words_only = false;   ///< rank by the words themselves, borrow nothing
};

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
    std::string name;
    std::vector<std::string> members;  ///< collections that share it
    std::vector<std::string> terms;    ///< its foremost
    double weight = 0;
  };
  std::vector<Word> words;
  std::vector<Association> associations;
  std::vector<Neighbour> neighbours;
  std::vector<Topic> topics;
};

struct Hit {
  std::string collection;
  std::string id;
  std::string title;
  std::vector<std::string> tags;
  double score = 0;
  double own = 0;       ///< the part of the score that its own words have
  double borrowed = 0;  ///< and the part that was borrowed
  Reasons reasons;      ///< if asked for
};

struct Answer {
  std::vector<Hit> hits;             ///< best first
  std::int64_t total = 0;            ///< items that were found
  std::vector<std::string> unknown;  ///< words of the query that are nowhere
};

/// Collections open for searching. Several threads may ask at once; the library must outlive it.
class COMMONPLACE_API Searcher {
 public:
  explicit Searcher(const Library& library, const Places& places = {}, const Run& run = {});
  ~Searcher();
  Searcher(Searcher&&) noexcept;
  Searcher& operator=(Searcher&&) noexcept;

  /// Words rank; #tag, before:1950, after:1904-05, "a phrase", and words joined by and, or, not, -
  /// or in parentheses are demanded. Error, with the place, for a query that makes no sense.
  Answer ask(std::string_view query, const Options& options = {}) const;
  /// Items like this one.
  Answer like(const std::string& collection, const std::string& id,
              const Options& options = {}) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace commonplace::api::search

#ifndef COMMONPLACE_INSIDE
namespace commonplace {
namespace search = api::search;
}
#endif

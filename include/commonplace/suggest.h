#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/library.h"

/// Which tags fit this item, and how sure?
namespace commonplace::api::suggest {

struct LearnOptions {
  std::string name{};  ///< of the model; empty: suggest.COLLECTION
  Settings settings{};
};

struct Report {
  std::string model;
  std::string collection;
  std::string features;  ///< what tags are told from, by commas
  std::int64_t items = 0;
  std::int64_t tags = 0;
  std::int64_t prototypes = 0;
  double threshold = 0;  ///< least confidence of what is suggested, unless asked otherwise
  double seconds = 0;
  std::string json;  ///< all of it
};

/// Learns to suggest the tags of a collection and stores the model; all or nothing.
COMMONPLACE_API Report learn(Library& library, const std::string& collection,
                             const LearnOptions& options = {}, const Run& run = {});
/// What LearnOptions::settings may name.
COMMONPLACE_API std::vector<Setting> settings();

/// What bringing a model up to date has changed.
struct Update {
  std::int64_t new_items = 0;      ///< tagged since, learned now
  std::int64_t changed_items = 0;  ///< whose tags or rejections have changed
  std::int64_t new_tags = 0;
  double seconds = 0;
};
/// Teaches the stored model the tags and decisions that have come since it was learned.
COMMONPLACE_API Update update(Library& library, const std::string& model, const Run& run = {});

/// What is known of something that need not be in the library.
struct Thing {
  std::string text{};
  std::vector<std::string> tags{};                      ///< that it has already
  std::map<std::string, std::vector<float>> vectors{};  ///< dense features by name
};

struct Options {
  std::int64_t limit = 10;
  std::optional<double> threshold{};  ///< least confidence; none: the model's own
  std::string only{};                 ///< no tag but this one; empty: all
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
  std::vector<Word> words;
  std::vector<Known> known;
  double from_tags = 0;  ///< parts of the score
  double from_neighbours = 0;
  double from_category = 0;
};

struct Suggestion {
  std::string tag;
  double confidence = 0;  ///< the share of such suggestions that are right
  bool implied = false;   ///< it has the confidence of a tag below it
  Reasons reasons;        ///< if asked for
};

struct Answer {
  std::vector<Suggestion> suggestions;  ///< surest first; empty: nothing fits
  double familiarity = 0;  ///< in [0, 1]: how much the model has seen that is like this
};

/// A model open for suggesting, brought up to date with its collection. Several threads may ask at
/// once; the library must outlive it.
class COMMONPLACE_API Suggester {
 public:
  /// `model` may be empty where there is but one, or but one of `collection`.
  explicit Suggester(const Library& library, const std::string& model = {},
                     const std::string& collection = {}, const Run& run = {});
  ~Suggester();
  Suggester(Suggester&&) noexcept;
  Suggester& operator=(Suggester&&) noexcept;

  Answer ask(std::string_view text, const Options& options = {}) const;
  std::vector<Answer> ask(std::span<const Thing> things, const Options& options = {}) const;
  /// Of items by their ids; of the model's own collection unless another is named. Tags that an
  /// item has, or that were rejected for it, are not suggested.
  std::vector<Answer> ask_items(std::span<const std::string> ids, const Options& options = {},
                                const std::string& collection = {}) const;

  const std::string& model() const;
  const std::string& collection() const;
  /// Learns what has come since it was opened, in memory. Nobody may ask meanwhile.
  Update refresh();
  /// Stores the model as it now is; false, and nothing is stored, if it was learned anew since.
  bool keep(Library& library);

  struct Parts;  ///< known to the library's own sources alone
  const Parts& parts() const { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

struct ApplyOptions {
  double above = 0.9;               ///< least confidence
  std::int64_t limit_per_item = 5;  ///< the surest
  bool dry_run = false;             ///< find out and write nothing
};

struct Applied {
  std::int64_t items = 0;         ///< that were looked at
  std::int64_t tagged_items = 0;  ///< that got a tag
  std::int64_t tags = 0;          ///< that they got
  std::int64_t before = 0;        ///< tags that this model had given before, now replaced
};

/// Writes what the model is sure of as machine tags, in place of what it said before. What humans
/// say is not touched.
COMMONPLACE_API Applied apply(Library& library, const Suggester& suggester,
                              const std::string& collection, const ApplyOptions& options = {},
                              const Run& run = {});

}  // namespace commonplace::api::suggest

#ifndef COMMONPLACE_INSIDE
namespace commonplace {
namespace suggest = api::suggest;
}
#endif

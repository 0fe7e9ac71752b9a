#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/library.h"

/// Which items show this concept, from a few examples, over millions?
namespace commonplace::api::detect {

struct LearnOptions {
  std::string name{};  ///< of the model; empty: detect.COLLECTION
  Settings settings{};
};

struct Report {
  std::string model;
  std::string collection;
  std::vector<std::string> features;
  std::int64_t items = 0;
  std::int64_t labelled = 0;
  std::int64_t concepts = 0;  ///< learned from tags or labels
  std::string representation;
  std::int64_t columns = 0;  ///< coordinates an item
  double seconds = 0;
  std::string json;  ///< all of it
};

/// Learns coordinates from the dense features of a collection (store_features, make_features), and
/// the concepts that its tags name, and stores the model; all or nothing.
COMMONPLACE_API Report learn(Library& library, const std::string& collection,
                             const LearnOptions& options = {}, const Run& run = {});
/// What LearnOptions::settings may name.
COMMONPLACE_API std::vector<Setting> settings();

struct Update {
  std::int64_t new_items = 0;         ///< put into the index
  std::int64_t changed_items = 0;     ///< whose tags or labels say something else now
  std::int64_t statistics_items = 0;  ///< added to the statistics of the eigenfunctions
  bool refreshed = false;             ///< eigenfunctions, concepts and index are of all items now
  double seconds = 0;
};
/// Brings a stored model up to date with labels that have changed and items that have come.
COMMONPLACE_API Update update(Library& library, const std::string& model, const Run& run = {});

/// An example of a concept.
struct Lesson {
  std::string item;
  int shows = 1;  ///< 1 the item shows the concept, -1 it does not, 0 takes an earlier lesson back
};
/// Adds to the log of lessons, all or none. They change no item's tags, and count at once.
COMMONPLACE_API void teach(Library& library, const std::string& collection,
                           std::string_view concept_name, std::span<const Lesson> lessons);
/// The lessons in force of a concept, oldest first.
COMMONPLACE_API std::vector<Lesson> lessons(const Library& library, std::string_view collection,
                                            std::string_view concept_name);

struct Options {
  std::int64_t limit = 50;
  bool uncertain = false;  ///< the items that it would help most to have labelled, instead
};

/// An item that shows a concept, more or less.
struct Found {
  std::string id;
  double score = 0;        ///< the higher the more sure; 1 and -1 are what examples are taught as
  double confidence = -1;  ///< the chance that it shows it; -1 where that is not known
  int taught = 0;          ///< 1 or -1 if the user showed it as an example
};

struct Answer {
  std::string name;            ///< of the concept
  std::int64_t shown = 0;      ///< examples that show it, from lessons
  std::int64_t not_shown = 0;  ///< and that do not
  bool learned = false;        ///< it was learned from tags or labels too
  std::int64_t items = 0;      ///< that were ranked
  double seconds = 0;
  std::vector<Found> found;  ///< best first
};

/// Something that can be detected.
struct Concept {
  std::string name;
  std::int64_t shown = 0;  ///< lessons
  std::int64_t not_shown = 0;
  std::int64_t tagged = 0;  ///< items of the tag or label that it was learned from
};

/// A model open for finding items. For one thread at a time; the library must outlive it.
class COMMONPLACE_API Detector {
 public:
  /// `model` or `collection` may be empty where there is but one.
  explicit Detector(const Library& library, const std::string& model = {},
                    const std::string& collection = {}, const Run& run = {});
  ~Detector();
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;

  /// By the lessons in the library, as they are now.
  Answer ask(const std::string& concept_name, const Options& options = {}) const;
  /// By lessons that are not in the library.
  Answer ask(const std::string& concept_name, std::span<const Lesson> lessons,
             const Options& options = {}) const;
  std::vector<Concept> concepts() const;
  const std::string& collection() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace commonplace::api::detect

#ifndef COMMONPLACE_INSIDE
namespace commonplace {
namespace detect = api::detect;
}
#endif

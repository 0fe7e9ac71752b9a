#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/library.h"

/// What belongs together across photos, tags, text and places?
namespace commonplace::api::relate {

/// Reads CSV `a,b,weight` with ids of items of `from` and `to`; weights in [-1, 1]. Returns how
/// many links are new or changed. All or nothing.
COMMONPLACE_API std::int64_t add_links(Library& library, const std::string& from,
                                       const std::string& to, const std::filesystem::path& file,
                                       const Run& run = {});

struct LearnOptions {
  std::string name{};  ///< of the model; empty: relate
  Settings settings{};
};

struct Report {
  struct Kind {
    std::string name;
    std::int64_t things = 0;
    double quality = 0;  ///< nDCG of these for items held out; 0 where it was not tried
  };
  std::string model;
  std::vector<Kind> kinds;
  std::int64_t links = 0;  ///< pairs that guidance says something of
  std::int64_t dim = 0;
  bool converged = false;
  double quality = 0;  ///< nDCG of what was asked for, of items held out; 0: too few to try
  double seconds = 0;
  std::string json;  ///< all of it
};

/// Learns one space for all that the settings name and stores the model; all or nothing.
COMMONPLACE_API Report learn(Library& library, const LearnOptions& options = {},
                             const Run& run = {});
/// What LearnOptions::settings may name.
COMMONPLACE_API std::vector<Setting> settings();
/// Brings a stored model up to date with new items, tags, decisions and links.
COMMONPLACE_API Report update(Library& library, const std::string& model, const Run& run = {});

/// What to start from: an item, a tag, a place, words, or several of them together.
struct Query {
  std::string item{};
  std::string collection{};  ///< of the item, the tag or the words; empty where that is clear
  std::string tag{};
  std::optional<Place> at{};
  std::string text{};
  std::vector<std::string> kinds{};  ///< such as tags or photos/places; empty: all
  std::int64_t limit = 10;
  bool explain = false;
};

struct Reason {
  std::string kind;
  double adds = 0;  ///< to `times`
};

struct Related {
  std::string name;                   ///< an item's id, a tag, a label, "latitude,longitude"
  double score = 0;                   ///< what it is ranked by
  double times = 0;                   ///< as likely as chance would have it
  bool known = false;                 ///< the item has it already
  std::vector<Reason> reasons;        ///< if asked for
  std::vector<std::string> examples;  ///< if asked for: the nearest items that have it
};

struct KindAnswer {
  std::string kind;
  std::vector<Related> related;  ///< best first
};

struct GuessedPlace {
  Place place;
  double radius = 0;   ///< metres: half of such guesses were nearer
  bool tells = false;  ///< it says more than naming one place always; otherwise: cannot tell
};

struct Answer {
  std::vector<std::string> evidence;  ///< the kinds that say something of what was asked
  std::vector<KindAnswer> kinds;
  std::optional<Place> known_place;   ///< of the item
  std::optional<GuessedPlace> guess;  ///< where an item without a place may be
  double seconds = 0;
};

/// Two tags that may mean the same.
struct SameTags {
  std::string kind;
  std::string first;
  std::string second;
  double alike = 0;  ///< cosine of their positions
  std::int64_t first_items = 0;
  std::int64_t second_items = 0;
  std::int64_t together = 0;  ///< items that have both
};

/// A model open for questions. For one thread at a time; the library must outlive it.
class COMMONPLACE_API Relater {
 public:
  /// `model` may be empty where there is but one.
  explicit Relater(const Library& library, const std::string& model = {}, const Run& run = {});
  ~Relater();
  Relater(Relater&&) noexcept;
  Relater& operator=(Relater&&) noexcept;

  Answer ask(const Query& query) const;
  /// The pairs of tags that lie closest, each of `min_items` items or more.
  std::vector<SameTags> same_tags(std::int64_t limit, std::int64_t min_items = 3) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace commonplace::api::relate

#ifndef COMMONPLACE_INSIDE
namespace commonplace {
namespace relate = api::relate;
}
#endif

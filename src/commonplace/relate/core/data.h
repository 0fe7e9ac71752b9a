#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/features/tfidf.h"
#include "commonplace/formats/item.h"
#include "commonplace/io/npy.h"
#include "commonplace/learn/feature_rows.h"

namespace commonplace {

/// What the things of a kind are: the items of a collection by their stored features, or by their
/// words; or the tags, the places or the values of a label that its items have.
enum class ThingsOf { items, text, tags, places, label };

struct KindName {
  std::string collection;
  ThingsOf of = ThingsOf::items;
  std::string field;  ///< of a label; of items: the stored features, where several are related

  /// "photos", "photos:sift", "photos/text", "photos/tags", "photos/places", "photos/label:FIELD".
  std::string full() const;
  /// The last part: "photos", "photos:sift", "text", "tags", "places", "label:FIELD".
  std::string part() const;

  bool operator==(const KindName&) const = default;
};

/// How the kinds are chosen and made.
struct RelateReadOptions {
  /// By commas. "tags", "places" and "text" alone mean those of every collection named; a single
  /// collection alone brings all that it has.
  std::string collections;
  std::string kernel;         ///< by commas: KIND=KERNEL[:FEATURES][:WIDTH]
  std::string weights;        ///< by commas: KIND=WEIGHT of its guidance; also links=WEIGHT
  std::int64_t min_uses = 2;  ///< of a tag or label
};

template <class Options, class Visit>
requires std::is_same_v<std::remove_const_t<Options>, RelateReadOptions>
void visit_options(Options& options, Visit&& visit) {
  visit("collections", options.collections,
        "what to relate: NAME, NAME:FEATURES, NAME/tags, NAME/places, NAME/text, NAME/label:FIELD");
  visit("kernel", options.kernel,
        "KIND=KERNEL[:FEATURES][:WIDTH] by commas; identity, linear, rbf, laplace or cosine");
  visit("weights", options.weights, "KIND=WEIGHT of its guidance, by commas; also links=WEIGHT");
  visit("min", options.min_uses, "items that must have a tag or label for it to be related");
}

/// One kind of things, with the features that each has.
struct RelateKind {
  KindName what;
  std::string features;  ///< of items: the name of the stored features; empty: none
  std::string kernel;    ///< that was asked for, or empty
  double width = 0;      ///< that was asked for, or 0
  double weight = 1;     ///< of its guidance
  std::int64_t things = 0;
  std::vector<std::string> names;  ///< of tags and labels
  std::vector<Place> places;       ///< of places
  TfidfModel text;                 ///< of text: what made the rows
  /// Items of the collection x things: 1 where an item has it, -1 where that was rejected.
  Sparse has;

  /// Things without features of their own are told apart by their names alone.
  bool identity() const { return mapped_rows == 0 && rows.view().rows() == 0; }
  FeatureRows view() const;

  StoredRows rows;   ///< of text and places
  NpyMatrix mapped;  ///< of items
  std::int64_t mapped_rows = 0;
};

/// Links that somebody gave between two kinds, or within one.
struct GivenLinks {
  std::size_t from = 0;
  std::size_t to = 0;
  Sparse links;  ///< things x things
  double weight = 1;
};

struct RelateData {
  std::vector<RelateKind> kinds;
  std::vector<GivenLinks> given;

  /// The number of items of a kind's collection.
  std::int64_t items_of(std::size_t kind) const { return kinds[kind].has.rows(); }
};

/// A part of the data: the named items of each kind's collection, and the things that they have.
RelateData take_items(const RelateData& data, const std::vector<std::vector<std::int64_t>>& rows);

/// "KIND=VALUE,..." for a kind: by its full name, else by its part; empty if there is none. A list
/// without '=' is a value for all.
std::string setting_for(const std::string& list, const KindName& kind);
/// Error, naming the kinds there are, if a name in the list is none of them (or of `others`).
void check_settings(const std::string& list, std::string_view flag,
                    const std::vector<KindName>& kinds,
                    const std::vector<std::string>& others = {});

/// What a kernel may be called, and the name it goes by: rbf is gaussian. Error for another.
std::string kernel_name(const std::string& written);

/// Coordinates that a place is compared by, a row of three.
Matrix place_rows(const std::vector<Place>& places);

}  // namespace commonplace

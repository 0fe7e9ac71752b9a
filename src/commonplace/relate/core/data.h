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

namespace commonplace::relate {

/// What the nodes of a modality are: the items of a collection by their stored features, or by
/// their words; or the tags, the places or the values of a label that its items have.
enum class NodeType { items, text, tags, places, label };

struct Modality {
  std::string collection;
  NodeType of = NodeType::items;
  std::string field;  ///< of a label; of items: the stored features, where several are related

  /// "photos", "photos:sift", "photos/text", "photos/tags", "photos/places", "photos/label:FIELD".
  std::string full() const;
  /// The last part: "photos", "photos:sift", "text", "tags", "places", "label:FIELD".
  std::string part() const;

  bool operator==(const Modality&) const = default;
};

/// How the modalities are chosen and made.
struct ReadOptions {
  /// By commas. "tags", "places" and "text" alone mean those of every collection named; a single
  /// collection alone brings all that it has.
  std::string collections;
  std::string kernel;         ///< by commas: KIND=KERNEL[:FEATURES][:WIDTH]
  std::string weights;        ///< by commas: KIND=WEIGHT of its guidance; also links=WEIGHT
  std::int64_t min_uses = 2;  ///< of a tag or label
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, ReadOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("collections", options.collections,
        "what to relate: NAME, NAME:FEATURES, NAME/tags, NAME/places, NAME/text, NAME/label:FIELD");
  visit("kernel", options.kernel,
        "KIND=KERNEL[:FEATURES][:WIDTH] by commas; identity, linear, rbf, laplace or cosine");
  visit("weights", options.weights, "KIND=WEIGHT of its guidance, by commas; also links=WEIGHT");
  visit("min_uses|min", options.min_uses,
        "items that must have a tag or label for it to be related");
}

/// One modality of nodes, with the features that each has.
struct ModalityRows {
  Modality what;
  std::string features;  ///< of items: the name of the stored features; empty: none
  std::string kernel;    ///< that was asked for, or empty
  double width = 0;      ///< that was asked for, or 0
  double weight = 1;     ///< of its guidance
  std::int64_t nodes = 0;
  std::vector<std::string> names;  ///< of tags and labels
  std::vector<Place> places;       ///< of places
  TfidfModel text;                 ///< of text: what made the rows
  /// Items of the collection x nodes: 1 where an item has it, -1 where that was rejected.
  Sparse has;

  /// Nodes without features of their own are told apart by their names alone.
  bool identity() const { return mapped_rows == 0 && rows.view().rows() == 0; }
  FeatureRows view() const;

  StoredRows rows;   ///< of text and places
  NpyMatrix mapped;  ///< of items
  std::int64_t mapped_rows = 0;
};

/// Links that somebody gave between two modalities, or within one.
struct GivenLinks {
  std::size_t from = 0;
  std::size_t to = 0;
  Sparse links;  ///< nodes x nodes
  double weight = 1;
};

struct Data {
  std::vector<ModalityRows> modalities;
  std::vector<GivenLinks> given;

  /// The number of items of a modality's collection.
  std::int64_t items_of(std::size_t modality) const { return modalities[modality].has.rows(); }
};

/// A part of the data: the named items of each modality's collection, and the nodes that they have.
Data take_items(const Data& data, const std::vector<std::vector<std::int64_t>>& rows);

/// "KIND=VALUE,..." for a modality: by its full name, else by its part; empty if there is none. A
/// list without '=' is a value for all.
std::string setting_for(const std::string& list, const Modality& modality);
/// Error, naming the modalities there are, if a name in the list is none of them (or of `others`).
void check_settings(const std::string& list, std::string_view flag,
                    const std::vector<Modality>& modalities,
                    const std::vector<std::string>& others = {});

/// What a kernel may be called, and the name it is kept under. Error for another.
std::string kernel_name(const std::string& written);

/// Coordinates that a place is compared by, a row of three.
Matrix place_rows(const std::vector<Place>& places);

}  // namespace commonplace::relate

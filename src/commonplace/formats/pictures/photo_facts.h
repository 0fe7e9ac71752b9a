#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/formats/item.h"

namespace commonplace {

/// What one source (a packet of XMP, a block of EXIF or IPTC, PNG's texts) says of a picture. Texts
/// are as they were written, apart from being UTF-8.
struct PhotoFacts {
  std::vector<std::string> paths;     ///< hierarchical tags, levels separated by '/'
  std::vector<std::string> keywords;  ///< plain tags
  std::vector<ItemTag> machine;  ///< tags that are marked as a machine's; in neither list above
  std::string title;
  std::string headline;  ///< stands in for a missing title
  std::string description;
  std::string comment;  ///< stands in for a missing description
  std::string taken;    ///< when the picture was taken; the next two stand in for it
  std::string created;
  std::string digitised;
  std::string creator;
  std::string rights;
  std::string license;
  std::string make;
  std::string model;
  std::optional<Place> place;
  std::optional<int> rating;
  std::optional<int> orientation;  ///< 1 .. 8, as in EXIF
  std::optional<int> width;
  std::optional<int> height;
};

/// Adds to `facts` what `other`, a source of less weight, knows besides: tags of both are kept, of
/// anything else the first.
void merge(PhotoFacts& facts, PhotoFacts&& other);

/// Adds the parts of `text` between any of `separators` as keywords, up to 10,000 in all.
void add_keywords(PhotoFacts& facts, std::string_view text, std::string_view separators);

/// The item that the facts make. Tags are named by `tag_name`; paths come first, and a plain
/// keyword that is a level of one of them is not repeated. A machine's tags come last, one that a
/// person gave too a second time.
Item item_of(const PhotoFacts& facts);

/// A place from XMP's forms: "51,30.12N", "51,30,7.2S", "-0.127"; `reference` is N, S, E, W or
/// empty. Nothing if it cannot be understood or lies off the globe.
std::optional<Place> parse_place(std::string_view latitude, std::string_view latitude_reference,
                                 std::string_view longitude, std::string_view longitude_reference);

}  // namespace commonplace

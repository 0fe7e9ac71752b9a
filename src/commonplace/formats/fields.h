#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commonplace/formats/import.h"
#include "commonplace/formats/json_text.h"

namespace commonplace {

/// The fields of ours that a source can fill.
enum class Field { id, title, text, tags, image, latitude, longitude, time, labels, metadata };

/// Which fields of ours each field of a source goes to. A field that the map names is filled from
/// where the map says, and from nowhere else; the others go by their usual names, in any case:
/// id, title, text, tags (subjects, keywords), image, lat (latitude), lon (longitude), time (date),
/// labels (label), metadata.
class FieldNames {
 public:
  explicit FieldNames(const FieldMap& map);

  struct Target {
    std::string name;      ///< the source's name
    bool any_case = true;  ///< a usual name rather than one of the map
    Field field = Field::id;
    bool matches(std::string_view written) const;
  };
  const std::vector<Target>& targets() const { return targets_; }

 private:
  std::vector<Target> targets_;
};

/// The item that the members of `object` describe.
///  - A field that is null counts as absent, and so does an empty string where a value is needed.
///  - Several fields into title or text are joined by newlines in the order of the map; so are the
///    strings of an array.
///  - Tags and labels are as in `tags_of` and `add_labels`; tags that say more than a tag keeps
///    are metadata too, whole.
///  - Of several fields for one value the first counts.
///  - Whatever fills no field of ours, and a time that is not understood, becomes metadata, in the
///    order of the source. A member "metadata" that is an object is taken apart.
///  - An item without an id gets its url, which stays in the metadata, or else `fallback_id`.
/// Error, naming the field and the value, for one of a wrong type or range.
Item item_of(const Json& object, const FieldNames& names, const std::string& fallback_id);

}  // namespace commonplace

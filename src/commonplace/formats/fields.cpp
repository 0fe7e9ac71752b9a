#include "commonplace/formats/fields.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "commonplace/formats/item_values.h"
#include "commonplace/formats/reading.h"
#include "commonplace/io/json.h"

namespace commonplace {
namespace {

struct UsualName {
  std::string_view name;
  Field field;
};
/// The first name of a field is the one that a map uses.
constexpr std::array<UsualName, 15> kUsualNames{{{"id", Field::id},
                                                 {"title", Field::title},
                                                 {"text", Field::text},
                                                 {"tags", Field::tags},
                                                 {"subjects", Field::tags},
                                                 {"keywords", Field::tags},
                                                 {"image", Field::image},
                                                 {"lat", Field::latitude},
                                                 {"latitude", Field::latitude},
                                                 {"lon", Field::longitude},
                                                 {"longitude", Field::longitude},
                                                 {"time", Field::time},
                                                 {"date", Field::time},
                                                 {"labels", Field::labels},
                                                 {"label", Field::labels}}};

bool equal_in_any_case(std::string_view written, std::string_view small) {
  return written.size() == small.size() &&
         std::equal(written.begin(), written.end(), small.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

std::optional<Field> field_of(std::string_view name) {
  for (const UsualName& usual : kUsualNames)
    if (usual.name == name) return usual.field;
  return std::nullopt;
}

const Json::object_t& members(const Json& object) {
  return object.get_ref<const Json::object_t&>();
}

/// Fills an item from the members of an object, one after the other.
class ItemBuilder {
 public:
  explicit ItemBuilder(const FieldNames& names) : names_(names) {}

  void add(const std::string& name, const Json& value) {
    if (value.is_null()) return;
    bool known = false;
    for (std::size_t rank = 0; rank < names_.targets().size(); ++rank) {
      const FieldNames::Target& target = names_.targets()[rank];
      if (!target.matches(name)) continue;
      known = true;
      fill(target.field, rank, name, value);
    }
    if (!known) metadata_[name] = value;
  }

  Item finish(const std::string& fallback_id) {
    item_.title = joined(titles_);
    item_.text = joined(texts_);
    require(latitude_.has_value() == longitude_.has_value(), "a ",
            latitude_ ? "latitude without a longitude" : "longitude without a latitude",
            "; a place needs both");
    if (latitude_) item_.place = Place{*latitude_, *longitude_};
    if (item_.id.empty()) {
      const auto url = metadata_.find("url");
      const bool has_url = url != metadata_.end() && url->is_string() && !is_absent(*url);
      item_.id = has_url ? url->get<std::string>() : fallback_id;
    }
    if (!metadata_.empty()) item_.metadata = json_text(metadata_);
    return std::move(item_);
  }

 private:
  using Parts = std::vector<std::pair<std::size_t, std::string>>;  ///< with their rank

  void fill(Field field, std::size_t rank, const std::string& name, const Json& value) {
    switch (field) {
      case Field::id:
        return fill_once(item_.id, name, value, "a string or a number");
      case Field::title:
        titles_.emplace_back(rank, joined_text(value, name));
        return;
      case Field::text:
        texts_.emplace_back(rank, joined_text(value, name));
        return;
      case Field::tags:
        for (ItemTag& tag : tags_of(value, name)) item_.tags.push_back(std::move(tag));
        if (says_more_than_tags(value)) metadata_[name] = value;
        return;
      case Field::image:
        return fill_image(name, value);
      case Field::latitude:
        return fill_degrees(latitude_, name, value, 90, "degrees from -90 to 90");
      case Field::longitude:
        return fill_degrees(longitude_, name, value, 180, "degrees from -180 to 180");
      case Field::time:
        return fill_time(name, value);
      case Field::labels:
        return add_labels(item_.labels, name, value);
      case Field::metadata:
        return fill_metadata(name, value);
    }
  }

  void fill_once(std::string& into, const std::string& name, const Json& value,
                 const char* expected) {
    if (is_absent(value)) return;
    if (!into.empty()) {
      metadata_[name] = value;
      return;
    }
    require(!value.is_boolean(), "field '", name, "' is true or false; expected ", expected);
    into = required_text(value, name, expected);
  }

  /// Of several images the first is shown; the whole list stays in the metadata.
  void fill_image(const std::string& name, const Json& value) {
    if (!value.is_array()) return fill_once(item_.image, name, value, "a path");
    if (value.empty()) return;
    fill_once(item_.image, name, value.front(), "a path");
    if (value.size() > 1) metadata_[name] = value;
  }

  void fill_degrees(std::optional<double>& into, const std::string& name, const Json& value,
                    double most, const char* expected) {
    if (is_absent(value)) return;
    if (into) {
      metadata_[name] = value;
      return;
    }
    into = required_number(value, name, -most, most, expected);
  }

  void fill_time(const std::string& name, const Json& value) {
    if (is_absent(value)) return;
    const auto text = scalar_text(value);
    const auto time = text && item_.time.empty() ? parse_time(*text) : std::nullopt;
    if (time) {
      item_.time = *time;
    } else {
      metadata_[name] = value;
    }
  }

  void fill_metadata(const std::string& name, const Json& value) {
    if (value.is_object()) {
      for (const auto& [key, each] : members(value)) metadata_[key] = each;
    } else if (!is_absent(value)) {
      metadata_[name] = value;
    }
  }

  static std::string joined(Parts& parts) {
    if (parts.size() == 1) return std::move(parts.front().second);
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string text;
    for (const auto& [rank, part] : parts) {
      if (!text.empty() && !part.empty()) text += '\n';
      text += part;
    }
    return text;
  }

  const FieldNames& names_;
  Item item_;
  Parts titles_;
  Parts texts_;
  std::optional<double> latitude_;
  std::optional<double> longitude_;
  Json metadata_ = Json::object();
};

}  // namespace

FieldMap parse_field_map(const std::string& text) {
  FieldMap map;
  for (const std::string_view pair : split(text, ",")) {
    const std::size_t equals = pair.find('=');
    require(equals != std::string_view::npos, "field map: ", in_quotes(pair),
            " has no '='; expected OURS=THEIRS, e.g. text=overview");
    const std::string_view ours = trim(pair.substr(0, equals));
    const std::string_view theirs = trim(pair.substr(equals + 1));
    const auto field = field_of(ours);
    require(field.has_value(), "field map: ", in_quotes(ours),
            " is none of id, title, text, tags, image, lat, lon, time, labels");
    require(!theirs.empty(), "field map: nothing after '=' in ", in_quotes(pair),
            "; expected the name of a field of the source");
    const auto usual = std::find_if(kUsualNames.begin(), kUsualNames.end(),
                                    [&](const UsualName& each) { return each.field == *field; });
    map.emplace_back(usual->name, theirs);
  }
  return map;
}

FieldNames::FieldNames(const FieldMap& map) {
  std::vector<Field> mapped;
  for (const auto& [ours, theirs] : map) {
    const auto field = field_of(ours);
    require(field.has_value(), "field map: ", in_quotes(ours), " is not a field");
    mapped.push_back(*field);
    targets_.push_back({theirs, false, *field});
  }
  for (const UsualName& usual : kUsualNames)
    if (std::find(mapped.begin(), mapped.end(), usual.field) == mapped.end())
      targets_.push_back({std::string(usual.name), true, usual.field});
  targets_.push_back({"metadata", false, Field::metadata});
}

bool FieldNames::Target::matches(std::string_view written) const {
  return any_case ? equal_in_any_case(written, name) : written == name;
}

Item item_of(const Json& object, const FieldNames& names, const std::string& fallback_id) {
  require(object.is_object(), "expected a JSON object, found ", kind_of(object));
  ItemBuilder builder(names);
  for (const auto& [name, value] : members(object)) builder.add(name, value);
  return builder.finish(fallback_id);
}

}  // namespace commonplace

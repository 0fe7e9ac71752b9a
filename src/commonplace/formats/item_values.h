#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/formats/item.h"
#include "commonplace/formats/json_text.h"

namespace commonplace {

/// The values of an item's fields, from JSON and to JSON. Errors name the source's field `name`.

/// Null or an empty string.
bool is_absent(const Json& value);

/// The text of a string, a number or a truth value.
std::optional<std::string> scalar_text(const Json& value);
/// Likewise; Error for anything else.
std::string required_text(const Json& value, const std::string& name, const char* expected);
/// A text, or the texts of an array joined by newlines.
std::string joined_text(const Json& value, const std::string& name);

/// A number, or a string with one, from `least` to `most`; Error for anything else.
double required_number(const Json& value, const std::string& name, double least, double most,
                       const char* expected);

/// A tag of the source of which nothing but the name is known.
ItemTag plain_tag(std::string name);

/// The tags in an array of names or of objects {name, count, by, model, score}, in an object
/// {name: count}, or in a string as in `tags_of_cell`. Empty names are left out. Vocabularies'
/// objects, such as {uri, label}, have their label as a name, else their address; Error for an
/// object without either.
std::vector<ItemTag> tags_of(const Json& value, const std::string& name);
/// Tells whether objects among the tags have members that a tag does not keep, such as a uri.
bool says_more_than_tags(const Json& value);
/// The tags in one cell: JSON if it begins with '[' or '{', otherwise names separated by ';' if
/// there is one, else by '|', else by ','.
std::vector<ItemTag> tags_of_cell(const std::string& cell);

/// Adds the labels in a scalar or an array of scalars, under the field `name` ("label" for label
/// and labels); in an object, under its members' names; in an array of {field, value}.
void add_labels(std::vector<Label>& labels, const std::string& name, const Json& value);

/// As an array; a tag of which nothing but the name is to say is a string.
std::string tags_json(const std::vector<ItemTag>& tags);
/// As an object, or as an array of {field, value} where a field is repeated.
std::string labels_json(const std::vector<Label>& labels);

}  // namespace commonplace

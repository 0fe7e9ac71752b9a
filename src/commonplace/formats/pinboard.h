#pragma once

#include <string>

#include "commonplace/formats/item.h"
#include "commonplace/formats/json_text.h"

namespace commonplace {

/// Whether `object` is a bookmark as Pinboard exports it: href, description and extended.
bool is_pinboard(const Json& object);

/// The address as id and as metadata "url", description as title, extended as text, tags separated
/// by blanks. Error if there is no href.
Item pinboard_item(Json object);

}  // namespace commonplace

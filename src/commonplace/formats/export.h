#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/formats/item.h"

namespace commonplace {

/// Receives the bytes of an export in order.
using Output = std::function<void(std::string_view)>;
/// Hands out the items of a collection, one after the other; false at the end.
using ItemSource = std::function<bool(Item&)>;

/// Each writes what its reader of the same name reads back.
void write_jsonl(const ItemSource& items, const Output& out);
/// The columns are always id, title, text, tags, image, lat, lon, time, labels, metadata. Tags are
/// joined by ';', or JSON where they have a count, a giver or a character that parts tags.
void write_csv(const ItemSource& items, char separator, const Output& out);
/// Netscape bookmark HTML. An item without a web address as its id (or in metadata "url") is left
/// out; returns how many were.
std::size_t write_bookmarks(const ItemSource& items, const std::string& title, const Output& out);
/// Whether a bookmark holds all that an item says, or has no place for its id, picture, place,
/// labels, counts of tags or metadata of several values.
bool fits_bookmark(const Item& item);
/// XC: features of row r for the r-th item; label numbers are positions in `labels`, and tags that
/// are not among them are left out. Error if there are more or fewer items than rows.
void write_xc(const ItemSource& items, const SparseView& features,
              const std::vector<std::string>& labels, const Output& out);
/// Whether a line of XC holds all that an item says but its id: tags and the label "split".
bool fits_xc(const Item& item);

}  // namespace commonplace

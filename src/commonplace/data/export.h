#pragma once

#include <functional>
#include <string>
#include <vector>

#include "commonplace/base/matrix.h"
#include "commonplace/data/item.h"

namespace commonplace {

/// Receives the bytes of an export in order.
using Output = std::function<void(std::string_view)>;
/// Hands out the items of a collection, one after the other; false at the end.
using ItemSource = std::function<bool(Item&)>;

/// Each writes what its reader of the same name reads back.
void write_jsonl(const ItemSource& items, const Output& out);
/// Two passes are not needed: the columns are fixed (id, title, text, tags, image, lat, lon, time,
/// labels, metadata); tags are joined by ';'.
void write_csv(const ItemSource& items, char separator, const Output& out);
/// Netscape bookmark HTML. An item without a web address as its id (or in metadata "url") is left
/// out; returns how many were.
std::size_t write_bookmarks(const ItemSource& items, const std::string& title, const Output& out);
/// XC: features of row r for the r-th item; label numbers are positions in `labels`.
void write_xc(const ItemSource& items, const SparseView& features,
              const std::vector<std::string>& labels, const Output& out);

}  // namespace commonplace

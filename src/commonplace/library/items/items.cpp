#include "commonplace/library/items/items.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

constexpr std::string_view kItemColumns =
    "SELECT row, id, key, title, text, image, latitude, longitude, time, metadata FROM item ";

/// The newest entry of each item and tag: SQLite takes the bare columns from the row of max(id).
constexpr std::string_view kDecisionsInForce =
    "SELECT max(id), item, tag, verdict, CASE WHEN said IS NULL THEN written ELSE "
    "(SELECT name FROM tag t WHERE t.id = decision.tag) END FROM decision WHERE collection = ? "
    "GROUP BY item, tag";

std::string sql(std::string_view front, std::string_view back) {
  return std::string(front) + std::string(back);
}

}  // namespace

ItemReader::ItemReader(const Library& library, const Collection& collection, TagView view)
    : view_(view),
      items_(library.database().prepare(
          sql(kItemColumns, "WHERE collection = ? AND row >= ? ORDER BY row"))),
      one_(library.database().prepare(sql(kItemColumns, "WHERE collection = ? AND key = ?"))),
      human_(library.database().prepare(
          "SELECT tag, count, written FROM human_tag WHERE item = ? ORDER BY position")),
      machine_(library.database().prepare(
          "SELECT t.tag, t.score, m.name FROM machine_tag t JOIN model m ON m.id = t.model "
          "WHERE t.item = ? AND t.score >= ? ORDER BY t.score DESC, t.tag")),
      labels_(library.database().prepare(
          "SELECT field, value FROM label WHERE item = ? ORDER BY position")),
      tag_(library.database().prepare("SELECT name FROM tag WHERE id = ?")),
      has_labels_(library.database().integer("SELECT EXISTS(SELECT 1 FROM label)") != 0),
      has_machine_(library.database().integer("SELECT EXISTS(SELECT 1 FROM machine_tag)") != 0),
      collection_id_(collection.id) {
  Statement decisions = library.database().prepare(kDecisionsInForce);
  decisions.bind(collection.name);
  while (decisions.step())
    decided_[std::string(decisions.text(1))][decisions.integer(2)] = {
        static_cast<int>(decisions.integer(3)), std::string(decisions.text(4))};
  skip_to(0);
}

void ItemReader::skip_to(std::int64_t row) {
  items_.bind(collection_id_, row);
  ended_ = false;
}

bool ItemReader::next(Item& item) {
  // Another step after the last row would begin the query anew.
  if (ended_ || !items_.step()) {
    ended_ = true;
    return false;
  }
  row_ = items_.integer(0);
  fill(items_, item);
  return true;
}

std::optional<Item> ItemReader::find(std::string_view id) {
  if (!one_.bind(collection_id_, id).step()) return std::nullopt;
  Item item;
  row_ = one_.integer(0);
  fill(one_, item);
  return item;
}

void ItemReader::fill(const Statement& row, Item& item) {
  item.id = row.text(2);
  item.title = row.text(3);
  item.text = row.text(4);
  item.image = row.text(5);
  item.place = row.is_null(6) ? std::nullopt : std::optional(Place{row.real(6), row.real(7)});
  item.time = row.text(8);
  item.metadata = row.text(9);
  const std::int64_t item_id = row.integer(1);
  add_tags(item_id, item);
  item.labels.clear();
  if (!has_labels_) return;
  labels_.bind(item_id);
  while (labels_.step())
    item.labels.push_back({std::string(labels_.text(0)), std::string(labels_.text(1))});
}

void ItemReader::add_tags(std::int64_t item_id, Item& item) {
  item.tags.clear();
  const auto found = decided_.find(item.id);
  const auto* decided = found == decided_.end() ? nullptr : &found->second;
  auto verdict = [&](std::int64_t tag) {
    if (decided == nullptr) return 0;
    const auto entry = decided->find(tag);
    return entry == decided->end() ? 0 : entry->second.verdict;
  };

  shown_.clear();
  human_.bind(item_id);
  while (human_.step()) {
    const std::int64_t tag = human_.integer(0);
    if (verdict(tag) < 0) continue;
    std::string name = human_.is_null(2) ? tag_name_of(tag) : std::string(human_.text(2));
    item.tags.push_back({std::move(name), human_.real(1), GivenBy::source, "", 1});
    shown_.push_back(tag);
  }
  auto is_shown = [&](std::int64_t tag) {
    return std::find(shown_.begin(), shown_.end(), tag) != shown_.end();
  };
  if (decided != nullptr) {
    std::map<std::int64_t, const Decided*> in_order;
    for (const auto& [tag, entry] : *decided)
      if (entry.verdict > 0 && !is_shown(tag)) in_order.emplace(tag, &entry);
    for (const auto& [tag, entry] : in_order) {
      item.tags.push_back({entry->written, 1, GivenBy::user, "", 1});
      shown_.push_back(tag);
    }
  }
  if (!view_.machine || !has_machine_) return;
  machine_.bind(item_id, view_.threshold);
  while (machine_.step()) {
    const std::int64_t tag = machine_.integer(0);
    if (verdict(tag) < 0 || is_shown(tag)) continue;
    item.tags.push_back(
        {tag_name_of(tag), 1, GivenBy::machine, std::string(machine_.text(2)), machine_.real(1)});
    shown_.push_back(tag);
  }
}

const std::string& ItemReader::tag_name_of(std::int64_t tag) {
  const auto known = tag_names_.find(tag);
  if (known != tag_names_.end()) return known->second;
  tag_.bind(tag).step();
  return tag_names_.emplace(tag, tag_.text(0)).first->second;
}

Item item(const Library& library, const Collection& collection, std::string_view id, TagView view) {
  std::optional<Item> found = ItemReader(library, collection, view).find(id);
  require(found.has_value(), "collection '", collection.name, "' has no item '", id, "'");
  return *std::move(found);
}

std::int64_t row_of_item(const Library& library, const Collection& collection,
                         std::string_view id) {
  Statement query =
      library.database().prepare("SELECT row FROM item WHERE collection = ? AND key = ?");
  require(query.bind(collection.id, id).step(), "collection '", collection.name, "' has no item '",
          id, "'");
  return query.integer(0);
}

std::vector<std::string> ids_of_rows(const Library& library, const Collection& collection,
                                     std::span<const std::int64_t> rows) {
  Statement query =
      library.database().prepare("SELECT key FROM item WHERE collection = ? AND row = ?");
  std::vector<std::string> ids;
  for (const std::int64_t row : rows)
    ids.emplace_back(query.bind(collection.id, row).step() ? std::string(query.text(0)) : "");
  return ids;
}

std::unordered_map<std::string, std::int64_t> rows_by_id(const Library& library,
                                                         const Collection& collection) {
  std::unordered_map<std::string, std::int64_t> rows;
  Statement query = library.database().prepare("SELECT key, row FROM item WHERE collection = ?");
  query.bind(collection.id);
  while (query.step()) rows.emplace(query.text(0), query.integer(1));
  return rows;
}

std::vector<std::string> item_ids(const Library& library, const Collection& collection) {
  std::vector<std::string> ids;
  Statement query =
      library.database().prepare("SELECT key FROM item WHERE collection = ? ORDER BY row");
  query.bind(collection.id);
  while (query.step()) ids.emplace_back(query.text(0));
  return ids;
}

std::vector<std::string> item_times(const Library& library, const Collection& collection) {
  std::vector<std::string> times;
  Statement query = library.database().prepare(
      "SELECT coalesce(time, '') FROM item WHERE collection = ? ORDER BY row");
  query.bind(collection.id);
  while (query.step()) times.emplace_back(query.text(0));
  return times;
}

std::string image_location(const Collection& collection, const Item& item) {
  const std::filesystem::path image(item.image);
  if (item.image.empty() || image.is_absolute() || item.image.find("://") != std::string::npos)
    return item.image;
  return (std::filesystem::path(collection.root) / image).lexically_normal().string();
}

}  // namespace commonplace

#include "commonplace/library/items/item_writer.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/error.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/io/xxhash64.h"
#include "commonplace/library/machine/machine_runs.h"

namespace commonplace {
namespace {

constexpr std::size_t kLongestId = 2000;

/// Brings the texts to NFC and refuses what no item can have.
void normalise(Item& item) {
  require(!item.id.empty(), "the item has no id");
  require(item.id.size() <= kLongestId, "the id has ", item.id.size(), " bytes; at most ",
          kLongestId, " are accepted");
  require(item.id.find('\0') == std::string::npos, "the id has a zero byte");
  item.id = nfc(item.id);
  item.title = nfc(item.title);
  item.text = nfc(item.text);
  if (item.place) {
    require(std::abs(item.place->latitude) <= 90, "latitude ", item.place->latitude,
            " is not within -90 and 90");
    require(std::abs(item.place->longitude) <= 180, "longitude ", item.place->longitude,
            " is not within -180 and 180");
  }
  for (const ItemTag& tag : item.tags) {
    require(std::isfinite(tag.count) && tag.count > 0, "tag '", tag.name, "' has the count ",
            tag.count, "; a count is above 0");
    require(tag.score >= 0 && tag.score <= 1, "tag '", tag.name, "' has the score ", tag.score,
            "; a score is within 0 and 1");
    require(tag.by != GivenBy::machine || !tag.model.empty(), "tag '", tag.name,
            "' is a machine's but names no model");
  }
}

/// Changes if anything that the source said changes. The length goes before each text, so that
/// no two items run into the same bytes.
std::int64_t fingerprint_of(const Item& item) {
  Xxh64 hash;
  auto number = [&](const auto& value) { hash.update(std::as_bytes(std::span(&value, 1))); };
  auto text = [&](const std::string& value) {
    number(value.size());
    hash.update(std::as_bytes(std::span(value)));
  };
  text(item.title);
  text(item.text);
  text(item.image);
  number(item.place ? item.place->latitude : 1000.0);
  number(item.place ? item.place->longitude : 1000.0);
  text(item.time);
  text(item.metadata);
  number(item.tags.size());
  for (const ItemTag& tag : item.tags) {
    text(tag.name);
    number(tag.count);
    number(tag.by == GivenBy::machine ? 1 : 0);
    text(tag.model);
    number(tag.score);
  }
  for (const Label& label : item.labels) {
    text(label.field);
    text(label.value);
  }
  return static_cast<std::int64_t>(hash.digest());
}

/// Whether the item has the tag as a machine's, too.
bool is_marked(const Item& item, const std::string& name) {
  return std::any_of(item.tags.begin(), item.tags.end(), [&](const ItemTag& tag) {
    return tag.by == GivenBy::machine && tag_key(tag_name(tag.name)) == tag_key(tag_name(name));
  });
}

std::optional<std::string_view> text_or_null(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

}  // namespace

ItemWriter::ItemWriter(Library& library, const Collection& collection, ItemOrigin origin)
    : database_(library.database()),
      collection_name_(collection.name),
      collection_(collection.id),
      origin_(origin),
      tags_(database_),
      find_(database_.prepare(
          "SELECT id, row, fingerprint FROM item WHERE collection = ? AND key = ?")),
      insert_(database_.prepare(
          "INSERT INTO item(collection, row, key, title, text, image, latitude, longitude, time, "
          "metadata, fingerprint, sourceless) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")),
      update_(database_.prepare(
          "UPDATE item SET title = ?, text = ?, image = ?, latitude = ?, longitude = ?, time = ?, "
          "metadata = ?, fingerprint = ? WHERE id = ?")),
      clear_tags_(database_.prepare("DELETE FROM human_tag WHERE item = ?")),
      clear_labels_(database_.prepare("DELETE FROM label WHERE item = ?")),
      clear_source_tags_(database_.prepare("DELETE FROM source_tag WHERE item = ?")),
      insert_tag_(database_.prepare(
          "INSERT INTO human_tag(item, position, tag, count, written) VALUES(?, ?, ?, ?, ?)")),
      insert_shown_tag_(
          database_.prepare("INSERT OR IGNORE INTO human_tag(item, position, tag, count) "
                            "VALUES(?, ?, ?, ?)")),
      insert_source_tag_(
          database_.prepare("INSERT INTO source_tag(item, position, tag, count, written) "
                            "VALUES(?, ?, ?, ?, ?)")),
      insert_machine_tag_(
          database_.prepare("INSERT OR REPLACE INTO machine_tag(item, tag, model, score, run) "
                            "VALUES(?, ?, ?, ?, ?)")),
      insert_run_tag_(database_.prepare(
          "INSERT OR REPLACE INTO run_tag(run, item, tag, score) VALUES(?, ?, ?, ?)")),
      insert_label_(
          database_.prepare("INSERT INTO label(item, position, field, value) VALUES(?, ?, ?, ?)")),
      find_marks_(database_.prepare("SELECT tag FROM machine_mark WHERE item = ?")),
      insert_mark_(database_.prepare(
          "INSERT OR REPLACE INTO machine_mark(item, tag, model) VALUES(?, ?, ?)")),
      remove_mark_(database_.prepare("DELETE FROM machine_mark WHERE item = ? AND tag = ?")),
      given_(database_.prepare("SELECT 1 FROM machine_tag WHERE item = ? AND tag = ?")),
      has_source_(
          database_.prepare("UPDATE item SET sourceless = 0 WHERE id = ? AND sourceless <> 0")),
      seen_(static_cast<std::size_t>(collection.items), false) {}

std::int64_t ItemWriter::put(Item& item) {
  normalise(item);
  const std::int64_t fingerprint = fingerprint_of(item);
  const bool known = find_.bind(collection_, item.id).step();
  const std::int64_t id = known ? find_.integer(0) : 0;
  const std::int64_t row = known ? find_.integer(1) : rows();
  const bool same = known && find_.integer(2) == fingerprint;
  find_.reset();
  require(!known || !seen_[static_cast<std::size_t>(row)], "the id '", item.id,
          "' came before in this source; --map id=FIELD takes another field for it");
  // May throw, so it comes before anything of the item is written.
  if (!same) find_tags(item, id);
  if (!known) {
    write_parts(insert(item, fingerprint), item);
    seen_.push_back(true);
    ++added_;
  } else {
    seen_[static_cast<std::size_t>(row)] = true;
    if (!same) {
      update(id, item, fingerprint);
      write_parts(id, item);
    }
    if (origin_ != ItemOrigin::nowhere) has_source_.run(id);
    ++(same ? unchanged_ : updated_);
  }
  return row;
}

void ItemWriter::find_tags(const Item& item, std::int64_t id) {
  human_.clear();
  machine_.clear();
  marked_.clear();
  if (origin_ == ItemOrigin::pictures && id != 0)
    for (find_marks_.bind(id); find_marks_.step();) marked_.push_back(find_marks_.integer(0));
  unmarked_ = marked_;
  for (const ItemTag& tag : item.tags) {
    const TagTable::Entry& entry = tags_.find_or_make(tag.name);
    if (entry.id == 0) continue;
    if (std::find(marked_.begin(), marked_.end(), entry.id) != marked_.end()) {
      std::erase(unmarked_, entry.id);
      // The library knows whether its model still says so; a person's word beside a mark counts,
      // one in place of the mark is the machine's.
      if (tag.by == GivenBy::machine || !is_marked(item, tag.name)) continue;
    }
    std::vector<TagRow>& rows = tag.by == GivenBy::machine ? machine_ : human_;
    const auto same = std::find_if(rows.begin(), rows.end(), [&](const TagRow& other) {
      return other.tag == entry.id && other.given->model == tag.model;
    });
    // Two spellings of one tag are that tag, given twice.
    if (same != rows.end()) {
      same->count += tag.count;
    } else {
      rows.push_back({entry.id, &tag, entry.written, tag.count, entry.means, entry.changed});
    }
  }
}

std::int64_t ItemWriter::insert(const Item& item, std::int64_t fingerprint) {
  insert_.run(
      collection_, rows(), item.id, text_or_null(item.title), text_or_null(item.text),
      text_or_null(item.image), item.place ? std::optional(item.place->latitude) : std::nullopt,
      item.place ? std::optional(item.place->longitude) : std::nullopt, text_or_null(item.time),
      text_or_null(item.metadata), fingerprint, origin_ == ItemOrigin::nowhere ? 1 : 0);
  return database_.last_row();
}

void ItemWriter::update(std::int64_t id, const Item& item, std::int64_t fingerprint) {
  update_.run(text_or_null(item.title), text_or_null(item.text), text_or_null(item.image),
              item.place ? std::optional(item.place->latitude) : std::nullopt,
              item.place ? std::optional(item.place->longitude) : std::nullopt,
              text_or_null(item.time), text_or_null(item.metadata), fingerprint, id);
  clear_tags_.run(id);
  clear_source_tags_.run(id);
  clear_labels_.run(id);
}

void ItemWriter::write_parts(std::int64_t id, const Item& item) {
  std::int64_t position = 0;
  for (const TagRow& row : human_) {
    (row.changed ? insert_source_tag_ : insert_tag_)
        .run(id, position++, row.tag, row.count, text_or_null(row.written));
  }
  // What means another tag comes after those that have that one's own name.
  for (const bool own : {true, false}) {
    position = -1;
    for (const TagRow& row : human_) {
      ++position;
      if (row.changed && row.means != 0 && (row.means == row.tag) == own)
        insert_shown_tag_.run(id, position, row.means, row.count);
    }
  }
  for (const TagRow& row : machine_) {
    const bool in_sidecar = origin_ == ItemOrigin::pictures;
    if (in_sidecar) insert_mark_.run(id, row.tag, row.given->model);
    // What the library's own models say of an item is newer than what they wrote to its sidecar.
    const bool known = in_sidecar && given_.bind(id, row.means).step();
    given_.reset();
    if (known) continue;
    const Machine& machine = machine_of(row.given->model);
    insert_run_tag_.run(machine.run, id, row.tag, row.given->score);
    if (row.means != 0)
      insert_machine_tag_.run(id, row.means, machine.model, row.given->score, machine.run);
  }
  for (const std::int64_t tag : unmarked_) remove_mark_.run(id, tag);
  position = 0;
  for (const Label& label : item.labels)
    insert_label_.run(id, position++, label.field, label.value);
}

const ItemWriter::Machine& ItemWriter::machine_of(const std::string& name) {
  const auto known = machines_.find(name);
  if (known != machines_.end()) return known->second;
  Machine machine;
  Statement find = database_.prepare("SELECT id FROM model WHERE name = ?");
  if (find.bind(name).step()) {
    machine.model = find.integer(0);
  } else {
    database_
        .prepare(
            "INSERT INTO model(name, kind, options, report, created) "
            "VALUES(?, 'named', '{}', '{}', ?)")
        .run(name, current_time());
    machine.model = database_.last_row();
  }
  machine.run = begin_run(database_, collection_name_, name, "",
                          {"add", "{}", "the source has it as a machine's", false});
  return machines_.emplace(name, machine).first->second;
}

}  // namespace commonplace

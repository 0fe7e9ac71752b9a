#include "commonplace/library/items/item_files.h"

#include <sys/stat.h>

#include "commonplace/io/folder_state.h"

namespace commonplace {
namespace {

std::int64_t modified_of(const struct stat& status) {
  return static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
}

}  // namespace

ItemFiles::ItemFiles(Library& library, const Collection& collection)
    : database_(library.database()),
      root_(collection.root),
      collection_(collection.name),
      find_(database_.prepare("SELECT i.id, f.size, f.modified FROM item i LEFT JOIN item_file f "
                              "ON f.item = i.id WHERE i.collection = ? AND i.key = ?")),
      note_(database_.prepare("INSERT OR REPLACE INTO item_file(item, size, modified, content) "
                              "VALUES(?, ?, ?, ?)")),
      move_item_(database_.prepare(
          "UPDATE item SET key = ?3, image = ?3 WHERE collection = ?1 AND key = ?2")),
      move_decisions_(
          database_.prepare("UPDATE decision SET item = ?3 WHERE collection = ?1 AND item = ?2")),
      move_lessons_(
          database_.prepare("UPDATE lesson SET item = ?3 WHERE collection = ?1 AND item = ?2")),
      id_(collection.id) {
  Statement known = database_.prepare(
      "SELECT i.key, f.size, f.content FROM item i JOIN item_file f ON f.item = i.id "
      "WHERE i.collection = ? AND i.image = i.key ORDER BY i.key");
  known.bind(id_);
  while (known.step()) {
    struct stat status {};
    if (::stat((root_ / known.text(0)).c_str(), &status) != 0)
      gone_.emplace(std::pair(known.integer(1), known.integer(2)), known.text(0));
  }
}

bool ItemFiles::follow(const std::string& key) {
  if (gone_.empty()) return false;
  const bool known = find_.bind(id_, key).step();
  find_.reset();
  struct stat status {};
  if (known || ::stat((root_ / key).c_str(), &status) != 0) return false;
  const auto content = static_cast<std::int64_t>(content_number(root_ / key));
  const auto found = gone_.find({static_cast<std::int64_t>(status.st_size), content});
  if (content == 0 || found == gone_.end()) return false;
  move_item_.run(id_, found->second, key);
  move_decisions_.run(collection_, found->second, key);
  move_lessons_.run(collection_, found->second, key);
  gone_.erase(found);
  return true;
}

void ItemFiles::note(const std::string& key) {
  struct stat status {};
  if (!find_.bind(id_, key).step() || ::stat((root_ / key).c_str(), &status) != 0) {
    find_.reset();
    return;
  }
  const std::int64_t item = find_.integer(0);
  const bool same = !find_.is_null(1) && find_.integer(1) == status.st_size &&
                    find_.integer(2) == modified_of(status);
  find_.reset();
  if (same) return;
  const std::uint64_t content = content_number(root_ / key);
  if (content != 0)
    note_.run(item, static_cast<std::int64_t>(status.st_size), modified_of(status),
              static_cast<std::int64_t>(content));
}

}  // namespace commonplace

#include "commonplace/library/items/item_facts.h"

#include "commonplace/base/error.h"

namespace commonplace {

std::string machine_state(const Library& library) {
  return concat(library.database().integer("SELECT count(*) FROM machine_tag"), ' ',
                library.database().integer("SELECT coalesce(max(id), 0) FROM run"), ' ',
                library.database().integer("SELECT count(*) FROM run WHERE undone = ''"));
}

ItemFacts item_facts(const Library& library, const Collection& collection) {
  ItemFacts facts;
  const auto size = static_cast<std::size_t>(collection.items);
  facts.picture.resize(size);
  facts.link.resize(size);
  facts.automatic.resize(size);
  facts.place.resize(size);
  Statement items = library.database().prepare(
      "SELECT row, image IS NOT NULL, instr(metadata, '\"url\"') > 0, latitude, longitude "
      "FROM item WHERE collection = ? AND row < ?");
  items.bind(collection.id, collection.items);
  while (items.step()) {
    const auto row = static_cast<std::size_t>(items.integer(0));
    facts.picture[row] = items.integer(1) != 0 ? 1 : 0;
    facts.link[row] = !items.is_null(2) && items.integer(2) != 0 ? 1 : 0;
    if (!items.is_null(3)) facts.place[row] = Place{items.real(3), items.real(4)};
  }
  Statement tagged = library.database().prepare(
      "SELECT DISTINCT i.row FROM machine_tag t JOIN item i ON i.id = t.item "
      "WHERE i.collection = ?1 AND i.row < ?2 AND NOT EXISTS (SELECT 1 FROM decision d "
      "WHERE d.collection = ?3 AND d.item = i.key AND d.tag = t.tag AND d.verdict <> 0 AND d.id = "
      "(SELECT max(id) FROM decision WHERE collection = ?3 AND item = i.key AND tag = t.tag))");
  tagged.bind(collection.id, collection.items, collection.name);
  while (tagged.step()) facts.automatic[static_cast<std::size_t>(tagged.integer(0))] = 1;
  return facts;
}

}  // namespace commonplace

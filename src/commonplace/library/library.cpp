#include "commonplace/library/library.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/base/unicode.h"
#include "commonplace/formats/item.h"
#include "commonplace/io/files.h"
#include "commonplace/library/schema.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/tag_meanings.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDatabaseName = "library.db";
constexpr std::string_view kCollectionColumns =
    "SELECT id, name, source, root, format, items, changed, revision FROM collection ";

fs::path existing_database(const fs::path& path) {
  require(fs::is_directory(path), path.string(),
          ": there is no such library; make one with: commonplace init ", path.string());
  const fs::path file = path / kDatabaseName;
  require(fs::is_regular_file(file), path.string(), ": this folder is not a library (it has no ",
          kDatabaseName, "); make one with: commonplace init ", path.string());
  return file;
}

Collection collection_of(const Statement& row) {
  return {row.integer(0),           std::string(row.text(1)),
          std::string(row.text(2)), std::string(row.text(3)),
          std::string(row.text(4)), row.integer(5),
          std::string(row.text(6)), row.integer(7)};
}

}  // namespace

void Library::create(const fs::path& path) {
  std::error_code error;
  require(!fs::exists(path / kDatabaseName), path.string(), ": there is a library already");
  if (fs::exists(path)) {
    require(fs::is_directory(path), path.string(), ": is a file; name a new folder");
    require(fs::is_empty(path), path.string(),
            ": this folder is not empty; name a new or an empty one");
  }
  fs::create_directories(path / "features", error);
  require(!error, path.string(), ": cannot be made: ", error.message());
  fs::create_directories(path / "models");
  // The database appears last and whole, so that a library is there or not.
  const fs::path beside = path / ".new.db";
  {
    Database database(beside, Database::Mode::create);
    migrate(database);
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  fs::rename(beside, path / kDatabaseName);
}

Library::Library(const fs::path& path, Access access)
    : path_(path),
      database_(existing_database(path),
                access == Access::read ? Database::Mode::read : Database::Mode::write) {
  const int version = schema_version(database_);
  if (version == newest_schema()) return;
  if (access == Access::write || version > newest_schema()) {
    migrate(database_);
    return;
  }
  Database writable(path / kDatabaseName, Database::Mode::write);
  migrate(writable);
}

std::vector<Collection> collections(const Library& library) {
  Statement query = library.database().prepare(std::string(kCollectionColumns) + "ORDER BY name");
  std::vector<Collection> result;
  while (query.step()) result.push_back(collection_of(query));
  return result;
}

std::string state_of(const Library& library, const Collection& collection) {
  Statement last =
      library.database().prepare("SELECT coalesce(max(id), 0) FROM decision WHERE collection = ?");
  last.bind(collection.name);
  last.step();
  const std::string vocabulary = meanings_state(library);
  return concat(collection.id, ' ', collection.revision, ' ', collection.items, ' ',
                collection.changed, vocabulary.empty() ? "" : " v" + vocabulary, ' ',
                last.integer(0));
}

CollectionFacts facts_of(const Library& library, const Collection& collection) {
  auto some = [&](std::string_view condition) {
    Statement query = library.database().prepare(
        concat("SELECT 1 FROM item WHERE collection = ? AND ", condition, " LIMIT 1"));
    return query.bind(collection.id).step();
  };
  CollectionFacts facts;
  facts.text = some("(title <> '' OR text <> '')");
  facts.pictures = some("image IS NOT NULL");
  facts.places = some("latitude IS NOT NULL");
  Statement fields = library.database().prepare(
      "SELECT DISTINCT field FROM label JOIN item ON item.id = label.item "
      "WHERE item.collection = ? ORDER BY field");
  fields.bind(collection.id);
  while (fields.step()) facts.label_fields.emplace_back(fields.text(0));
  return facts;
}

bool has_collection(const Library& library, std::string_view name) {
  Statement query = library.database().prepare("SELECT 1 FROM collection WHERE name = ?");
  return query.bind(name).step();
}

Collection collection(const Library& library, std::string_view name) {
  Statement query = library.database().prepare(std::string(kCollectionColumns) + "WHERE name = ?");
  if (query.bind(name).step()) return collection_of(query);
  const std::string known = join(collections(library), &Collection::name);
  fail("there is no collection '", name, "'; ",
       known.empty() ? "the library is empty: add one with: commonplace add LIB NAME SOURCE"
                     : "there are: " + known);
}

void check_collection_name(std::string_view name) {
  const bool clean = std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 ||
           std::string_view("/\\,:;\"'*?<>|=").find(c) != std::string_view::npos;
  });
  require(clean && !name.empty() && name.size() <= 100 && name.front() != '.' &&
              name.front() != '-' && invalid_utf8(name) == std::string_view::npos &&
              tidy(name) == name,
          "'", name, "' cannot name a collection; use up to 100 letters, digits, '_', '-', '.'");
}

void remove_collection(Library& library, const Collection& collection) {
  Transaction transaction(library.database());
  library.database().prepare("DELETE FROM collection WHERE id = ?").run(collection.id);
  library.database().prepare("DELETE FROM model WHERE name = ?").run(word_index_name(collection));
  transaction.commit();
  Transaction sweep(library.database());
  sweep_unrecorded_files(library);
}

void sweep_unrecorded_files(Library& library) {
  for (const auto& [folder, table] :
       {std::pair("features", "feature"), std::pair("models", "model")}) {
    std::set<std::string, std::less<>> recorded;
    Statement query =
        library.database().prepare(concat("SELECT file FROM ", table, " WHERE file IS NOT NULL"));
    while (query.step()) recorded.emplace(query.text(0));
    sweep_temporaries(library.path() / folder);
    std::error_code error;
    for (fs::directory_iterator entry(library.path() / folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      std::error_code ignored;
      if (!name.starts_with('.') && !recorded.contains(name)) fs::remove(entry->path(), ignored);
    }
  }
}

std::string current_time() {
  return time_of_epoch(std::chrono::duration_cast<std::chrono::seconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count());
}

}  // namespace commonplace

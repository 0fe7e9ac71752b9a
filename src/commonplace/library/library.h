#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/library/database.h"

namespace commonplace {

struct Collection {
  std::int64_t id = 0;
  std::string name;
  std::string source;  ///< the file or folder that it was last added from
  std::string root;    ///< the folder that relative image paths start from
  std::string format;
  std::int64_t items = 0;
  std::string changed;        ///< when it was last added
  std::int64_t revision = 0;  ///< grows each time it is added
};

/// A directory with library.db, features/ and models/. Any number of processes may read it while
/// one writes. The free functions of this folder (items.h, import_items.h, decisions.h, links.h,
/// stored_features.h, stored_models.h) do everything else.
class Library {
 public:
  enum class Access { read, write };

  /// Makes an empty library. The directory may exist if it is empty.
  static void create(const std::filesystem::path& path);
  /// Opens it and brings an older one up to date. Error if there is none.
  explicit Library(const std::filesystem::path& path, Access access = Access::read);

  const std::filesystem::path& path() const { return path_; }
  Database& database() { return database_; }
  const Database& database() const { return database_; }

 private:
  std::filesystem::path path_;
  Database database_;
};

/// What is read while it lives is of one moment.
inline ReadSnapshot read_snapshot(const Library& library) {
  return ReadSnapshot(library.database());
}

/// All collections, by name.
std::vector<Collection> collections(const Library& library);
/// The one of that name; Error, listing the names there are, if there is none.
Collection collection(const Library& library, std::string_view name);
/// Text that changes whenever the collection's items, tags or decisions do: what was derived from
/// them holds as long as it is the same.
std::string state_of(const Library& library, const Collection& collection);
/// What its items have. O(items).
struct CollectionFacts {
  bool text = false;  ///< or a title
  bool pictures = false;
  bool places = false;
  std::vector<std::string> label_fields;
};
CollectionFacts facts_of(const Library& library, const Collection& collection);
bool has_collection(const Library& library, std::string_view name);
/// Error unless `name` can be a collection's: letters, digits, '_', '-', '.', blanks, no '/', ','.
void check_collection_name(std::string_view name);
/// Removes the collection with its items, features, links and index of words. Decisions stay.
void remove_collection(Library& library, const Collection& collection);

/// Removes files below features/ and models/ that no record names, left by a killed process. The
/// caller holds a Transaction, so no other writer has files that it has not recorded yet.
void sweep_unrecorded_files(Library& library);

/// Now, in the form of Item::time.
std::string current_time();

}  // namespace commonplace

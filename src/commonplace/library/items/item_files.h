#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "commonplace/library/library.h"

namespace commonplace {

/// Knows the pictures of a collection by what is in them, so that one that was moved or renamed
/// stays the item that it was. Within a transaction of the caller, who reads the folder anew.
class ItemFiles {
 public:
  ItemFiles(Library& library, const Collection& collection);

  /// Called before the item of a picture is written, `key` its path below the collection's root. If
  /// the library has no such item, but one of the same bytes whose file has gone, that one takes
  /// the key, with its decisions and lessons. Says whether it did.
  bool follow(const std::string& key);
  /// Called after it was written: remembers what its file is.
  void note(const std::string& key);

 private:
  Database& database_;
  std::filesystem::path root_;
  std::string collection_;
  Statement find_;
  Statement note_;
  Statement move_item_;
  Statement move_decisions_;
  Statement move_lessons_;
  std::int64_t id_;
  /// Items whose files are not there: size and content -> key.
  std::multimap<std::pair<std::int64_t, std::int64_t>, std::string> gone_;
};

}  // namespace commonplace

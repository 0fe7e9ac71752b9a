#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commonplace/base/progress.h"
#include "commonplace/formats/import.h"
#include "commonplace/library/library.h"

namespace commonplace {

struct ImportOptions {
  std::string format;  ///< one of import_formats(); empty: recognise it
  ReadOptions read;
  bool strict = false;  ///< the first bad record ends the import and nothing is changed
  bool prune = false;   ///< items that the source no longer has are removed, unless a record of it
                        ///< could not be read (otherwise they are kept); never those that came
                        ///< without a source (add_items)
  bool prune_all = false;  ///< even if that is nearly all of them, which is an Error otherwise
};

struct Problem {
  Where where;
  std::string message;
};

struct ImportSummary {
  std::string format;
  std::int64_t added = 0;
  std::int64_t updated = 0;
  std::int64_t unchanged = 0;
  std::int64_t removed = 0;
  std::int64_t moved = 0;         ///< pictures that have another name or folder now
  std::int64_t missing = 0;       ///< kept although the source no longer has them
  std::int64_t bad = 0;           ///< records that were skipped
  std::vector<Problem> problems;  ///< the first hundred of them
  std::int64_t noted = 0;         ///< things that were not taken, although no record was skipped
  std::vector<Problem> notes;     ///< the first hundred of them
};

/// Adds the items of `source` to the collection `name`, which is made if need be. Items that are
/// there already are updated where the source says something new; decisions and machine tags stay.
/// Error if the source is in another folder than before and lacks pictures that were there, or if
/// pruning would remove more than nine in ten items that a source gave.
/// One transaction: an Error, a Cancelled or a killed process leaves the library as it was.
/// Memory does not grow with the number of items, but for a bit each.
ImportSummary import_collection(Library& library, const std::string& name,
                                const std::filesystem::path& source, const ImportOptions& options,
                                const Progress& progress);

/// How the source of a collection was read when it was added last. Nothing if that is not known: it
/// was added by an older program, or without a source.
std::optional<ImportOptions> import_options_of(const Library& library,
                                               const Collection& collection);
/// Notes a source without reading it: the collection `name` has no items yet, and is behind its
/// source until import_collection is called with the same. Nothing happens to one that is there.
void note_source(Library& library, const std::string& name, const std::filesystem::path& source,
                 const ImportOptions& options);
/// The digest of the source's files (io/folder_state.h) when they were read last; empty: never.
std::string seen_of_source(const Library& library, const Collection& collection);

/// Adds single items to a collection that is there, or updates those of the same ids; all or none.
/// Where it was added from, and all else, stays. Error for an item that cannot be.
void add_items(Library& library, const Collection& collection, std::vector<Item> items);
/// The same to the collection `name`, which is made, without a source, if it is not there.
void add_items(Library& library, const std::string& name, std::vector<Item> items);

}  // namespace commonplace

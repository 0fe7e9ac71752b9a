#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commonplace/library/library.h"
#include "commonplace/library/stored/stored_models.h"

namespace commonplace {

/// Why a machine writes, as it is remembered.
struct RunNotes {
  std::string command = "apply";  ///< "add": the source of a collection had it
  std::string settings = "{}";    ///< JSON
  std::string reason{};           ///< in words
  bool replaces = true;           ///< all that the model had said of the collection
};

/// What a machine wrote to a collection at once. Runs are kept when they are taken back, and when
/// their model goes.
struct MachineRun : RunNotes {
  std::int64_t id = 0;
  std::string collection;
  std::string model;
  std::string version;  ///< which of the models that were called so
  std::string field;    ///< of the labels it wrote; empty: it wrote tags
  std::string time;
  std::string undone;      ///< when it was taken back; empty: it was not
  std::int64_t wrote = 0;  ///< tags or labels
  std::int64_t items = 0;  ///< that got them
  std::int64_t shown = 0;  ///< of what it wrote, what no later run has taken the place of
};

/// Notes a run that writes what `model` says of the items of `collection`, in place of all that it
/// said before or beside it; all or nothing. Tags that only people give are left out. Returns the
/// run's number.
std::int64_t store_run(Library& library, const Collection& collection, std::string_view model,
                       const std::vector<MachineTag>& tags, const RunNotes& notes);

/// All runs, the newest first.
std::vector<MachineRun> machine_runs(const Library& library);
/// Error if there is no run of that number.
MachineRun machine_run(const Library& library, std::int64_t id);

/// Takes a run back, whatever came later: what it wrote goes, and what it had taken the place of
/// comes back, unless a later run has said something else. Says how many tags or labels of items
/// have changed by it. Nothing happens to one that is taken back already.
std::int64_t undo_run(Library& library, std::int64_t id);
/// Puts a run that was taken back in force again, in its place among the others.
std::int64_t restore_run(Library& library, std::int64_t id);
/// Takes back all that a model wrote to a collection, and says how much of it was there.
std::int64_t undo_runs_of(Library& library, const Collection& collection, std::string_view model);

/// The newest run of a model in a collection that is in force and replaced what there was.
std::optional<MachineRun> newest_run(const Library& library, const Collection& collection,
                                     std::string_view model);

/// Within a transaction of the caller: notes a run, which has written nothing yet.
std::int64_t begin_run(Database& database, std::string_view collection, std::string_view model,
                       std::string_view field, const RunNotes& notes);
/// Within a transaction of the caller: makes what is shown of a model's tags (or labels of a field)
/// anew from its runs in force.
void show_runs(Database& database, std::string_view collection, std::string_view model,
               std::string_view field);

}  // namespace commonplace

#include "commonplace/library/machine/machine_labels.h"

#include "commonplace/base/error.h"
#include "commonplace/library/machine/machine_runs.h"

namespace commonplace {
namespace {

void record_model(Library& library, const ModelRecord& model) {
  check_collection_name(model.name);
  library.database()
      .prepare(
          "INSERT INTO model(name, kind, options, report, created) VALUES(?, ?, ?, ?, ?) "
          "ON CONFLICT(name) DO UPDATE SET options = excluded.options, report = excluded.report, "
          "created = excluded.created")
      .run(model.name, model.kind, model.options, model.report, current_time());
  Statement query = library.database().prepare("SELECT id, kind FROM model WHERE name = ?");
  query.bind(model.name).step();
  require(query.text(1) == model.kind, "there is a model '", model.name, "' of another kind (",
          query.text(1), "); give another name");
}

}  // namespace

void store_machine_labels(Library& library, const Collection& collection, const ModelRecord& model,
                          std::string_view field, const std::vector<MachineLabel>& labels) {
  require(!field.empty(), "labels need the name of their field");
  Transaction transaction(library.database());
  record_model(library, model);
  RunNotes notes;
  notes.command = model.kind;
  notes.settings = model.options;
  const std::int64_t run = begin_run(library.database(), collection.name, model.name, field, notes);
  Statement find =
      library.database().prepare("SELECT id FROM item WHERE collection = ? AND key = ?");
  Statement insert = library.database().prepare(
      "INSERT INTO run_label(run, item, value, score) VALUES(?, ?, ?, ?)");
  for (const MachineLabel& each : labels) {
    require(find.bind(collection.id, each.item).step(), "collection '", collection.name,
            "' has no item '", each.item, "'");
    insert.run(run, find.integer(0), each.value, each.score);
  }
  show_runs(library.database(), collection.name, model.name, field);
  transaction.commit();
}

std::int64_t remove_machine_labels(Library& library, const Collection& collection,
                                   std::string_view model) {
  model_record(library, model);
  return undo_runs_of(library, collection, model);
}

std::vector<GivenLabel> machine_labels_of(const Library& library, const Collection& collection,
                                          std::string_view item) {
  Statement query = library.database().prepare(
      "SELECT l.field, l.value, m.name, l.score FROM machine_label l "
      "JOIN model m ON m.id = l.model JOIN item i ON i.id = l.item "
      "WHERE i.collection = ? AND i.key = ? ORDER BY l.field, l.score DESC, l.value, m.name");
  query.bind(collection.id, item);
  std::vector<GivenLabel> result;
  while (query.step())
    result.push_back({std::string(query.text(0)), std::string(query.text(1)),
                      std::string(query.text(2)), query.real(3)});
  return result;
}

}  // namespace commonplace

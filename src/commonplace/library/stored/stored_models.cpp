#include "commonplace/library/stored/stored_models.h"

#include "commonplace/base/error.h"
#include "commonplace/base/join.h"
#include "commonplace/library/machine/machine_runs.h"

namespace commonplace {
namespace {

constexpr std::string_view kModelColumns =
    "SELECT name, kind, file, options, report, created FROM model ";

ModelRecord model_record(const Library& library, const Statement& row) {
  return {std::string(row.text(0)),
          std::string(row.text(1)),
          row.is_null(2) ? std::filesystem::path()
                         : library.path() / "models" / std::string(row.text(2)),
          std::string(row.text(3)),
          std::string(row.text(4)),
          std::string(row.text(5))};
}

void sweep(Library& library) {
  const Transaction transaction(library.database());
  sweep_unrecorded_files(library);
}

ModelRecord store_record(Library& library, ModelRecord record,
                         const std::function<void(const std::filesystem::path&)>& write) {
  record.created = current_time();
  {
    Transaction transaction(library.database());
    const std::int64_t number =
        1 + library.database().integer("SELECT coalesce(max(id), 0) FROM model");
    // A new name each time, so that a process which reads the old file is not disturbed.
    record.file = library.path() / "models" /
                  concat(record.name, "-", number, "-", record.created, ".safetensors");
    write(record.file);
    library.database()
        .prepare(
            "INSERT INTO model(name, kind, file, options, report, created) "
            "VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT(name) DO UPDATE SET kind = excluded.kind, "
            "file = excluded.file, options = excluded.options, report = excluded.report, "
            "created = excluded.created")
        .run(record.name, record.kind, record.file.filename().string(), record.options,
             record.report, record.created);
    transaction.commit();
  }
  sweep(library);
  return record;
}

}  // namespace

std::vector<ModelRecord> model_records(const Library& library) {
  Statement query = library.database().prepare(std::string(kModelColumns) +
                                               "WHERE kind <> 'word-index' ORDER BY name");
  std::vector<ModelRecord> result;
  while (query.step()) result.push_back(model_record(library, query));
  return result;
}

std::string word_index_name(const Collection& collection) {
  return concat(":words:", collection.id);
}

std::optional<std::filesystem::path> word_index_file(const Library& library,
                                                     const Collection& collection) {
  Statement query = library.database().prepare(std::string(kModelColumns) +
                                               "WHERE kind = 'word-index' AND name = ?");
  if (!query.bind(word_index_name(collection)).step()) return std::nullopt;
  return model_record(library, query).file;
}

void store_word_index(Library& library, const Collection& collection,
                      const std::function<void(const std::filesystem::path&)>& write) {
  store_record(library, {word_index_name(collection), "word-index", {}, "{}", "{}", ""}, write);
}

ModelRecord model_record(const Library& library, std::string_view name) {
  std::vector<ModelRecord> records = model_records(library);
  for (ModelRecord& each : records)
    if (each.name == name) return std::move(each);
  const std::string known = join(records, &ModelRecord::name);
  fail("there is no model '", name, "'; ",
       known.empty() ? "the library has none yet" : "there are: " + known);
}

ModelRecord store_model(Library& library, ModelRecord record,
                        const std::function<void(const std::filesystem::path&)>& write) {
  check_collection_name(record.name);
  return store_record(library, std::move(record), write);
}

void remove_model(Library& library, std::string_view name) {
  model_record(library, name);
  {
    Transaction transaction(library.database());
    library.database().prepare("DELETE FROM model WHERE name = ?").run(name);
    library.database()
        .prepare("UPDATE run SET undone = ? WHERE model = ? AND undone = ''")
        .run(current_time(), name);
    transaction.commit();
  }
  sweep(library);
}

void name_model(Library& library, std::string_view name) {
  library.database()
      .prepare(
          "INSERT OR IGNORE INTO model(name, kind, options, report, created) "
          "VALUES(?, 'named', '{}', '{}', ?)")
      .run(name, current_time());
}

void store_machine_tags(Library& library, const Collection& collection, std::string_view model,
                        const std::vector<MachineTag>& tags) {
  store_run(library, collection, model, tags, {});
}

std::int64_t count_machine_tags(const Library& library, const Collection& collection,
                                std::string_view model) {
  Statement query = library.database().prepare(
      "SELECT count(*) FROM machine_tag t JOIN item i ON i.id = t.item "
      "JOIN model m ON m.id = t.model WHERE i.collection = ? AND m.name = ?");
  query.bind(collection.id, model).step();
  return query.integer(0);
}

}  // namespace commonplace

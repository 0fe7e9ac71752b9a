#include "commonplace/library/machine/machine_runs.h"

#include "commonplace/base/error.h"
#include "commonplace/library/tags/tag_table.h"

namespace commonplace {
namespace {

constexpr std::string_view kRunColumns =
    "SELECT r.id, r.command, r.collection, r.model, r.version, r.field, r.settings, r.reason, "
    "r.replaces, r.time, r.undone, "
    "(SELECT count(*) FROM run_tag t WHERE t.run = r.id) + "
    "(SELECT count(*) FROM run_label l WHERE l.run = r.id), "
    "(SELECT count(DISTINCT item) FROM run_tag t WHERE t.run = r.id) + "
    "(SELECT count(DISTINCT item) FROM run_label l WHERE l.run = r.id), "
    "CASE r.field WHEN '' THEN (SELECT count(*) FROM machine_tag t WHERE t.run = r.id) "
    "ELSE (SELECT count(*) FROM machine_label g JOIN model m ON m.id = g.model "
    "JOIN run_label l ON l.run = r.id AND l.item = g.item AND l.value = g.value "
    "WHERE m.name = r.model AND g.field = r.field AND r.undone = '' AND r.id = "
    "(SELECT max(n.id) FROM run n WHERE n.collection = r.collection AND n.model = r.model AND "
    "n.field = r.field AND n.undone = '')) END FROM run r ";

MachineRun run_of(const Statement& row) {
  MachineRun run;
  run.id = row.integer(0);
  run.command = row.text(1);
  run.collection = row.text(2);
  run.model = row.text(3);
  run.version = row.text(4);
  run.field = row.text(5);
  run.settings = row.text(6);
  run.reason = row.text(7);
  run.replaces = row.integer(8) != 0;
  run.time = row.text(9);
  run.undone = row.text(10);
  run.wrote = row.integer(11);
  run.items = row.integer(12);
  run.shown = row.integer(13);
  return run;
}

/// The rows of machine_tag and machine_label that a model gave to items of a collection, with their
/// scores, as one text each.
constexpr std::string_view kShown =
    "SELECT 'tag ' || t.item || ' ' || t.tag || ' ' || t.score AS said FROM machine_tag t "
    "JOIN model m ON m.id = t.model JOIN item i ON i.id = t.item "
    "JOIN collection c ON c.id = i.collection WHERE c.name = ?1 AND m.name = ?2 "
    "UNION ALL SELECT 'label ' || l.item || ' ' || l.score || l.field || char(10) || l.value "
    "FROM machine_label l JOIN model m ON m.id = l.model JOIN item i ON i.id = l.item "
    "JOIN collection c ON c.id = i.collection WHERE c.name = ?1 AND m.name = ?2";

/// Does something to what a model's runs show, and counts what of it is new, gone or different.
template <class Change>
std::int64_t count_changes(Database& database, const MachineRun& run, const Change& change) {
  database.execute("CREATE TEMP TABLE shown_before(said TEXT PRIMARY KEY) STRICT, WITHOUT ROWID");
  database.prepare(concat("INSERT INTO shown_before ", kShown)).run(run.collection, run.model);
  change();
  Statement count = database.prepare(
      concat("WITH now AS (", kShown,
             ") SELECT "
             "(SELECT count(*) FROM now WHERE said NOT IN (SELECT said FROM shown_before)), "
             "(SELECT count(*) FROM shown_before WHERE said NOT IN (SELECT said FROM now))"));
  count.bind(run.collection, run.model).step();
  const std::int64_t changed = std::max(count.integer(0), count.integer(1));
  count.reset();
  database.execute("DROP TABLE shown_before");
  return changed;
}

std::int64_t set_undone(Library& library, std::int64_t id, bool undone) {
  Transaction transaction(library.database());
  const MachineRun run = machine_run(library, id);
  if (run.undone.empty() == !undone) return 0;
  const std::int64_t changed = count_changes(library.database(), run, [&] {
    library.database()
        .prepare("UPDATE run SET undone = ? WHERE id = ?")
        .run(undone ? current_time() : "", id);
    name_model(library, run.model);
    show_runs(library.database(), run.collection, run.model, run.field);
  });
  transaction.commit();
  return changed;
}

}  // namespace

std::vector<MachineRun> machine_runs(const Library& library) {
  Statement query = library.database().prepare(concat(kRunColumns, "ORDER BY r.id DESC"));
  std::vector<MachineRun> result;
  while (query.step()) result.push_back(run_of(query));
  return result;
}

MachineRun machine_run(const Library& library, std::int64_t id) {
  Statement query = library.database().prepare(concat(kRunColumns, "WHERE r.id = ?"));
  require(query.bind(id).step(), "there is no run ", id, "; commonplace runs LIB lists them");
  return run_of(query);
}

std::optional<MachineRun> newest_run(const Library& library, const Collection& collection,
                                     std::string_view model) {
  Statement query = library.database().prepare(
      concat(kRunColumns,
             "WHERE r.collection = ? AND r.model = ? AND r.undone = '' AND r.replaces = 1 "
             "ORDER BY r.id DESC LIMIT 1"));
  if (!query.bind(collection.name, model).step()) return std::nullopt;
  return run_of(query);
}

std::int64_t store_run(Library& library, const Collection& collection, std::string_view model,
                       const std::vector<MachineTag>& tags, const RunNotes& notes) {
  model_record(library, model);
  Transaction transaction(library.database());
  const std::int64_t run = begin_run(library.database(), collection.name, model, "", notes);
  TagTable table(library.database());
  Statement find =
      library.database().prepare("SELECT id FROM item WHERE collection = ? AND key = ?");
  Statement insert = library.database().prepare(
      "INSERT INTO run_tag(run, item, tag, score) SELECT ?, ?, ?, ? "
      "WHERE NOT (SELECT t.gone OR coalesce(m.manual, t.manual) FROM tag t LEFT JOIN tag m "
      "ON m.id = t.means WHERE t.id = ?3)");
  for (const MachineTag& each : tags) {
    require(find.bind(collection.id, each.item).step(), "collection '", collection.name,
            "' has no item '", each.item, "'");
    const std::int64_t tag = table.find_or_make(each.tag).id;
    require(tag != 0, "'", each.tag, "' is not a tag: nothing but white space");
    insert.run(run, find.integer(0), tag, each.score);
  }
  show_runs(library.database(), collection.name, model, "");
  transaction.commit();
  return run;
}

std::int64_t undo_run(Library& library, std::int64_t id) { return set_undone(library, id, true); }

std::int64_t restore_run(Library& library, std::int64_t id) {
  return set_undone(library, id, false);
}

std::int64_t undo_runs_of(Library& library, const Collection& collection, std::string_view model) {
  Transaction transaction(library.database());
  MachineRun all;
  all.collection = collection.name;
  all.model = model;
  const std::int64_t changed = count_changes(library.database(), all, [&] {
    Statement fields = library.database().prepare(
        "SELECT DISTINCT field FROM run WHERE collection = ? AND model = ? AND undone = ''");
    fields.bind(collection.name, model);
    std::vector<std::string> found;
    while (fields.step()) found.emplace_back(fields.text(0));
    library.database()
        .prepare("UPDATE run SET undone = ? WHERE collection = ? AND model = ? AND undone = ''")
        .run(current_time(), collection.name, model);
    for (const std::string& field : found)
      show_runs(library.database(), collection.name, model, field);
  });
  transaction.commit();
  return changed;
}

std::int64_t begin_run(Database& database, std::string_view collection, std::string_view model,
                       std::string_view field, const RunNotes& notes) {
  Statement version = database.prepare(
      "SELECT CASE WHEN file IS NULL THEN created ELSE substr(file, 1, length(file) - "
      "length('.safetensors')) END FROM model WHERE name = ? AND kind <> 'named'");
  const std::string learned =
      version.bind(model).step() ? std::string(version.text(0)) : std::string();
  database
      .prepare(
          "INSERT INTO run(command, collection, model, version, field, settings, reason, replaces, "
          "time) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(notes.command, collection, model, learned, field, notes.settings, notes.reason,
           notes.replaces ? 1 : 0, current_time());
  return database.last_row();
}

void show_runs(Database& database, std::string_view collection, std::string_view model,
               std::string_view field) {
  constexpr std::string_view kItems =
      "(SELECT i.id FROM item i JOIN collection c ON c.id = i.collection WHERE c.name = ?1)";
  constexpr std::string_view kInForce =
      "JOIN run r ON r.id = g.run JOIN model m ON m.name = r.model "
      "WHERE r.collection = ?1 AND r.model = ?2 AND r.field = ?3 AND r.undone = '' AND r.id >= "
      "(SELECT coalesce(max(id), 0) FROM run WHERE collection = ?1 AND model = ?2 AND field = ?3 "
      "AND undone = '' AND replaces = 1) ORDER BY r.id";
  const std::string of_model =
      concat("item IN ", kItems, " AND model = (SELECT id FROM model WHERE name = ?2)");
  if (field.empty()) {
    database.prepare(concat("DELETE FROM machine_tag WHERE ", of_model)).run(collection, model);
    database
        .prepare(concat("INSERT OR REPLACE INTO machine_tag(item, tag, model, score, run) "
                        "SELECT g.item, coalesce(t.means, t.id), m.id, g.score, r.id "
                        "FROM run_tag g JOIN tag t ON t.id = g.tag AND NOT t.gone AND "
                        "NOT (SELECT s.manual FROM tag s WHERE s.id = coalesce(t.means, t.id)) ",
                        kInForce))
        .run(collection, model, field);
  } else {
    database.prepare(concat("DELETE FROM machine_label WHERE ", of_model, " AND field = ?3"))
        .run(collection, model, field);
    database
        .prepare(concat("INSERT OR REPLACE INTO machine_label(item, field, value, model, score) "
                        "SELECT g.item, r.field, g.value, m.id, g.score FROM run_label g ",
                        kInForce))
        .run(collection, model, field);
  }
}

}  // namespace commonplace

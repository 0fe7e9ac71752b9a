#include "commonplace/library/schema.h"

#include <array>

#include "commonplace/base/error.h"

namespace commonplace {
namespace {

/// Step k takes a database from version k to k + 1. A step that has been released never changes.
constexpr std::array kSteps = {
    // Collections, their items, what humans said of them, and what machines did.
    R"sql(
CREATE TABLE collection(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL,             -- where it was last added from
  root TEXT NOT NULL,               -- the folder that relative image paths start from
  format TEXT NOT NULL,
  items INTEGER NOT NULL DEFAULT 0, -- their rows are 0 .. items-1
  changed TEXT NOT NULL
) STRICT;

CREATE TABLE item(
  id INTEGER PRIMARY KEY,
  collection INTEGER NOT NULL REFERENCES collection ON DELETE CASCADE,
  row INTEGER NOT NULL,             -- its row in every feature matrix of the collection
  key TEXT NOT NULL,                -- the id that its source gave
  title TEXT, text TEXT, image TEXT,
  latitude REAL, longitude REAL,
  time TEXT,
  metadata TEXT,
  fingerprint INTEGER NOT NULL,     -- of all that the source said
  UNIQUE(collection, key),
  UNIQUE(collection, row)
) STRICT;

CREATE TABLE tag(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,               -- as first written
  key TEXT NOT NULL UNIQUE,         -- case folded, for matching
  parent INTEGER REFERENCES tag
) STRICT;

-- What the source says. What a user says here is a decision, and what a machine says has a table
-- of its own, so neither a new import nor a model can overwrite the other two.
CREATE TABLE human_tag(
  item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE,
  position INTEGER NOT NULL,
  tag INTEGER NOT NULL REFERENCES tag,
  count REAL NOT NULL,
  written TEXT,                     -- where it is spelt otherwise than tag.name
  PRIMARY KEY(item, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX human_tag_by_tag ON human_tag(tag, item);

CREATE TABLE label(
  item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE,
  position INTEGER NOT NULL,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(item, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE model(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  file TEXT,                        -- below models/; none for a model that is only a name
  options TEXT NOT NULL,            -- JSON
  report TEXT NOT NULL,             -- JSON
  created TEXT NOT NULL
) STRICT;

CREATE TABLE machine_tag(
  item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE,
  tag INTEGER NOT NULL REFERENCES tag,
  model INTEGER NOT NULL REFERENCES model ON DELETE CASCADE,
  score REAL NOT NULL CHECK(score BETWEEN 0 AND 1),
  PRIMARY KEY(item, tag, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX machine_tag_by_tag ON machine_tag(tag, item);
CREATE INDEX machine_tag_by_model ON machine_tag(model);

-- A log that only grows; the newest entry of an item and a tag is in force. It names the item by
-- its collection's name and its key, so that it outlives both.
CREATE TABLE decision(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection TEXT NOT NULL,
  item TEXT NOT NULL,
  tag INTEGER NOT NULL REFERENCES tag,
  verdict INTEGER NOT NULL CHECK(verdict IN (-1, 0, 1)), -- rejected, withdrawn, accepted
  written TEXT NOT NULL,
  time TEXT NOT NULL
) STRICT;
CREATE INDEX decision_by_item ON decision(collection, item, tag);

CREATE TABLE link(
  a INTEGER NOT NULL REFERENCES item ON DELETE CASCADE,
  b INTEGER NOT NULL REFERENCES item ON DELETE CASCADE,
  weight REAL NOT NULL CHECK(weight BETWEEN -1 AND 1),
  PRIMARY KEY(a, b),
  CHECK(a < b)                      -- links have no direction
) STRICT, WITHOUT ROWID;
CREATE INDEX link_by_b ON link(b);

CREATE TABLE feature(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection INTEGER NOT NULL REFERENCES collection ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN ('dense', 'sparse')),
  file TEXT NOT NULL,               -- below features/
  rows INTEGER NOT NULL,
  columns INTEGER NOT NULL,
  source TEXT NOT NULL,
  UNIQUE(collection, name)
) STRICT;
)sql",
    // Labels that a model gave, as apart from the source's as machine tags are.
    R"sql(
CREATE TABLE machine_label(
  item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  model INTEGER NOT NULL REFERENCES model ON DELETE CASCADE,
  score REAL NOT NULL CHECK(score BETWEEN 0 AND 1),
  PRIMARY KEY(item, field, value, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX machine_label_by_model ON machine_label(model);
)sql",
    // What was derived from a collection holds as long as its revision is the same.
    R"sql(
ALTER TABLE collection ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
)sql",
    // What a user showed of a concept; a log like that of decisions, which these are not: they
    // teach a detector and change no item's tags.
    R"sql(
CREATE TABLE lesson(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  collection TEXT NOT NULL,
  concept TEXT NOT NULL,            -- case folded, for matching
  written TEXT NOT NULL,
  item TEXT NOT NULL,
  shows INTEGER NOT NULL CHECK(shows IN (-1, 0, 1)), -- does not, withdrawn, does
  time TEXT NOT NULL
) STRICT;
CREATE INDEX lesson_by_concept ON lesson(collection, concept, item);
)sql",
    // What was measured on the library's own items, so that it can be shown later.
    R"sql(
CREATE TABLE evaluation(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  verb TEXT NOT NULL,
  about TEXT NOT NULL,              -- the collection, or what else was asked for
  result TEXT NOT NULL,             -- JSON
  created TEXT NOT NULL
) STRICT;
)sql",
    // When a machine gave a tag, which of its tags stand in the files of pictures, and which items
    // came without a source.
    R"sql(
ALTER TABLE machine_tag ADD COLUMN run TEXT NOT NULL DEFAULT '';
CREATE TABLE machine_mark(          -- written to a sidecar by an export, or found in one
  item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE,
  tag INTEGER NOT NULL REFERENCES tag,
  model TEXT NOT NULL,              -- by name: it may be another library's
  PRIMARY KEY(item, tag)
) STRICT, WITHOUT ROWID;
ALTER TABLE item ADD COLUMN sourceless INTEGER NOT NULL DEFAULT 0;
UPDATE item SET sourceless = 1 WHERE key GLOB 'learned-????????????????';
)sql",
    // What machines wrote by the run that wrote it, who decided, what is said of a tag, and what
    // keeping a library up to date has to remember.
    R"sql(
CREATE TABLE fact(                  -- of the library itself
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO fact VALUES('identity', lower(hex(randomblob(16))));

ALTER TABLE decision ADD COLUMN who TEXT NOT NULL DEFAULT '';
ALTER TABLE decision ADD COLUMN origin TEXT NOT NULL DEFAULT ''; -- another library's identity, and
ALTER TABLE decision ADD COLUMN number INTEGER NOT NULL DEFAULT 0; -- its number there
ALTER TABLE lesson ADD COLUMN who TEXT NOT NULL DEFAULT '';

ALTER TABLE tag ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE tag ADD COLUMN manual INTEGER NOT NULL DEFAULT 0; -- machines never give it
ALTER TABLE tag ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0; -- it is not shown
CREATE TABLE vocabulary_change(     -- a log that only grows
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,               -- "describe", "rename", ...
  change TEXT NOT NULL,             -- JSON: all that it takes to do it and to undo it
  who TEXT NOT NULL,
  time TEXT NOT NULL,
  undone TEXT NOT NULL DEFAULT ''   -- when it was taken back
) STRICT;

CREATE TABLE run(                   -- what a machine wrote at once; kept when it is taken back
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  command TEXT NOT NULL,            -- "apply", "update", "transfer"; "add": a source had it
  collection TEXT NOT NULL,
  model TEXT NOT NULL,
  version TEXT NOT NULL,            -- which of the models that were called so
  field TEXT NOT NULL,              -- of the labels it wrote; empty: it wrote tags
  settings TEXT NOT NULL,           -- JSON
  reason TEXT NOT NULL,
  replaces INTEGER NOT NULL,        -- all that the model had said of the collection
  time TEXT NOT NULL,
  undone TEXT NOT NULL DEFAULT ''   -- when it was taken back
) STRICT;
CREATE INDEX run_by_model ON run(collection, model, field);
CREATE TABLE run_tag(               -- what machine_tag is made of: the runs that are in force
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE,
  tag INTEGER NOT NULL REFERENCES tag,
  score REAL NOT NULL CHECK(score BETWEEN 0 AND 1),
  PRIMARY KEY(run, item, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_tag_by_item ON run_tag(item);
CREATE INDEX run_tag_by_tag ON run_tag(tag);
CREATE TABLE run_label(             -- and machine_label
  run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE,
  value TEXT NOT NULL,
  score REAL NOT NULL CHECK(score BETWEEN 0 AND 1),
  PRIMARY KEY(run, item, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_label_by_item ON run_label(item);

INSERT INTO run(command, collection, model, version, field, settings, reason, replaces, time)
SELECT DISTINCT CASE t.run WHEN '' THEN 'add' ELSE 'apply' END, c.name, m.name, '', '', '{}', '',
  0, CASE t.run WHEN '' THEN c.changed ELSE t.run END
FROM machine_tag t JOIN item i ON i.id = t.item JOIN collection c ON c.id = i.collection
JOIN model m ON m.id = t.model;
INSERT INTO run_tag
SELECT r.id, t.item, t.tag, t.score
FROM machine_tag t JOIN item i ON i.id = t.item JOIN collection c ON c.id = i.collection
JOIN model m ON m.id = t.model JOIN run r ON r.collection = c.name AND r.model = m.name AND
  CASE t.run WHEN '' THEN r.command = 'add' ELSE r.command = 'apply' AND r.time = t.run END;
INSERT INTO run(command, collection, model, version, field, settings, reason, replaces, time)
SELECT DISTINCT 'transfer', c.name, m.name, m.created, l.field, m.options, '', 1, m.created
FROM machine_label l JOIN item i ON i.id = l.item JOIN collection c ON c.id = i.collection
JOIN model m ON m.id = l.model;
INSERT INTO run_label
SELECT r.id, l.item, l.value, l.score
FROM machine_label l JOIN item i ON i.id = l.item JOIN collection c ON c.id = i.collection
JOIN model m ON m.id = l.model
JOIN run r ON r.collection = c.name AND r.model = m.name AND r.field = l.field;

CREATE TABLE machine_tag_by_run(
  item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE,
  tag INTEGER NOT NULL REFERENCES tag,
  model INTEGER NOT NULL REFERENCES model ON DELETE CASCADE,
  score REAL NOT NULL CHECK(score BETWEEN 0 AND 1),
  run INTEGER NOT NULL REFERENCES run,
  PRIMARY KEY(item, tag, model)
) STRICT, WITHOUT ROWID;
INSERT INTO machine_tag_by_run
SELECT t.item, t.tag, m.id, t.score, t.run
FROM run_tag t JOIN run r ON r.id = t.run JOIN model m ON m.name = r.model;
DROP TABLE machine_tag;
ALTER TABLE machine_tag_by_run RENAME TO machine_tag;
CREATE INDEX machine_tag_by_tag ON machine_tag(tag, item);
CREATE INDEX machine_tag_by_model ON machine_tag(model);
CREATE INDEX machine_tag_by_run ON machine_tag(run);

ALTER TABLE collection ADD COLUMN reading TEXT NOT NULL DEFAULT '{}'; -- JSON: how to read the source
ALTER TABLE collection ADD COLUMN seen TEXT NOT NULL DEFAULT ''; -- what its files were then
CREATE TABLE item_file(             -- the picture of an item, as it was when it was read last
  item INTEGER PRIMARY KEY REFERENCES item ON DELETE CASCADE,
  size INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  content INTEGER NOT NULL          -- a hash, by which a moved file is known again
) STRICT;
CREATE INDEX item_file_by_content ON item_file(content);
CREATE TABLE upkeep(                -- what was brought up to date, and from what
  collection TEXT NOT NULL,
  step TEXT NOT NULL,
  state TEXT NOT NULL,
  items INTEGER NOT NULL,
  seconds REAL NOT NULL,
  said TEXT NOT NULL,
  time TEXT NOT NULL,
  PRIMARY KEY(collection, step)
) STRICT, WITHOUT ROWID;
)sql",
    // What tags mean by the vocabulary, beside what sources and people wrote; both tables of tags
    // of
    // people, and what machines say, are shown by it.
    R"sql(
ALTER TABLE tag ADD COLUMN colour TEXT NOT NULL DEFAULT '';
ALTER TABLE tag ADD COLUMN said TEXT;      -- its name as first written, where it is shown otherwise
ALTER TABLE tag ADD COLUMN means INTEGER REFERENCES tag; -- the tag that it means instead
ALTER TABLE tag ADD COLUMN gone INTEGER NOT NULL DEFAULT 0; -- it was deleted
CREATE INDEX tag_by_means ON tag(means);
CREATE TABLE source_tag(            -- what the source says where human_tag has it otherwise
  item INTEGER NOT NULL REFERENCES item ON DELETE CASCADE,
  position INTEGER NOT NULL,
  tag INTEGER NOT NULL REFERENCES tag,
  count REAL NOT NULL,
  written TEXT,
  PRIMARY KEY(item, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX source_tag_by_tag ON source_tag(tag);
ALTER TABLE decision ADD COLUMN said INTEGER REFERENCES tag; -- the tag decided on, where it means
                                                             -- another or is shown otherwise
ALTER TABLE decision ADD COLUMN meant INTEGER;               -- the verdict, where that is another
CREATE INDEX decision_by_tag ON decision(tag);
)sql",
};

}  // namespace

int newest_schema() { return static_cast<int>(kSteps.size()); }

int schema_version(const Database& database) {
  return static_cast<int>(database.integer("PRAGMA user_version"));
}

void migrate(Database& database, int version) {
  require(schema_version(database) <= newest_schema(), "this library has schema version ",
          schema_version(database), ", this program knows up to ", newest_schema(),
          "; use a newer commonplace");
  if (schema_version(database) >= version) return;
  Transaction transaction(database);
  // Read again: another process may have migrated while this one waited for the lock.
  for (int step = schema_version(database); step < version; ++step)
    database.execute(kSteps[static_cast<std::size_t>(step)]);
  database.execute(concat("PRAGMA user_version = ", version));
  transaction.commit();
}

}  // namespace commonplace

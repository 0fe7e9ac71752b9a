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

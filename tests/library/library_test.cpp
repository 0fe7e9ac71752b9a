#include "commonplace/library/library.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/library/identity.h"
#include "commonplace/library/machine/machine_labels.h"
#include "commonplace/library/machine/machine_runs.h"
#include "commonplace/library/schema.h"
#include "commonplace/library/tags/decision_log.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace library_test {

namespace fs = std::filesystem;
using test::import_jsonl;
using test::message_of;
using test::tag_names;
using test::TemporaryDirectory;

TEST(Library, IsMadeOnceAndOnlyInAnEmptyFolder) {
  const TemporaryDirectory folder;
  Library::create(folder / "new/library");
  EXPECT_TRUE(collections(Library(folder / "new/library")).empty());
  EXPECT_THROW(Library::create(folder / "new/library"), Error);
  folder.write("full/notes.txt", "mine");
  EXPECT_THROW(Library::create(folder / "full"), Error);
  EXPECT_THROW(Library::create(folder / "full/notes.txt"), Error);
  EXPECT_FALSE(fs::exists(folder / "full/library.db"));
}

TEST(Library, SaysWhatToDoWhereThereIsNone) {
  const TemporaryDirectory folder;
  EXPECT_NE(message_of([&] { Library library(folder / "none"); }).find("commonplace init"),
            std::string::npos);
  EXPECT_NE(message_of([&] { Library library(folder.path()); }).find("library.db"),
            std::string::npos);
  folder.write("bad/library.db", std::string(10'000, 'x'));
  EXPECT_NE(message_of([&] { Library library(folder / "bad"); }).find("damaged"),
            std::string::npos);
}

TEST(Library, OldSchemasAreBroughtUpToDate) {
  const TemporaryDirectory folder;
  fs::create_directories(folder / "library/features");
  fs::create_directories(folder / "library/models");
  {
    Database database(folder / "library/library.db", Database::Mode::create);
    migrate(database, 1);
    database.execute(
        "INSERT INTO collection(name, source, root, format, changed) VALUES('a','','','jsonl','')");
  }
  const Library library(folder / "library");
  EXPECT_EQ(schema_version(library.database()), newest_schema());
  EXPECT_EQ(library.database().integer("SELECT count(*) FROM machine_label"), 0);
  EXPECT_EQ(collections(library).size(), 1u);
}

TEST(Library, WhatOldLibrariesLearnedWithoutASourceIsKnownAsSuch) {
  const TemporaryDirectory folder;
  fs::create_directories(folder / "library/features");
  fs::create_directories(folder / "library/models");
  {
    Database database(folder / "library/library.db", Database::Mode::create);
    migrate(database, 5);
    database.execute(
        "INSERT INTO collection(id, name, source, root, format, items, changed) "
        "VALUES(1, 'a', '', '', 'jsonl', 2, '');"
        "INSERT INTO item(collection, row, key, fingerprint) "
        "VALUES(1, 0, 'learned-0123456789abcdef', 0), (1, 1, 'learned-by-heart', 0);");
  }
  const Library library(folder / "library");
  EXPECT_EQ(library.database().integer("SELECT sum(sourceless) FROM item"), 1);
  EXPECT_EQ(library.database().integer("SELECT count(*) FROM item"), 2);
}

/// A library as a program of that version left it.
void store_old_library(const TemporaryDirectory& folder, int version) {
  fs::create_directories(folder / "library/features");
  fs::create_directories(folder / "library/models");
  Database database(folder / "library/library.db", Database::Mode::create);
  migrate(database, std::min(version, 6));
  database.execute(
      "INSERT INTO collection(id, name, source, root, format, items, changed) "
      "VALUES(1, 'birds', '', '', 'jsonl', 2, '2020-01-01T00:00:00Z'),"
      "(2, 'ships', '', '', 'jsonl', 1, '2020-01-01T00:00:00Z');"
      "INSERT INTO item(id, collection, row, key, fingerprint) "
      "VALUES(1, 1, 0, 'a', 0), (2, 1, 1, 'b', 0), (3, 2, 0, 'a', 0);"
      "INSERT INTO tag(id, name, key) VALUES(1, 'Owl', 'owl'), (2, 'gull', 'gull'),"
      "(3, 'sea', 'sea');"
      "INSERT INTO human_tag(item, position, tag, count) VALUES(1, 0, 3, 1);"
      "INSERT INTO model(id, name, kind, options, report, created) VALUES"
      "(1, 'm', 'suggest', '{}', '{}', '2020-01-02T00:00:00Z'),"
      "(2, 'n', 'named', '{}', '{}', '2020-01-02T00:00:00Z');"
      "INSERT INTO machine_tag(item, tag, model, score) VALUES(1, 1, 1, 0.5), (1, 1, 2, 0.75), "
      "(2, 2, 1, 0.25), (3, 2, 1, 1);"
      "INSERT INTO decision(collection, item, tag, verdict, written, time) VALUES"
      "('birds', 'b', 2, 1, 'Gull', '2020-01-03T00:00:00Z');");
  if (version >= 2)
    database.execute(
        "INSERT INTO machine_label(item, field, value, model, score) "
        "VALUES(1, 'class', 'x', 1, 0.5), (2, 'class', 'y', 1, 0.5), (2, 'kind', 'z', 2, 0.5);");
  if (version >= 6)
    database.execute(
        "UPDATE machine_tag SET run = '2020-01-04T00:00:00Z' WHERE item = 1 AND model = 1;"
        "UPDATE machine_tag SET run = '2020-01-05T00:00:00Z' WHERE item = 2;");
  migrate(database, version);
}

TEST(Library, EveryOlderLibraryKeepsWhatItHas) {
  for (int version = 1; version < newest_schema(); ++version) {
    SCOPED_TRACE(version);
    const TemporaryDirectory folder;
    store_old_library(folder, version);
    Library library(folder / "library", Library::Access::write);
    ASSERT_EQ(schema_version(library.database()), newest_schema());
    const Collection birds = collection(library, "birds");
    const std::vector<ItemTag> tags = item(library, birds, "a", {.machine = true}).tags;
    ASSERT_EQ(tags.size(), 2u);
    EXPECT_EQ(tags[0].name, "sea");
    EXPECT_EQ(tags[1].name, "Owl");
    EXPECT_EQ(tags[1].score, 0.75);
    EXPECT_EQ(tag_names(library, "birds", "b"), std::vector<std::string>{"Gull"});
    EXPECT_EQ(machine_labels_of(library, birds, "b").size(), version >= 2 ? 2u : 0u);
    EXPECT_EQ(decision_log(library).at(0).who, "");
    EXPECT_EQ(identity_of(library).size(), 32u);
    EXPECT_EQ(library.database().integer("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    // What stands there belongs to runs, which can be taken back.
    std::int64_t shown = 0;
    for (const MachineRun& run : machine_runs(library)) {
      shown += run.shown;
      if (version >= 6 && run.time == "2020-01-05T00:00:00Z") {
        EXPECT_EQ(run.wrote, 1);
      }
      EXPECT_EQ(undo_run(library, run.id), run.shown);
    }
    EXPECT_EQ(shown, version >= 2 ? 7 : 4);
    EXPECT_EQ(library.database().integer("SELECT count(*) FROM machine_tag"), 0);
    EXPECT_EQ(library.database().integer("SELECT count(*) FROM machine_label"), 0);
    EXPECT_EQ(item(library, birds, "a", {.machine = true}).tags.size(), 1u);
  }
}

TEST(Library, NewerSchemasAreRefused) {
  const TemporaryDirectory folder;
  Library::create(folder / "library");
  {
    Database database(folder / "library/library.db", Database::Mode::write);
    database.execute("PRAGMA user_version = 999");
  }
  EXPECT_NE(message_of([&] { Library library(folder / "library"); }).find("newer"),
            std::string::npos);
}

TEST(Library, CollectionNamesAreChecked) {
  for (const char* good : {"photos", "My photos 2", "Фото", "a.b-c_d"})
    EXPECT_NO_THROW(check_collection_name(good)) << good;
  for (const char* bad : {"", "a/b", "a,b", ".hidden", "-x", " a", "a\nb", "\xff", "a  b"})
    EXPECT_THROW(check_collection_name(bad), Error) << bad;
  EXPECT_THROW(check_collection_name(std::string(101, 'a')), Error);
}

TEST(Library, AnUnknownCollectionNamesThoseThereAre) {
  const TemporaryDirectory folder;
  Library::create(folder / "library");
  Library library(folder / "library", Library::Access::write);
  EXPECT_NE(message_of([&] { collection(library, "x"); }).find("empty"), std::string::npos);
  import_jsonl(library, "birds", R"({"id":"1"})");
  EXPECT_NE(message_of([&] { collection(library, "x"); }).find("birds"), std::string::npos);
}

TEST(Library, ReadersSeeTheStateBeforeAWriterCommits) {
  const TemporaryDirectory folder;
  Library::create(folder / "library");
  Library writer(folder / "library", Library::Access::write);
  import_jsonl(writer, "birds", R"({"id":"1"})");
  const Library reader(folder / "library");
  Transaction transaction(writer.database());
  writer.database().execute("DELETE FROM collection");
  EXPECT_EQ(collections(reader).size(), 1u);
  transaction.commit();
  EXPECT_TRUE(collections(reader).empty());
}

TEST(Library, ARemovedCollectionTakesItsFilesButNotItsDecisions) {
  const TemporaryDirectory folder;
  Library::create(folder / "library");
  Library library(folder / "library", Library::Access::write);
  import_jsonl(library, "birds", R"({"id":"1","tags":["owl"]})");
  test::decide_one(library, "birds", "1", "owl", Verdict::rejected);
  folder.write("library/features/orphan.npy", "left by a killed process");
  remove_collection(library, collection(library, "birds"));
  EXPECT_TRUE(collections(library).empty());
  EXPECT_EQ(library.database().integer("SELECT count(*) FROM item"), 0);
  EXPECT_EQ(library.database().integer("SELECT count(*) FROM human_tag"), 0);
  EXPECT_FALSE(fs::exists(folder / "library/features/orphan.npy"));
  import_jsonl(library, "birds", R"({"id":"1","tags":["owl","bird"]})");
  EXPECT_EQ(test::tag_names(library, "birds", "1"), std::vector<std::string>({"bird"}));
}

}  // namespace library_test
}  // namespace commonplace

#include "commonplace/library/library.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/library/schema.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace library_test {

namespace fs = std::filesystem;
using test::import_jsonl;
using test::message_of;
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

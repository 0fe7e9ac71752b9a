#include "commonplace/library/items/import_items.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/library/items/items.h"
#include "commonplace/library/items/links.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/tag_uses.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace import_items_test {

using test::contents;
using test::import_jsonl;
using test::message_of;
using test::tag_names;

using Names = std::vector<std::string>;

class Import : public test::LibraryTest {
 protected:
  Collection birds() { return collection_named("birds"); }
};

TEST_F(Import, KeepsEveryField) {
  import_jsonl(library(), "birds",
               R"({"id":"1","title":"Eule","text":"Nachts","tags":["Owl","animals/Birds"],)"
               R"("image":"a/owl.jpg","lat":51.5,"lon":-0.1,"time":"2019-05-03T10:00:00+02:00",)"
               R"("label":"yes","colour":"brown","n":[1,2]})");
  const Item found = item(library(), birds(), "1");
  EXPECT_EQ(found.title, "Eule");
  EXPECT_EQ(found.text, "Nachts");
  ASSERT_EQ(found.tags.size(), 2u);
  EXPECT_EQ(found.tags[0], (ItemTag{"Owl", 1, GivenBy::source, "", 1}));
  EXPECT_EQ(found.tags[1].name, "animals/Birds");
  EXPECT_EQ(found.image, "a/owl.jpg");
  EXPECT_EQ(found.place, (Place{51.5, -0.1}));
  EXPECT_EQ(found.time, "2019-05-03T08:00:00Z");
  EXPECT_EQ(found.labels, (std::vector<Label>{{"label", "yes"}}));
  EXPECT_EQ(found.metadata, R"({"colour":"brown","n":[1,2]})");
}

TEST_F(Import, AddingAgainUpdatesWhatChanged) {
  const std::string first = R"({"id":"1","tags":["a"]})"
                            "\n"
                            R"({"id":"2","tags":["b"]})";
  ImportSummary summary = import_jsonl(library(), "birds", first);
  EXPECT_EQ(summary.added, 2);
  const std::string before = contents(library());
  summary = import_jsonl(library(), "birds", first);
  EXPECT_EQ(summary.unchanged, 2);
  EXPECT_EQ(contents(library()), before);
  summary = import_jsonl(library(), "birds",
                         R"({"id":"2","tags":["c","b"]})"
                         "\n"
                         R"({"id":"3","title":"new"})");
  EXPECT_EQ(summary.added, 1);
  EXPECT_EQ(summary.updated, 1);
  EXPECT_EQ(summary.missing, 1);
  EXPECT_EQ(tag_names(library(), "birds", "1"), Names({"a"}));
  EXPECT_EQ(tag_names(library(), "birds", "2"), Names({"c", "b"}));
  EXPECT_EQ(birds().items, 3);
}

TEST_F(Import, DecisionsAndMachineTagsSurviveAnUpdate) {
  import_jsonl(library(), "birds", R"({"id":"1","tags":["wrong","owl"]})");
  test::decide_one(library(), "birds", "1", "wrong", Verdict::rejected);
  test::decide_one(library(), "birds", "1", "night", Verdict::accepted);
  store_model(library(), {"m", "test", {}, "{}", "{}", ""},
              [&](const std::filesystem::path& path) { TensorWriter().write(path); });
  store_machine_tags(library(), birds(), "m",
                     {{"1", "WRONG", 0.9}, {"1", "Owl", 0.9}, {"1", "bird", 0.5}});
  const Names expected = {"owl", "night", "bird?"};
  EXPECT_EQ(tag_names(library(), "birds", "1"), expected);
  import_jsonl(library(), "birds", R"({"id":"1","tags":["Wrong","owl"],"title":"t"})");
  EXPECT_EQ(tag_names(library(), "birds", "1"), expected);
}

TEST_F(Import, SpellingsOfATagAreOneTagShownAsWritten) {
  import_jsonl(library(), "birds",
               R"({"id":"1","tags":["Straße"]})"
               "\n"
               R"({"id":"2","tags":["STRASSE","strasse"]})"
               "\n"
               R"({"id":"3","tags":["Cafe\u0301","caf\u00e9 "]})");
  EXPECT_EQ(tag_names(library(), "birds", "1"), Names({"Straße"}));
  const Item second = item(library(), birds(), "2");
  ASSERT_EQ(second.tags.size(), 1u);
  EXPECT_EQ(second.tags[0].name, "STRASSE");
  EXPECT_EQ(second.tags[0].count, 2);
  EXPECT_EQ(tag_names(library(), "birds", "3"), Names({"Café"}));
  EXPECT_EQ(library().database().integer("SELECT count(*) FROM tag"), 2);
}

TEST_F(Import, HierarchicalTagsKeepTheirParents) {
  import_jsonl(library(), "birds",
               R"({"id":"1","tags":["Animals/Birds/Owl"]})"
               "\n"
               R"({"id":"2","tags":["animals/birds","animals/cats"]})");
  Statement query = library().database().prepare(
      "SELECT t.name, p.name FROM tag t LEFT JOIN tag p ON p.id = t.parent ORDER BY t.key");
  Names pairs;
  while (query.step())
    pairs.push_back(std::string(query.text(0)) + "<" + std::string(query.text(1)));
  EXPECT_EQ(pairs, Names({"Animals<", "Animals/Birds<Animals", "Animals/Birds/Owl<Animals/Birds",
                          "animals/cats<Animals"}));
  const std::vector<TagUse> uses = tag_uses(library(), birds(), true);
  ASSERT_EQ(uses.size(), 4u);
  EXPECT_EQ(uses[0], (TagUse{"Animals", 2}));
  EXPECT_EQ(uses[1], (TagUse{"Animals/Birds", 2}));
  EXPECT_EQ(tag_uses(library(), birds()).size(), 3u);
}

TEST_F(Import, BadRecordsAreCountedNamedAndSkipped) {
  const ImportSummary summary = import_jsonl(library(), "birds",
                                             R"({"id":"1"})"
                                             "\n"
                                             "{broken\n"
                                             R"({"id":"1"})"
                                             "\n"
                                             R"({"id":"2","lat":95,"lon":0})"
                                             "\n"
                                             R"({"id":"3"})");
  EXPECT_EQ(summary.added, 2);
  EXPECT_EQ(summary.bad, 3);
  ASSERT_EQ(summary.problems.size(), 3u);
  EXPECT_EQ(summary.problems[0].where.line, 2u);
  EXPECT_EQ(summary.problems[1].where.line, 3u);
  EXPECT_NE(summary.problems[1].message.find("came before"), std::string::npos);
  EXPECT_EQ(summary.problems[2].where.line, 4u);
  EXPECT_NE(summary.problems[2].message.find("95"), std::string::npos);
}

TEST_F(Import, StrictStopsAtTheFirstBadRecordAndChangesNothing) {
  import_jsonl(library(), "birds", R"({"id":"1","tags":["a"]})");
  const std::string before = contents(library());
  ImportOptions strict;
  strict.strict = true;
  const std::string message = message_of([&] {
    import_jsonl(library(), "birds",
                 R"({"id":"2"})"
                 "\n"
                 "{broken",
                 strict);
  });
  EXPECT_NE(message.find("items.jsonl:2"), std::string::npos) << message;
  EXPECT_EQ(contents(library()), before);
}

TEST_F(Import, ASourceOfNothingButBadRecordsIsAnError) {
  EXPECT_THROW(import_jsonl(library(), "birds", "{x\n{y\n"), Error);
  EXPECT_FALSE(has_collection(library(), "birds"));
}

TEST_F(Import, StoppingOnRequestChangesNothing) {
  std::string lines;
  for (int i = 0; i < 50'000; ++i)
    lines += R"({"id":")" + std::to_string(i) +
             R"("})"
             "\n";
  const auto file = folder_.write("many.jsonl", lines);
  int calls = 0;
  EXPECT_THROW(import_collection(library(), "birds", file, {},
                                 [&](const ProgressStep&) {
                                   if (++calls == 3) throw Cancelled();
                                 }),
               Cancelled);
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(has_collection(library(), "birds"));
}

TEST_F(Import, PruneClosesTheGapsInRowsFeaturesAndLinks) {
  import_jsonl(library(), "birds",
               R"({"id":"a"})"
               "\n"
               R"({"id":"b"})"
               "\n"
               R"({"id":"c"})"
               "\n"
               R"({"id":"d"})");
  Matrix dense(4, 1);
  dense << 0, 1, 2, 3;
  store_features(library(), birds(), "dense", dense, "test");
  Sparse sparse;
  sparse.columns = 10;
  for (const int column : {5, 6, 7, 8}) {
    sparse.push(column, 1);
    sparse.end_row();
  }
  store_features(library(), birds(), "sparse", sparse.view(), {}, "test");
  import_links(library(), birds(), birds(), folder_.write("links.csv", "a,b,1\nc,d,-0.5\n"),
               no_progress);
  ImportOptions prune;
  prune.prune = true;
  const ImportSummary summary = import_jsonl(library(), "birds",
                                             R"({"id":"d"})"
                                             "\n"
                                             R"({"id":"e"})"
                                             "\n"
                                             R"({"id":"b"})",
                                             prune);
  EXPECT_EQ(summary.removed, 2);
  EXPECT_EQ(summary.missing, 0);
  EXPECT_EQ(birds().items, 3);
  ItemReader reader(library(), birds());
  Names ids;
  for (Item each; reader.next(each);) {
    EXPECT_EQ(reader.row(), static_cast<std::int64_t>(ids.size()));
    ids.push_back(each.id);
  }
  EXPECT_EQ(ids, Names({"b", "d", "e"}));
  Item past_the_end;
  EXPECT_FALSE(reader.next(past_the_end)) << "the end stays the end";
  const FeatureRecord kept = feature_record(library(), birds(), "dense");
  EXPECT_EQ(kept.rows, 2);
  const NpyMatrix rows = dense_features(kept);
  EXPECT_EQ(rows.view()(0, 0), 1);
  EXPECT_EQ(rows.view()(1, 0), 3);
  const SparseFeatures features(feature_record(library(), birds(), "sparse"));
  EXPECT_EQ(features.matrix().row_indices(1)[0], 8);
  EXPECT_TRUE(link_counts(library()).empty());
}

TEST_F(Import, PruneKeepsEverythingWhenARecordCouldNotBeRead) {
  import_jsonl(library(), "birds",
               R"({"id":"a"})"
               "\n"
               R"({"id":"b"})");
  ImportOptions prune;
  prune.prune = true;
  const ImportSummary summary = import_jsonl(library(), "birds",
                                             R"({"id":"a"})"
                                             "\n"
                                             R"({"id":"b")",
                                             prune);
  EXPECT_EQ(summary.removed, 0);
  EXPECT_EQ(summary.missing, 1);
  EXPECT_EQ(birds().items, 2);
}

TEST_F(Import, PruneKeepsWhatNoSourceEverHad) {
  import_jsonl(library(), "birds", "{\"id\":\"a\"}\n{\"id\":\"b\"}");
  Item learned;
  learned.id = "learned";
  learned.tags.push_back({.name = "owl", .model = {}});
  add_items(library(), birds(), {learned});
  ImportOptions prune;
  prune.prune = true;
  ImportSummary summary = import_jsonl(library(), "birds", R"({"id":"a"})", prune);
  EXPECT_EQ(summary.removed, 1);
  EXPECT_EQ(summary.missing, 0);
  EXPECT_EQ(tag_names(library(), "birds", "learned"), Names{"owl"});
  EXPECT_EQ(import_jsonl(library(), "birds", R"({"id":"a"})").missing, 0);
  // Once a source has had it, it goes with the source.
  import_jsonl(library(), "birds", "{\"id\":\"a\"}\n{\"id\":\"learned\"}");
  summary = import_jsonl(library(), "birds", R"({"id":"a"})", prune);
  EXPECT_EQ(summary.removed, 1);
  EXPECT_EQ(birds().items, 1);
}

TEST_F(Import, PruneOfNearlyAllIsRefused) {
  std::string lines;
  for (int i = 0; i < 30; ++i) lines += concat("{\"id\":\"", i, "\"}\n");
  import_jsonl(library(), "birds", lines);
  const std::string before = contents(library());
  ImportOptions prune;
  prune.prune = true;
  for (const char* left : {R"({"id":"7"})", R"({"id":"new"})"})
    EXPECT_NE(
        message_of([&] { import_jsonl(library(), "birds", left, prune); }).find("--prune-all"),
        std::string::npos);
  EXPECT_EQ(contents(library()), before);
  prune.prune_all = true;
  EXPECT_EQ(import_jsonl(library(), "birds", R"({"id":"7"})", prune).removed, 29);
}

TEST_F(Import, PicturesOfAnotherFolderAreNotStranded) {
  const auto first = folder_.write("one/a.jsonl", R"({"id":"a","image":"a.jpg"})");
  const auto second = folder_.write("two/a.jsonl", R"({"id":"b","image":"b.jpg"})");
  const auto moved = folder_.write("three/a.jsonl", R"({"id":"a","image":"a.jpg"})");
  import_collection(library(), "birds", first, {}, no_progress);
  const std::string before = contents(library());
  EXPECT_NE(message_of([&] {
              import_collection(library(), "birds", second, {}, no_progress);
            }).find("another name"),
            std::string::npos);
  EXPECT_EQ(contents(library()), before);
  EXPECT_EQ(birds().root, folder_ / "one");
  EXPECT_EQ(import_collection(library(), "birds", moved, {}, no_progress).unchanged, 1);
  EXPECT_EQ(birds().root, folder_ / "three");
}

TEST_F(Import, SparseFeaturesFollowTheirItems) {
  const auto source = folder_.write("data.xc", "3 4 2\n0 0:1 3:2.5\n1 1:1\n 2:4\n");
  ImportOptions options;
  options.format = "xc";
  import_collection(library(), "birds", source, options, no_progress);
  const FeatureRecord record = feature_record(library(), birds(), "given");
  EXPECT_EQ(record.rows, 3);
  EXPECT_EQ(record.columns, 4);
  {
    const SparseFeatures features(record);
    EXPECT_EQ(features.matrix().nonzeros(), 4);
    EXPECT_EQ(features.matrix().row_values(0)[1], 2.5F);
    EXPECT_EQ(features.matrix().row_indices(2)[0], 2);
  }
  folder_.write("data.xc", "3 4 2\n0 0:7\n1 1:1\n 2:4\n");
  import_collection(library(), "birds", source, options, no_progress);
  const SparseFeatures again(feature_record(library(), birds(), "given"));
  EXPECT_EQ(again.matrix().nonzeros(), 3);
  EXPECT_EQ(again.matrix().row_values(0)[0], 7.0F);
}

TEST_F(Import, AMissingSourceLeavesTheLibraryAlone) {
  EXPECT_THROW(import_collection(library(), "birds", folder_ / "none.jsonl", {}, no_progress),
               Error);
  EXPECT_THROW(import_jsonl(library(), "a/b", R"({"id":"1"})"), Error);
  EXPECT_TRUE(collections(library()).empty());
}

}  // namespace import_items_test
}  // namespace commonplace

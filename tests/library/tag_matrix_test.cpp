#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/tags/tag_uses.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace tag_matrix_test {

using test::decide_one;
using test::import_jsonl;
using Names = std::vector<std::string>;

const char* const kBirds = R"({"id":"a","tags":{"owl":3,"Night":1}})"
                           "\n"
                           R"({"id":"b"})"
                           "\n"
                           R"({"id":"c","tags":["Wren","Owl","animals/birds"]})"
                           "\n"
                           R"({"id":"d","title":"nothing"})";

class TagMatrixOf : public test::LibraryTest {
 protected:
  TagMatrixOf() {
    // Its tags are numbered first, and come between those of the birds by name.
    import_jsonl(library(), "other", R"({"id":"x","tags":["zebra","Pear","owl"]})");
    import_jsonl(library(), "birds", kBirds);
  }
  TagMatrix birds() { return tag_matrix(library(), collection_named("birds")); }
};

/// What an item of the matrix has, by the keys of the tags.
std::map<std::string, float> row_of(const TagMatrix& matrix, std::int64_t row) {
  std::map<std::string, float> result;
  const auto columns = matrix.counts.view().row_indices(row);
  for (std::size_t i = 0; i < columns.size(); ++i)
    result[tag_key(matrix.names[static_cast<std::size_t>(columns[i])])] =
        matrix.counts.view().row_values(row)[i];
  return result;
}

TEST_F(TagMatrixOf, ACollectionHasItsTagsAlone) {
  const TagMatrix matrix = birds();
  ASSERT_EQ(matrix.names.size(), 4u);
  Names keys;
  for (const std::string& name : matrix.names) keys.push_back(tag_key(name));
  EXPECT_EQ(keys, (Names{"animals/birds", "night", "owl", "wren"}));
  EXPECT_EQ(matrix.counts.columns, 4);
  EXPECT_EQ(matrix.counts.starts, (std::vector<std::int64_t>{0, 2, 2, 5, 5}));
  EXPECT_EQ(matrix.counts.indices, (std::vector<std::int32_t>{1, 2, 0, 2, 3}));
  EXPECT_EQ(matrix.counts.values, (std::vector<float>{1, 3, 1, 1, 1}));
}

TEST_F(TagMatrixOf, ACollectionHeedsDecisions) {
  decide_one(library(), "birds", "a", "owl", Verdict::rejected);
  decide_one(library(), "birds", "d", "Dawn", Verdict::accepted);
  decide_one(library(), "birds", "c", "WREN", Verdict::accepted);
  decide_one(library(), "birds", "b", "dusk", Verdict::accepted);
  decide_one(library(), "birds", "b", "dusk", Verdict::withdrawn);
  const TagMatrix matrix = birds();
  EXPECT_EQ(matrix.names.size(), 5u) << "nobody has dusk any more";
  using Row = std::map<std::string, float>;
  EXPECT_EQ(row_of(matrix, 0), (Row{{"night", 1}}));
  EXPECT_EQ(row_of(matrix, 1), Row{});
  EXPECT_EQ(row_of(matrix, 2), (Row{{"animals/birds", 1}, {"owl", 1}, {"wren", 1}}));
  EXPECT_EQ(row_of(matrix, 3), (Row{{"dawn", 1}}));
}

TEST_F(TagMatrixOf, ACollectionAgreesWithReadingItsItems) {
  std::string lines;
  for (int item = 0; item < 60; ++item) {
    lines += R"({"id":")" + std::to_string(item) + R"(","tags":{)";
    for (int tag = 0; tag < item % 7; ++tag)
      lines += (tag > 0 ? "," : "") + ("\"tag" + std::to_string((item * 5 + tag * 11) % 23)) +
               "\":" + std::to_string(1 + (item + tag) % 4);
    lines += "}}\n";
  }
  import_jsonl(library(), "many", lines);
  for (int item = 0; item < 60; item += 4)
    decide_one(library(), "many", std::to_string(item), "tag" + std::to_string(item % 23),
               item % 8 == 0 ? Verdict::accepted : Verdict::rejected);
  const Collection many = collection_named("many");
  const TagMatrix matrix = tag_matrix(library(), many);
  ASSERT_EQ(matrix.counts.rows(), 60);
  ItemReader reader(library(), many);
  for (Item item; reader.next(item);) {
    std::map<std::string, float> expected;
    for (const ItemTag& tag : item.tags)
      expected[tag_key(tag.name)] = static_cast<float>(tag.count);
    EXPECT_EQ(row_of(matrix, reader.row()), expected) << item.id;
    const auto columns = matrix.counts.view().row_indices(reader.row());
    EXPECT_TRUE(std::is_sorted(columns.begin(), columns.end())) << item.id;
  }
}

TEST_F(TagMatrixOf, ACollectionWithoutTagsHasEmptyRows) {
  import_jsonl(library(), "bare", "{\"id\":\"1\"}\n{\"id\":\"2\"}");
  const TagMatrix matrix = tag_matrix(library(), collection_named("bare"));
  EXPECT_TRUE(matrix.names.empty());
  EXPECT_EQ(matrix.counts.columns, 0);
  EXPECT_EQ(matrix.counts.rows(), 2);
  EXPECT_EQ(matrix.counts.nonzeros(), 0);
}

class StateOf : public TagMatrixOf {
 protected:
  std::string state() { return state_of(library(), collection_named("birds")); }
};

TEST_F(StateOf, ACollectionChangesWithItsItems) {
  const std::string before = state();
  import_jsonl(library(), "birds", std::string(kBirds) + "\n" + R"({"id":"e"})");
  const std::string added = state();
  EXPECT_NE(added, before);
  // As many items as before, within the same second.
  import_jsonl(library(), "birds", R"({"id":"a","tags":["heron"]})");
  const std::string changed = state();
  EXPECT_NE(changed, added);
  ImportOptions prune;
  prune.prune = true;
  import_jsonl(library(), "birds", R"({"id":"a","tags":["heron"]})", prune);
  EXPECT_EQ(collection_named("birds").items, 1);
  EXPECT_NE(state(), changed);
}

TEST_F(StateOf, ACollectionChangesWithEveryDecision) {
  std::string before = state();
  for (const Verdict verdict : {Verdict::accepted, Verdict::rejected, Verdict::withdrawn}) {
    decide_one(library(), "birds", "a", "owl", verdict);
    EXPECT_NE(state(), before);
    before = state();
  }
}

TEST_F(StateOf, ACollectionDoesNotChangeOtherwise) {
  const std::string before = state();
  import_jsonl(library(), "other", R"({"id":"x","tags":["owl","heron"]})");
  import_jsonl(library(), "third", R"({"id":"a"})");
  decide_one(library(), "other", "x", "owl", Verdict::rejected);
  remove_collection(library(), collection_named("third"));
  birds();
  EXPECT_EQ(state(), before);
  EXPECT_THROW(decide_one(library(), "birds", "nobody", "owl", Verdict::accepted), Error);
  EXPECT_EQ(state(), before) << "a decision that was refused is none";
  ImportOptions strict;
  strict.strict = true;
  EXPECT_THROW(import_jsonl(library(), "birds", "{\"id\":\"z\"}\n{broken", strict), Error);
  EXPECT_EQ(state(), before) << "what was taken back is no change";
  const Library again(library().path());
  EXPECT_EQ(state_of(again, collection(again, "birds")), before);
  EXPECT_NE(state_of(again, collection(again, "other")), before);
}

}  // namespace tag_matrix_test
}  // namespace commonplace

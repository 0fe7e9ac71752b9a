#include "commonplace/search/index.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/formats/item.h"
#include "commonplace/search/learn.h"
#include "tests/support/planted_collections.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace index_test {

using namespace search;

constexpr const char* kItems =
    R"({"id":"1","title":"Night owl","text":"owl owl","tags":["animals/Owl","Snowy Owl"]})"
    "\n"
    R"({"id":"2","time":"1904-05-03","tags":[]})"
    "\n"
    R"({"id":"3","text":"night train","tags":["animals"]})";

class SearchIndexes : public test::LibraryTest {
 protected:
  SearchIndexes() {
    test::import_jsonl(library(), "items", kItems);
    test::add_planted_collections(library());
  }

  void learn(const std::string& name = "model") {
    search::ModelOptions options;
    options.rank = options.auxiliary_rank = 6;
    options.shared = "2";
    search::learn(library(), "photos", {"gallery"}, name, options, {.jobs = 1});
  }
  search::Model model() {
    return search::load_model(TensorFile(model_record(library(), "model").file));
  }
  search::Index photo_index() {
    const search::Model learned = model();
    return search::make_index(library(), collection_named("photos"), &learned, {.jobs = 1});
  }
  struct Opened {
    search::Index index;
    bool made = false;
  };
  Opened open() {
    const ModelRecord record = model_record(library(), "model");
    const search::Model learned = search::load_model(TensorFile(record.file));
    Opened opened;
    opened.index = search::open_index(
        library(), collection_named("photos"), &record, &learned,
        {.jobs = 1, .progress = [&](const ProgressStep&) { opened.made = true; }});
    return opened;
  }
  void store(search::Index index) {
    search::store_index(library(), model_record(library(), "model"), std::move(index));
  }
};

float count_of(const WordPostings& words, const std::string& word, std::int32_t item) {
  const std::int32_t row = words.words.find(word);
  if (row < 0) return 0;
  const auto items = words.items.view().row_indices(row);
  const auto found = std::find(items.begin(), items.end(), item);
  return found == items.end()
             ? 0
             : words.items.view().row_values(row)[static_cast<std::size_t>(found - items.begin())];
}

void expect_same(const Sparse& a, const Sparse& b) {
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.starts, b.starts);
  EXPECT_EQ(a.indices, b.indices);
  EXPECT_EQ(a.values, b.values);
}

void expect_same(const WordPostings& a, const WordPostings& b) {
  EXPECT_EQ(a.words.strings(), b.words.strings());
  expect_same(a.items, b.items);
  EXPECT_EQ(a.lengths, b.lengths);
  EXPECT_EQ(a.mean_length, b.mean_length);
}

void expect_same(const search::Index& a, const search::Index& b) {
  EXPECT_EQ(a.items, b.items);
  expect_same(a.tag_words, b.tag_words);
  expect_same(a.text_words, b.text_words);
  EXPECT_EQ(a.tags.strings(), b.tags.strings());
  expect_same(a.tag_items, b.tag_items);
  EXPECT_EQ(a.times, b.times);
  EXPECT_EQ(a.term_words.strings(), b.term_words.strings());
  expect_same(a.word_terms, b.word_terms);
  expect_same(a.rejected, b.rejected);
  expect_same(a.coded.terms, b.coded.terms);
  EXPECT_EQ(a.coded.unrelated, b.coded.unrelated);
  EXPECT_TRUE(a.coded.codes == b.coded.codes);
  expect_same(a.coded.votes, b.coded.votes);
}

TEST_F(SearchIndexes, HoldsTheWordsTagsAndTimesOfEveryItem) {
  const search::Index index =
      search::make_index(library(), collection_named("items"), nullptr, {.jobs = 1});
  EXPECT_EQ(index.items, 3);
  EXPECT_EQ(count_of(index.text_words, "owl", 0), 3);
  EXPECT_EQ(count_of(index.text_words, "night", 0), 1);
  EXPECT_EQ(count_of(index.text_words, "night", 2), 1);
  EXPECT_EQ(index.text_words.lengths, std::vector<float>({4, 0, 2}));
  EXPECT_EQ(index.text_words.mean_length, 3);
  EXPECT_EQ(count_of(index.tag_words, "owl", 0), 2) << "in two tags";
  EXPECT_EQ(count_of(index.tag_words, "animals", 0), 1);
  EXPECT_EQ(count_of(index.tag_words, "animals", 2), 1);
  EXPECT_EQ(index.times[0], search::Index::kNoTime);
  EXPECT_EQ(index.times[1], epoch_seconds("1904-05-03"));
  const auto animals = index.tag_items.view().row_indices(index.tags.find("animals"));
  EXPECT_EQ(std::vector<std::int32_t>(animals.begin(), animals.end()),
            std::vector<std::int32_t>({0, 2}));
  EXPECT_GE(index.tags.find("animals/owl"), 0);
  EXPECT_EQ(index.tags.find("owl"), -1);
}

TEST_F(SearchIndexes, SavesAndLoadsToTheBit) {
  learn();
  test::decide_one(library(), "photos", "photo-0", "engine", Verdict::rejected);
  const search::Index index = photo_index();
  const search::Model learned = model();
  const auto rejected = index.rejected.view().row_indices(learned.vocabulary.find("engine"));
  ASSERT_EQ(rejected.size(), 1U);
  EXPECT_EQ(rejected[0], 0);
  save(index, folder_ / "index.safetensors");
  expect_same(search::load_index(TensorFile(folder_ / "index.safetensors")), index);
}

TEST_F(SearchIndexes, DamagedFilesAreErrors) {
  learn();
  save(photo_index(), folder_ / "index.safetensors");
  const std::string whole = test::slurp(folder_ / "index.safetensors");
  for (std::size_t length = 0; length < whole.size(); length += whole.size() / 50 + 1)
    EXPECT_THROW(search::load_index(TensorFile(whole.substr(0, length), "cut")), Error) << length;
  for (std::size_t place = 8; place < whole.size(); place += whole.size() / 50 + 1) {
    std::string flipped = whole;
    flipped[place] = static_cast<char>(flipped[place] ^ 0x10);
    EXPECT_THROW(search::load_index(TensorFile(flipped, "flipped")), Error) << place;
  }
  save(model(), folder_ / "model.safetensors");
  EXPECT_THROW(search::load_index(TensorFile(folder_ / "model.safetensors")), Error);
}

TEST_F(SearchIndexes, PartsThatDoNotFitTogetherAreErrors) {
  learn();
  const search::Index good = photo_index();
  const std::vector<std::function<void(search::Index&)>> changes = {
      [](search::Index& index) { index.times.pop_back(); },
      [](search::Index& index) { index.tags.add("one too many"); },
      [](search::Index& index) { index.term_words.add("one too many"); },
      [](search::Index& index) { index.tag_words.words.add("one too many"); },
      [](search::Index& index) { index.text_words.lengths.pop_back(); },
      [](search::Index& index) { index.rejected.columns += 1; },
      [](search::Index& index) { index.rejected.end_row(); },
      [](search::Index& index) { index.coded.unrelated.push_back(0); },
      [](search::Index& index) { index.coded.votes.end_row(); },
      [](search::Index& index) {
        index.coded.codes(0, 0) = std::numeric_limits<float>::infinity();
      },
      [](search::Index& index) { index.coded.terms.columns += 1; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    search::Index bad = good;
    changes[i](bad);
    save(bad, folder_ / "index.safetensors");
    EXPECT_THROW(search::load_index(TensorFile(folder_ / "index.safetensors")), Error) << i;
  }
}

TEST_F(SearchIndexes, TheStoredOneServesUntilSomethingChanges) {
  learn();
  EXPECT_FALSE(open().made) << "learning stores an index";
  expect_same(open().index, photo_index());

  test::import_jsonl(library(), "photos", R"({"id":"new","tags":["ship","tide"]})");
  Opened opened = open();
  EXPECT_TRUE(opened.made) << "an item was added";
  EXPECT_EQ(opened.index.items, collection_named("photos").items);
  EXPECT_TRUE(open().made) << "opening does not write";
  store(opened.index);
  EXPECT_FALSE(open().made);

  test::decide_one(library(), "photos", "new", "tide", Verdict::rejected);
  opened = open();
  EXPECT_TRUE(opened.made) << "a tag was rejected";
  store(opened.index);
  test::import_jsonl(library(), "photos", R"({"id":"new","tags":["ship","gull"]})");
  opened = open();
  EXPECT_TRUE(opened.made) << "an item was changed";
  expect_same(opened.index, photo_index());
  store(opened.index);
  EXPECT_FALSE(open().made);
  learn("other");
  EXPECT_FALSE(open().made) << "another model is nothing to this one";
}

TEST_F(SearchIndexes, ADamagedStoredOneIsMadeAgain) {
  learn();
  const search::Index right = open().index;
  for (const ModelRecord& record : model_records(library())) {
    if (record.name != "model.index") continue;
    std::string content = test::slurp(record.file);
    content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
    std::ofstream(record.file, std::ios::binary) << content;
  }
  const Opened opened = open();
  EXPECT_TRUE(opened.made);
  expect_same(opened.index, right);
}

TEST_F(SearchIndexes, OneThatWasMadeByAnotherModelDoesNotServe) {
  learn();
  search::ModelOptions options;
  options.rank = options.auxiliary_rank = 3;
  options.terms.min_items = 11;
  search::learn(library(), "photos", {}, "small", options, {.jobs = 1});
  const search::Model small = search::load_model(TensorFile(model_record(library(), "small").file));
  ASSERT_NE(small.vocabulary.size(), model().vocabulary.size());
  store(search::make_index(library(), collection_named("photos"), &small, {.jobs = 1}));
  EXPECT_TRUE(open().made);
}

}  // namespace index_test
}  // namespace commonplace

#include "commonplace/rows/rank_words.h"

#include <gtest/gtest.h>

#include "commonplace/library/items/items.h"
#include "commonplace/rows/item_texts.h"
#include "tests/support/rank_libraries.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace rank_words_test {

constexpr const char* kItems = R"({"id":"1","title":"Night owl","text":"The owl hunts at night"})"
                               "\n"
                               R"({"id":"2","text":"zebra and żubr, a train at night"})"
                               "\n"
                               R"({"id":"3","tags":["owl"]})"
                               "\n"
                               R"({"id":"4","text":"Aardvark"})"
                               "\n"
                               R"({"id":"5","text":"the owl again, the owl"})";

class RankWords : public test::LibraryTest {
 protected:
  RankWords() { test::import_jsonl(library(), "items", kItems); }

  static void expect_same(const Sparse& found, const Sparse& expected) {
    EXPECT_EQ(found.columns, expected.columns);
    EXPECT_EQ(found.starts, expected.starts);
    EXPECT_EQ(found.indices, expected.indices);
    EXPECT_EQ(found.values, expected.values);
  }
};

TEST_F(RankWords, AreThoseThatOneReaderCounts) {
  const Collection items = collection_named("items");
  ItemReader reader(library(), items);
  const TermCounts expected = count_words(texts_of(reader), {}, 1);
  ASSERT_GT(expected.terms.size(), 8);
  for (const int ranks : {1, 2, 3, 4, 7})
    test::with_rank_libraries(ranks, folder_ / "library", [&](Comm& comm, Library& own) {
      const TermCounts found = count_words(own, collection(own, "items"), {}, {comm, 1});
      EXPECT_EQ(found.terms.strings(), expected.terms.strings()) << ranks;
      expect_same(found.counts, expected.counts);
    });
}

TEST_F(RankWords, KnownWordsKeepTheirColumns) {
  const Collection items = collection_named("items");
  TermTable known;
  for (const char* word : {"train", "owl", "nowhere", "night"}) known.add(word);
  const Sparse expected = count_known_words(known, library(), items, {}, {.jobs = 1});
  EXPECT_EQ(expected.columns, 4);
  EXPECT_EQ(expected.indices, (std::vector<std::int32_t>{1, 3, 0, 3, 1}));
  EXPECT_EQ(expected.values, (std::vector<float>{2, 2, 1, 1, 2}));
  for (const int ranks : {2, 3, 4, 7})
    test::with_rank_libraries(ranks, folder_ / "library", [&](Comm& comm, Library& own) {
      expect_same(count_known_words(known, own, collection(own, "items"), {}, {comm, 1}), expected);
    });
}

TEST_F(RankWords, TheTextsOfAnySourceAreSharedOut) {
  for (const int ranks : {1, 3, 8}) {
    std::vector<std::string> read(static_cast<std::size_t>(ranks));
    run_as_threads(ranks, [&](Comm& comm) {
      const TextSource texts = own_texts(
          [next = 0](std::string& text) mutable {
            text = std::string(1, static_cast<char>('a' + next));
            return next++ < 6;
          },
          6, comm);
      for (std::string text; texts(text);) read[static_cast<std::size_t>(comm.rank())] += text;
    });
    std::string all;
    for (const std::string& each : read) {
      EXPECT_LE(each.size(), static_cast<std::size_t>(6 / ranks + 1));
      all += each;
    }
    EXPECT_EQ(all, "abcdef");
  }
}

}  // namespace rank_words_test
}  // namespace commonplace

#include "commonplace/search/conditions.h"

#include <gtest/gtest.h>

#include "commonplace/search/ask.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace conditions_test {

using namespace search;

constexpr const char* kItems =
    R"({"id":"owl","title":"Night owl","text":"The owl hunts by the river","time":"1904-05-03",)"
    R"("tags":["animals/birds/Snowy","Night"]})"
    "\n"
    R"({"id":"train","text":"A steam train crosses the river","time":"1950",)"
    R"("tags":["Railways","New York/Grand Central"]})"
    "\n"
    R"({"id":"boat","title":"Steam boat","text":"Train of thought","time":"1950-06",)"
    R"("tags":["ships","New  York"]})"
    "\n"
    R"({"id":"bare","tags":["Ärger","Œuvre/Straße","日本 の 橋"]})"
    "\n"
    R"({"id":"cat","time":"1903-12-31T23:59:59Z","tags":["ANIMALS","paddle steamer"]})";

using Ids = std::vector<std::string>;

class SearchConditions : public test::LibraryTest {
 protected:
  SearchConditions() { test::import_jsonl(library(), "items", kItems); }

  search::Answer answer(const std::string& query, std::int64_t limit = 100) {
    search::Options options;
    options.limit = limit;
    return search::Answerer(library(), "items", "", {.jobs = 1}).ask(parse_query(query), options);
  }
  Ids found(const std::string& query, std::int64_t limit = 100) {
    Ids ids;
    for (const search::Hit& hit : answer(query, limit).hits) ids.push_back(hit.id);
    return ids;
  }
};

TEST_F(SearchConditions, TagsAreFoundWithAllThatIsBelowThem) {
  EXPECT_EQ(found("#animals"), Ids({"owl", "cat"}));
  EXPECT_EQ(found("#animals/birds"), Ids({"owl"}));
  EXPECT_EQ(found("#animals/birds/snowy"), Ids({"owl"}));
  EXPECT_EQ(found("#animals/fish"), Ids());
  EXPECT_EQ(found("#animal"), Ids());
  EXPECT_EQ(found("tag:\"new york\""), Ids({"train", "boat"}));
  EXPECT_EQ(found("tag:\"new york/grand central\""), Ids({"train"}));
  EXPECT_EQ(found("#new"), Ids());
}

TEST_F(SearchConditions, NamesAreComparedWithoutCaseInEveryScript) {
  EXPECT_EQ(found("#ärger"), Ids({"bare"}));
  EXPECT_EQ(found("#ÄRGER"), Ids({"bare"}));
  EXPECT_EQ(found("#A\xCC\x88rger"), Ids({"bare"})) << "an A and a combining diaeresis";
  EXPECT_EQ(found("#œuvre"), Ids({"bare"}));
  EXPECT_EQ(found("tag:\"ŒUVRE / STRASSE\""), Ids({"bare"}));
  EXPECT_EQ(found("tag:\"日本 の 橋\""), Ids({"bare"}));
  EXPECT_EQ(found("NIGHT"), Ids({"owl"}));
  EXPECT_EQ(found("STRASSE"), Ids({"bare"}));
}

TEST_F(SearchConditions, TimesBoundWhatHasOne) {
  EXPECT_EQ(found("before:1950"), Ids({"owl", "cat"}));
  EXPECT_EQ(found("after:1950"), Ids({"train", "boat"}));
  EXPECT_EQ(found("after:1950-02"), Ids({"boat"}));
  EXPECT_EQ(found("after:1904 before:1905"), Ids({"owl"}));
  EXPECT_EQ(found("before:1904"), Ids({"cat"}));
  EXPECT_EQ(found("not before:1950"), Ids({"train", "boat", "bare"}));
  EXPECT_EQ(found("before:1000"), Ids());
}

TEST_F(SearchConditions, TimesAreWithinAYearAMonthOrADay) {
  EXPECT_EQ(found("in:1904"), Ids({"owl"}));
  EXPECT_EQ(found("in:1903-12-31"), Ids({"cat"}));
  EXPECT_EQ(found("in:1905"), Ids());
  EXPECT_EQ(found("in:1950"), Ids({"train", "boat"}));
  EXPECT_EQ(found("in:1950-01"), found("in:1950 before:1950-02"));
}

TEST_F(SearchConditions, FactsAndAreasOfItems) {
  test::import_jsonl(library(), "items",
                     R"({"id":"p","image":"p.png","lat":50.5,"lon":13,"url":"http://a"}
{"id":"q","tags":["x"],"lat":-17,"lon":179.5}
{"id":"r","tags":["y"],"lat":-17,"lon":-179.5}
)");
  EXPECT_EQ(found("is:picture"), Ids({"p"}));
  EXPECT_EQ(found("is:link"), Ids({"p"}));
  EXPECT_EQ(found("is:placed"), Ids({"p", "q", "r"}));
  EXPECT_EQ(found("is:placed is:untagged"), Ids({"p"}));
  EXPECT_EQ(found("is:placed -is:untagged"), Ids({"q", "r"}));
  EXPECT_EQ(found("is:automatic"), Ids());
  EXPECT_EQ(found("area:50,12,51,14"), Ids({"p"}));
  EXPECT_EQ(found("area:-20,179,-10,-179"), Ids({"q", "r"})) << "across the line of dates";
  for (const char* bad : {"is:odd", "is:", "area:1,2,3", "area:1,2,3,x", "area:9,2,3,4", "in:soon"})
    EXPECT_THROW(parse_query(bad), Error) << bad;
}

TEST_F(SearchConditions, PhrasesAreWordsNextToEachOther) {
  EXPECT_EQ(found("\"steam train\""), Ids({"train"}));
  EXPECT_EQ(found("\"STEAM   Boat\""), Ids({"boat"}));
  EXPECT_EQ(found("\"train steam\""), Ids());
  EXPECT_EQ(found("\"paddle steamer\""), Ids({"cat"})) << "in a tag";
  EXPECT_EQ(found("\"river hunts\""), Ids());
  EXPECT_EQ(found("\"grand central\""), Ids({"train"})) << "in a level of a tag";
  EXPECT_EQ(found("-\"steam train\" steam"), Ids({"boat"}));
}

TEST_F(SearchConditions, WordsJoinedAreDemandedOthersOnlyRank) {
  EXPECT_EQ(found("owl steam").size(), 3U);
  EXPECT_EQ(found("river and steam"), Ids({"train"}));
  EXPECT_EQ(found("river -steam"), Ids({"owl"}));
  EXPECT_EQ(found("river not train"), Ids({"owl"}));
  EXPECT_EQ(found("(owl or thought) and (river or steam)").size(), 2U);
  EXPECT_EQ(found("(owl or thought) #animals"), Ids({"owl"}));
  EXPECT_EQ(found("-#animals -tag:\"new york\""), Ids({"bare"}));
  EXPECT_EQ(found("not (steam or night or #animals)"), Ids({"bare"}));
  EXPECT_EQ(found("#animals or #ships"), Ids({"owl", "boat", "cat"}));
}

TEST_F(SearchConditions, ConditionsAloneKeepTheOrderOfTheItems) {
  const search::Answer answer = this->answer("not before:1950", 2);
  ASSERT_EQ(answer.hits.size(), 2U);
  EXPECT_EQ(answer.hits[0].id, "train");
  EXPECT_EQ(answer.hits[0].score, 0);
  EXPECT_EQ(answer.hits[0].tags, Ids({"Railways", "New York/Grand Central"}));
}

TEST_F(SearchConditions, WhatIsNowhereIsReported) {
  const search::Answer answer = this->answer("zebra owl Quagga -okapi");
  EXPECT_EQ(answer.unknown, Ids({"zebra", "quagga"}));
  ASSERT_EQ(answer.hits.size(), 1U);
  EXPECT_EQ(answer.hits[0].id, "owl");
}

TEST_F(SearchConditions, EmptyQueriesAndLimits) {
  EXPECT_EQ(found("").size(), 5U) << "nothing is asked of the items, so all of them meet it";
  EXPECT_EQ(found("  ").size(), 5U);
  EXPECT_EQ(found("?!"), Ids());
  EXPECT_EQ(found("\"!\"").size(), 5U) << "demands no word, so every item meets it";
  EXPECT_EQ(found("river", 0), Ids());
  EXPECT_EQ(found("#animals", 0), Ids());
  EXPECT_EQ(found("river", 1).size(), 1U);
  EXPECT_EQ(found("river", 1'000'000).size(), 2U);
}

TEST_F(SearchConditions, PhrasesAreAskedOnlyOfItemsWithAllTheWords) {
  const Collection items = collection_named("items");
  const search::Index index = search::make_index(library(), items, nullptr, {.jobs = 1});
  std::vector<std::int64_t> asked;
  const search::Query query = parse_query("\"steam train\"");
  const auto rows =
      items_that_meet(*query.condition, index, {}, [&](std::int64_t row, const Ids& tokens) {
        EXPECT_EQ(tokens, Ids({"steam", "train"}));
        asked.push_back(row);
        return row == 2;
      });
  EXPECT_EQ(asked, std::vector<std::int64_t>({1, 2}));
  EXPECT_EQ(rows, std::vector<std::uint8_t>({0, 0, 1, 0, 0}));
}

}  // namespace conditions_test
}  // namespace commonplace

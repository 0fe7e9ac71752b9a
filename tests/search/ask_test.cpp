#include "commonplace/search/ask.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/search/learn.h"
#include "tests/support/planted_collections.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace ask_test {

using namespace search;

using Ids = std::vector<std::string>;

Ids ids(const search::Answer& answer) {
  Ids result;
  for (const search::Hit& hit : answer.hits) result.push_back(hit.id);
  return result;
}

const search::Hit* hit_of(const search::Answer& answer, const std::string& id) {
  const auto found = std::find_if(answer.hits.begin(), answer.hits.end(),
                                  [&](const search::Hit& hit) { return hit.id == id; });
  return found == answer.hits.end() ? nullptr : &*found;
}

/// The planted collections, and a model of "photos" that borrows from "gallery".
class Search : public test::LibraryTest {
 protected:
  Search() { test::add_planted_collections(library()); }

  void learn(const std::string& name = "", const search::ModelOptions& options = usual_options()) {
    search::learn(library(), "photos", {"gallery"}, name, options, {.jobs = 1});
  }
  static search::ModelOptions usual_options() {
    search::ModelOptions options;
    options.rank = options.auxiliary_rank = 6;
    options.shared = "4";
    options.neighbours = 1000;  // so many that no tie decides who votes
    return options;
  }
  search::Answerer searcher(const std::string& model = "search.photos") {
    return {library(), "photos", model, {.jobs = 1}};
  }
  search::Answer search(const std::string& query, search::Options options = {.limit = 1000}) {
    return searcher().ask(parse_query(query), options);
  }
  std::vector<Item> items(const std::string& name) {
    std::vector<Item> all;
    ItemReader reader(library(), collection_named(name));
    for (Item item; reader.next(item);) all.push_back(item);
    return all;
  }
};

bool has_tag(const Item& item, const std::string& tag) {
  return std::any_of(item.tags.begin(), item.tags.end(),
                     [&](const ItemTag& each) { return each.name == tag; });
}

TEST_F(Search, FindsWhatLacksTheWordButIsOfItsMeaning) {
  learn();
  for (const std::string word : {"harbour", "owl", "tunnel", "cake", "violin", "glacier"}) {
    const Ids lacking = test::items_lacking(library(), word);
    ASSERT_FALSE(lacking.empty());
    const search::Answer answer = search(word);
    const Ids found = ids(answer);
    std::size_t wrong = 0;
    for (std::size_t place = 0; place < std::min<std::size_t>(found.size(), 40); ++place) {
      const int row = std::stoi(found[place].substr(found[place].find('-') + 1));
      if (row % 6 != test::planted_topic(word)) ++wrong;
    }
    EXPECT_EQ(wrong, 0U) << word << ": all 40 photos of the topic come first";
    for (const std::string& id : lacking) {
      const search::Hit* hit = hit_of(answer, id);
      ASSERT_TRUE(hit) << word << " " << id;
      EXPECT_EQ(hit->own, 0);
      EXPECT_GT(hit->borrowed, 0);
    }
  }
}

TEST_F(Search, WhatHasTheWordIsNeverLeftOut) {
  learn();
  // Tags of every other topic speak against the harbour.
  test::import_jsonl(
      library(), "photos",
      R"({"id":"odd","tags":["harbour","oak","engine","oven","violin","summit","moss","cake"]})"
      "\n"
      R"({"id":"odder","text":"harbour","tags":["oak","engine","oven","violin","summit"]})");
  const search::Answer answer = search("harbour");
  for (const Item& item : items("photos"))
    if (has_tag(item, "harbour") || item.id == "odder") {
      const search::Hit* hit = hit_of(answer, item.id);
      ASSERT_TRUE(hit) << item.id;
      EXPECT_GT(hit->score, 0);
      EXPECT_GT(hit->own, 0);
    }
}

TEST_F(Search, WordsOnlyBorrowsNothing) {
  learn();
  const search::Answer with_model = search("harbour", {.limit = 1000, .words_only = true});
  const search::Answer without_model = searcher("").ask(parse_query("harbour"), {.limit = 1000});
  EXPECT_EQ(ids(with_model), ids(without_model));
  EXPECT_GT(with_model.hits.size(), 3U);
  for (const search::Hit& hit : with_model.hits) {
    EXPECT_EQ(hit.own, hit.score);
    EXPECT_EQ(hit.borrowed, 0);
    EXPECT_NE(std::find(hit.tags.begin(), hit.tags.end(), "harbour"), hit.tags.end());
  }
}

TEST_F(Search, WithoutAModelWordsOfTagsComeBeforeWordsOfText) {
  std::string filler;
  for (int i = 0; i < 40; ++i)
    filler += R"({"id":"filler-)" + std::to_string(i) + R"(","text":"nothing to see"})" + "\n";
  test::import_jsonl(library(), "words",
                     filler +
                         R"({"id":"text","text":"a kite"})"
                         "\n"
                         R"({"id":"long","text":"a kite in a long text about many other things"})"
                         "\n"
                         R"({"id":"tag","tags":["Red Kite"]})"
                         "\n"
                         R"({"id":"both","text":"kite","tags":["kite"]})");
  const search::Answerer words(library(), "words", "", {.jobs = 1});
  EXPECT_EQ(words.model(), "");
  EXPECT_EQ(words.collection(), "words");
  EXPECT_EQ(ids(words.ask(parse_query("kite"), {})), Ids({"both", "tag", "text", "long"}));
  EXPECT_EQ(words.ask(parse_query("nothing"), {.limit = 100}).hits.size(), 40U);
}

TEST_F(Search, TheIndexOfWordsIsKeptWithTheCollectionAndIsNoModel) {
  test::import_jsonl(library(), "words", R"({"id":"a","text":"a kite","tags":["Red Kite"]})");
  const auto files = [&] {
    using std::filesystem::directory_iterator;
    return std::distance(directory_iterator(library().path() / "models"), directory_iterator());
  };
  const auto open = [&] { return search::Answerer(library(), "words", "", {.jobs = 1}); };
  const search::Answerer made = open();
  EXPECT_TRUE(made.index_is_new());
  made.keep_index(library());
  const search::Answerer kept = open();
  EXPECT_FALSE(kept.index_is_new());
  EXPECT_EQ(ids(kept.ask(parse_query("kite"), {})), Ids({"a"}));
  EXPECT_TRUE(model_records(library()).empty());

  test::import_jsonl(library(), "words", R"({"id":"b","text":"another kite"})");
  const search::Answerer changed = open();
  EXPECT_TRUE(changed.index_is_new());
  EXPECT_EQ(ids(changed.ask(parse_query("another"), {})), Ids({"b"}));
  changed.keep_index(library());
  EXPECT_EQ(files(), 1) << "the index before was replaced";
  remove_collection(library(), collection_named("words"));
  EXPECT_EQ(files(), 0);
}

TEST_F(Search, WhatWasRejectedIsNotBorrowedAndWhatWasAcceptedIsOwn) {
  learn();
  const Ids lacking = test::items_lacking(library(), "harbour");
  const std::string rejected = lacking[0];
  const std::string accepted = lacking[1];
  const std::string having = ids(search("harbour", {.words_only = true})).front();
  ASSERT_TRUE(hit_of(search("harbour"), rejected));
  test::decide_one(library(), "photos", rejected, "Harbour", Verdict::rejected);
  test::decide_one(library(), "photos", accepted, "Harbour", Verdict::accepted);
  test::decide_one(library(), "photos", having, "harbour", Verdict::rejected);

  const search::Answer answer = search("harbour");
  EXPECT_FALSE(hit_of(answer, rejected));
  EXPECT_FALSE(hit_of(answer, having));
  const search::Hit* hit = hit_of(answer, accepted);
  ASSERT_TRUE(hit);
  EXPECT_GT(hit->own, 9);
  EXPECT_TRUE(hit_of(answer, lacking[2]));
  EXPECT_TRUE(hit_of(search("#harbour"), accepted));
  EXPECT_FALSE(hit_of(search("#harbour"), having));

  test::decide_one(library(), "photos", rejected, "harbour", Verdict::withdrawn);
  EXPECT_TRUE(hit_of(search("harbour"), rejected));
}

TEST_F(Search, ConditionsHoldForWhatIsBorrowed) {
  learn();
  const search::Answer answer = search("harbour #gull");
  EXPECT_FALSE(answer.hits.empty());
  for (const search::Hit& hit : answer.hits)
    EXPECT_NE(std::find(hit.tags.begin(), hit.tags.end(), "gull"), hit.tags.end());
  for (const search::Hit& hit : search("harbour -gull").hits)
    EXPECT_EQ(std::find(hit.tags.begin(), hit.tags.end(), "gull"), hit.tags.end());
}

TEST_F(Search, LimitsCutTheSameRanking) {
  learn();
  const Ids all = ids(search("harbour ship"));
  ASSERT_GT(all.size(), 30U);
  const search::Answerer open = searcher();
  for (const std::int64_t limit : {0, 1, 2, 7, 20, 30}) {
    const Ids some = ids(open.ask(parse_query("harbour ship"), {.limit = limit}));
    EXPECT_EQ(some, Ids(all.begin(), all.begin() + limit)) << limit;
  }
  const search::Answerer several(library(), open.collection(), open.model(), {.jobs = 3});
  EXPECT_EQ(ids(several.ask(parse_query("harbour ship"), {.limit = 1000})), all);
}

TEST_F(Search, NewItemsAreFoundWithoutLearningAgain) {
  learn();
  EXPECT_FALSE(searcher().index_is_new());
  test::import_jsonl(library(), "photos", R"({"id":"new","tags":["gull","pier","tide"]})");
  const search::Answerer changed = searcher();
  EXPECT_TRUE(changed.index_is_new());
  const search::Answer answer = changed.ask(parse_query("harbour"), {.limit = 1000});
  ASSERT_TRUE(hit_of(answer, "new"));
  EXPECT_GT(hit_of(answer, "new")->borrowed, 0);
  changed.keep_index(library());
  const search::Answerer kept = searcher();
  EXPECT_FALSE(kept.index_is_new());
  EXPECT_EQ(ids(kept.ask(parse_query("harbour"), {.limit = 1000})), ids(answer));
}

TEST_F(Search, AnIndexThatIsKeptLateDoesNotHideWhatWasDecidedSince) {
  learn();
  const std::string rejected = test::items_lacking(library(), "harbour").front();
  test::import_jsonl(library(), "photos", R"({"id":"new","tags":["gull"]})");
  const search::Answerer early = searcher();
  ASSERT_TRUE(hit_of(early.ask(parse_query("harbour"), {.limit = 1000}), rejected));
  test::decide_one(library(), "photos", rejected, "harbour", Verdict::rejected);
  early.keep_index(library());
  EXPECT_FALSE(hit_of(search("harbour"), rejected));
}

TEST_F(Search, ItemsThatAnotherProcessAddsMeanwhileDoNoHarm) {
  search::ModelOptions options = usual_options();
  options.terms.text = true;
  learn("", options);
  test::import_jsonl(library(), "photos", R"({"id":"first","tags":["gull"]})");
  const Library reading(library().path());
  std::string more;
  for (int i = 0; i < 2000; ++i)
    more += R"({"id":"more-)" + std::to_string(i) + R"(","text":"harbour","tags":["gull"]})" + "\n";
  bool added = false;
  const search::Answerer open(reading, "photos", "search.photos",
                              {.jobs = 1, .progress = [&](const ProgressStep&) {
                                 if (!std::exchange(added, true))
                                   test::import_jsonl(library(), "photos", more);
                               }});
  EXPECT_TRUE(added);
  EXPECT_TRUE(hit_of(open.ask(parse_query("gull"), {.limit = 5000}), "first"));
}

TEST_F(Search, RemovedItemsAreNotFound) {
  learn();
  const std::string gone = "photo-0";
  ASSERT_TRUE(hit_of(search("harbour"), gone));
  std::string lines = test::planted_lines({.items = 240, .tags = 2, .first = "photo"});
  lines = lines.substr(lines.find('\n') + 1);
  ImportOptions options;
  options.prune = true;
  ASSERT_EQ(test::import_jsonl(library(), "photos", lines, options).removed, 1);
  const search::Answer answer = search("harbour");
  EXPECT_FALSE(hit_of(answer, gone));
  EXPECT_TRUE(hit_of(answer, "photo-6"));
  for (const search::Hit& hit : answer.hits) {
    const Item item = commonplace::item(library(), collection_named("photos"), hit.id);
    for (const ItemTag& tag : item.tags)
      EXPECT_NE(std::find(hit.tags.begin(), hit.tags.end(), tag.name), hit.tags.end()) << hit.id;
  }
}

TEST_F(Search, LikeFindsItemsOfTheSameTopicButNotTheItemItself) {
  learn();
  const search::Answerer open = searcher();
  const search::Answer answer = open.like("photos", "photo-6", {.limit = 10});
  EXPECT_EQ(answer.hits.size(), 10U);
  EXPECT_FALSE(hit_of(answer, "photo-6"));
  for (const search::Hit& hit : answer.hits)
    EXPECT_EQ(std::stoi(hit.id.substr(hit.id.find('-') + 1)) % 6, 0) << hit.id;
  const search::Answer other = open.like("gallery", "picture-7", {.limit = 5});
  EXPECT_EQ(other.hits.size(), 5U);
  for (const search::Hit& hit : other.hits) EXPECT_EQ(hit.collection, "photos");

  test::import_jsonl(library(), "bare", R"({"id":"bare"})");
  EXPECT_NE(test::message_of([&] { open.like("bare", "bare", {}); }).find("'bare'"),
            std::string::npos);
  EXPECT_NE(test::message_of([&] { open.like("photos", "no such", {}); }).find("no such"),
            std::string::npos);
}

TEST_F(Search, PlacesAreEveryModelAndWhatHasNone) {
  auto names = [&](const Ids& collections, const Ids& models) {
    Ids result;
    for (const SearchPlace& place : search_places(library(), collections, models))
      result.push_back(place.collection + ":" + place.model);
    std::sort(result.begin(), result.end());
    return result;
  };
  EXPECT_EQ(names({}, {}), Ids({"gallery:", "noise:", "photos:"}));
  learn();
  learn("second");
  EXPECT_EQ(names({}, {}), Ids({"gallery:", "noise:", "photos:search.photos", "photos:second"}));
  EXPECT_EQ(names({"photos"}, {}), Ids({"photos:search.photos", "photos:second"}));
  EXPECT_EQ(names({"noise"}, {}), Ids({"noise:"}));
  EXPECT_EQ(names({}, {"second"}), Ids({"photos:second"}));
  EXPECT_EQ(names({"gallery"}, {"second"}), Ids({"gallery:second"})) << "a model for another";
  EXPECT_NE(test::message_of([&] { names({"fotos"}, {}); }).find("'fotos'"), std::string::npos);
  EXPECT_NE(test::message_of([&] { names({"fotos"}, {"second"}); }).find("'fotos'"),
            std::string::npos);
  const std::string unknown = test::message_of([&] { names({}, {"third"}); });
  EXPECT_NE(unknown.find("'third'"), std::string::npos);
  EXPECT_NE(unknown.find("second"), std::string::npos);
  EXPECT_FALSE(test::message_of([&] { searcher("second.index"); }).empty())
      << "an index is not a search model";
  const search::Answerer other(library(), "gallery", "second", {.jobs = 1});
  EXPECT_GT(other.ask(parse_query("harbour"), {}).hits.size(), 5U);
}

TEST_F(Search, SeveralThreadsMaySearchAtOnce) {
  learn();
  const search::Answerer shared = searcher();
  const Ids expected = ids(shared.ask(parse_query("harbour"), {.limit = 50}));
  std::atomic<int> different = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 40; ++i)
        if (ids(shared.ask(parse_query("harbour"), {.limit = 50})) != expected) ++different;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(different, 0);
}

TEST_F(Search, SeveralPlacesAreOneRankingBestFirstAndOnce) {
  learn("model");
  const auto photos =
      std::make_shared<search::Answerer>(library(), "photos", "model", commonplace::Run{.jobs = 1});
  const auto words =
      std::make_shared<search::Answerer>(library(), "photos", "", commonplace::Run{.jobs = 1});
  const auto gallery =
      std::make_shared<search::Answerer>(library(), "gallery", "", commonplace::Run{.jobs = 1});
  auto ranking = [](std::vector<RankedItem> items, Ids unknown) {
    search::Ranking result;
    result.items = std::move(items);
    result.found = 7;
    result.ask.unknown = std::move(unknown);
    return result;
  };
  const std::vector<search::Ranking> rankings = {ranking({{4, 3}, {2, 1}}, {"x", "y"}),
                                                 ranking({{2, 2}, {1, 0.5}}, {"y", "z"}),
                                                 ranking({{2, 2.5}}, {"y"})};
  const search::Results results({photos, words, gallery}, rankings, 10);
  EXPECT_EQ(results.unknown(), Ids({"y"}));
  ASSERT_EQ(results.total(), 4) << "row 2 of the photos is found twice";
  const std::vector<search::Hit> hits = results.page(0, 10, {});
  ASSERT_EQ(hits.size(), 4U);
  EXPECT_EQ(hits[0].score, 3);
  EXPECT_EQ(hits[1].collection, "gallery");
  EXPECT_EQ(hits[2].score, 2);
  EXPECT_EQ(hits[2].collection, "photos");
  const std::vector<search::Hit> second = results.page(1, 2, {});
  ASSERT_EQ(second.size(), 2U);
  EXPECT_EQ(second[0].id, hits[1].id);
  EXPECT_EQ(second[1].id, hits[2].id);
  EXPECT_TRUE(results.page(4, 10, {}).empty());
  EXPECT_TRUE(results.page(-5, 0, {}).empty());
  EXPECT_EQ(search::Results({photos, words, gallery}, rankings, 1).total(), 1);
  EXPECT_EQ(search::Results({}, {}, 5).total(), 0);
  EXPECT_EQ(search::Results({photos, gallery}, {rankings[0], rankings[2]}, 2).total(), 14)
      << "those that were found and not ranked count where none can be found twice";
}

}  // namespace ask_test
}  // namespace commonplace

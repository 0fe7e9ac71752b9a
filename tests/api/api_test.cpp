// The front door as others use it: public headers only.
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include <commonplace/detect.h>
#include <commonplace/error.h>
#include <commonplace/item.h>
#include <commonplace/library.h>
#include <commonplace/relate.h>
#include <commonplace/run.h>
#include <commonplace/search.h>
#include <commonplace/suggest.h>
#include <commonplace/transfer.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"

namespace cp = commonplace;

namespace api_test {

constexpr std::size_t kItems = 120;
const std::vector<std::string> kTags = {"boats", "birds", "bread"};
const std::vector<std::vector<std::string>> kWords = {
    {"harbour", "sail", "mast", "river", "anchor", "deck", "crew", "tide"},
    {"owl", "wing", "nest", "feather", "song", "branch", "egg", "flight"},
    {"flour", "oven", "yeast", "crust", "dough", "loaf", "salt", "butter"}};

/// Items of three themes in turn, the last fifteen of them without tags.
std::vector<cp::Item> notes(std::uint32_t seed, bool labelled) {
  std::mt19937 draw(seed);
  std::vector<cp::Item> items(kItems);
  for (std::size_t i = 0; i < kItems; ++i) {
    items[i].id = "note" + std::to_string(i);
    for (int word = 0; word < 6; ++word) items[i].text += kWords[i % 3][draw() % 8] + " ";
    if (i + 15 < kItems) items[i].tags.emplace_back().name = kTags[i % 3];
    if (labelled) items[i].labels = {{"theme", kTags[i % 3]}};
  }
  return items;
}

class Api : public ::testing::Test {
 protected:
  Api() : library_(cp::Library::create(folder_.path() / "library")) {
    cp::add(library_, "notes", notes(1, true));
  }

  commonplace::test::TemporaryDirectory folder_;
  cp::Library library_;
};

TEST_F(Api, KeepsItemsTagsAndDecisions) {
  ASSERT_EQ(cp::collections(library_).size(), 1U);
  EXPECT_EQ(cp::collections(library_).front().items, static_cast<std::int64_t>(kItems));
  EXPECT_EQ(cp::tags(library_, "notes").size(), 3U);
  EXPECT_EQ(cp::find_item(library_, "notes", "note4")->tags.front().name, "birds");
  EXPECT_FALSE(cp::find_item(library_, "notes", "none"));
  const cp::Decision decision{"note4", "birds", cp::Verdict::rejected};
  cp::decide(library_, "notes", {&decision, 1});
  EXPECT_TRUE(cp::find_item(library_, "notes", "note4")->tags.empty());
  ASSERT_EQ(cp::decisions(library_, "notes").size(), 1U);
  EXPECT_EQ(cp::decisions(library_, "notes").front().verdict, cp::Verdict::rejected);
  std::size_t seen = 0;
  cp::visit_items(library_, "notes", [&](const cp::Item&) { return ++seen < 10; });
  EXPECT_EQ(seen, 10U);
  cp::remove_collection(library_, "notes");
  EXPECT_TRUE(cp::collections(library_).empty());
}

TEST_F(Api, AddsFromAFile) {
  const auto file = folder_.path() / "more.jsonl";
  std::ofstream(file) << R"({"id": "a", "text": "an owl", "tags": ["birds"]})"
                      << "\nno JSON\n";
  const cp::AddReport report = cp::add(library_, "more", file);
  EXPECT_EQ(report.added, 1);
  EXPECT_EQ(report.bad, 1);
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_NE(report.problems.front().find("more.jsonl:2: "), std::string::npos);
  EXPECT_THROW(cp::add(library_, "strict", file, {.strict = true}), cp::Error);
}

TEST_F(Api, Searches) {
  const cp::search::Report report = cp::search::learn(library_, "notes", {{}, "", {{"rank", "6"}}});
  EXPECT_EQ(report.model, "search.notes");
  EXPECT_EQ(report.json.front(), '{');
  const cp::search::Searcher searcher(library_);
  const cp::search::Answer answer = searcher.ask("owl", {.limit = 5, .explain = true});
  ASSERT_EQ(answer.hits.size(), 5U);
  EXPECT_FALSE(answer.hits.front().reasons.words.empty());
  EXPECT_EQ(searcher.like("notes", "note1", {.limit = 3}).hits.size(), 3U);
  cp::Item fresh;
  fresh.id = "new";
  fresh.text = "an owl";
  cp::add(library_, "notes", {&fresh, 1});
  EXPECT_TRUE(cp::search::update(library_, "search.notes"));
  EXPECT_FALSE(cp::search::update(library_, "search.notes"));
}

TEST_F(Api, SuggestsAndLearnsFromDecisions) {
  const cp::suggest::Report report = cp::suggest::learn(library_, "notes");
  EXPECT_EQ(report.tags, 3);
  cp::suggest::Suggester suggester(library_);
  EXPECT_EQ(suggester.model(), "suggest.notes");
  const auto answer = suggester.ask("owl in its nest", {.explain = true});
  ASSERT_FALSE(answer.suggestions.empty());
  EXPECT_EQ(answer.suggestions.front().tag, "birds");
  EXPECT_FALSE(answer.suggestions.front().reasons.words.empty());
  const std::vector<std::string> ids = {"note117", "note118"};
  const auto of_items = suggester.ask_items(ids);
  EXPECT_EQ(of_items[0].suggestions.front().tag, "boats");
  EXPECT_EQ(of_items[1].suggestions.front().tag, "birds");
  const cp::Decision decision{"note118", "birds", cp::Verdict::accepted};
  cp::decide(library_, "notes", {&decision, 1});
  EXPECT_EQ(suggester.refresh().new_items, 1);
  EXPECT_TRUE(suggester.keep(library_));
  EXPECT_EQ(cp::suggest::update(library_, "suggest.notes").new_items, 0);
  EXPECT_GT(cp::suggest::apply(library_, suggester, "notes", {.above = 0.5}).tags, 0);
}

TEST_F(Api, DetectsWhatIsTaught) {
  std::vector<float> vectors;
  for (std::size_t i = 0; i < kItems; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      vectors.push_back((i % 3 == j ? 1.0F : 0.0F) + 0.01F * static_cast<float>((7 * i + j) % 11));
  EXPECT_THROW(cp::store_features(library_, "notes", "own", vectors, 7), cp::Error);
  EXPECT_EQ(cp::store_features(library_, "notes", "own", vectors, 4).rows,
            static_cast<std::int64_t>(kItems));
  EXPECT_EQ(cp::features(library_, "notes").size(), 1U);
  EXPECT_EQ(cp::detect::learn(library_, "notes").model, "detect.notes");
  const std::vector<cp::detect::Lesson> lessons = {
      {"note1"}, {"note4"}, {"note0", -1}, {"note2", -1}};
  cp::detect::teach(library_, "notes", "flying", lessons);
  EXPECT_EQ(cp::detect::lessons(library_, "notes", "flying").size(), 4U);
  const cp::detect::Detector detector(library_);
  EXPECT_EQ(detector.concepts().size(), 4U);
  const cp::detect::Answer answer = detector.ask("flying", {.limit = 10});
  EXPECT_EQ(answer.shown, 2);
  for (const auto& each : answer.found) EXPECT_EQ(std::stoi(each.id.substr(4)) % 3, 1) << each.id;
  EXPECT_EQ(detector.ask("unseen", lessons, {.limit = 3}).found.size(), 3U);
  EXPECT_EQ(cp::detect::update(library_, "detect.notes").new_items, 0);
}

TEST_F(Api, Relates) {
  const cp::relate::Report report =
      cp::relate::learn(library_, {"", {{"collections", "notes/text,notes/tags"}, {"dim", "4"}}});
  EXPECT_EQ(report.kinds.size(), 2U);
  const cp::relate::Relater relater(library_);
  const auto answer = relater.ask({.text = "owl nest", .kinds = {"tags"}, .limit = 1});
  ASSERT_EQ(answer.kinds.size(), 1U);
  EXPECT_EQ(answer.kinds.front().related.front().name, "birds");
  EXPECT_EQ(cp::relate::update(library_, "relate").model, "relate");
}

TEST_F(Api, TransfersLabels) {
  cp::add(library_, "others", notes(2, false));
  const auto answer =
      cp::transfer::label(library_, {"notes"}, "others", {.direct = true, .dry_run = true});
  EXPECT_FALSE(answer.refused) << answer.reason;
  ASSERT_EQ(answer.predictions.size(), kItems);
  EXPECT_EQ(answer.predictions[1].label, "birds");
  EXPECT_EQ(answer.written, 0);
  const auto written = cp::transfer::label(library_, {"notes"}, "others", {.direct = true});
  EXPECT_EQ(cp::transfer::undo(library_, written.model, "others"), written.written);
}

TEST_F(Api, RefusesSettingsThatThereAreNot) {
  EXPECT_FALSE(cp::search::settings().empty());
  EXPECT_FALSE(cp::suggest::settings().empty());
  EXPECT_FALSE(cp::detect::settings().empty());
  EXPECT_FALSE(cp::relate::settings().empty());
  EXPECT_FALSE(cp::transfer::settings().empty());
  EXPECT_THROW(cp::suggest::learn(library_, "notes", {"", {{"no_such", "1"}}}), cp::Error);
  EXPECT_THROW(cp::search::learn(library_, "notes", {{}, "", {{"rank", "many"}}}), cp::Error);
  EXPECT_THROW(cp::search::Searcher(library_).ask(""), cp::Error);
}

TEST_F(Api, StopsOnRequest) {
  cp::Run run;
  int steps = 0;
  run.progress = [&](const cp::ProgressStep&) { ++steps; };
  run.cancel = [&] { return steps > 0; };
  EXPECT_THROW(cp::suggest::learn(library_, "notes", {}, run), cp::Cancelled);
  EXPECT_EQ(steps, 1);
  EXPECT_TRUE(cp::models(library_).empty());
}

}  // namespace api_test

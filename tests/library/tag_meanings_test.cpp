#include "commonplace/library/tags/tag_meanings.h"

#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/library/machine/machine_runs.h"
#include "commonplace/library/tags/tag_tree.h"
#include "commonplace/library/tags/tag_uses.h"
#include "commonplace/library/tags/vocabulary.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace tag_meanings_test {

using Names = std::vector<std::string>;
using Kind = VocabularyEdit::Kind;

class Meanings : public test::LibraryTest {
 protected:
  void import(const std::string& lines) { test::import_jsonl(library(), "birds", lines); }
  Names tags(const std::string& id) { return test::tag_names(library(), "birds", id); }
  std::int64_t change(VocabularyEdit edit) {
    return change_vocabulary(library(), {std::move(edit)}).at(0);
  }
  std::int64_t move(Kind kind, const std::string& tag, const std::string& to) {
    return change({.kind = kind, .tag = tag, .to = to});
  }
  /// "owl 2 (owls)" for each tag.
  Names tree() {
    Names lines;
    for (const TagNode& each : tag_tree(library(), {.hidden = true})) {
      std::string line = each.name + ' ' + std::to_string(each.below);
      for (const std::string& name : each.also) line += " (" + name + ')';
      lines.push_back(line);
    }
    return lines;
  }
};

TEST_F(Meanings, MergedTagsAreOneUntilThatIsTakenBack) {
  import(R"({"id":"a","tags":["Owl"]}
{"id":"b","tags":["owls","night"]}
{"id":"c","tags":["owls","Owl"]})");
  const std::string state = state_of(library(), collection_named("birds"));
  const std::int64_t merged = move(Kind::merge, "OWLS", "owl");
  EXPECT_NE(state_of(library(), collection_named("birds")), state);
  EXPECT_EQ(tags("b"), (Names{"Owl", "night"}));
  EXPECT_EQ(tags("c"), Names{"Owl"});
  EXPECT_EQ(tree(), (Names{"night 1", "Owl 3 (owls)"}));
  EXPECT_EQ(tag_uses(library(), collection_named("birds"))[0], (TagUse{"Owl", 3}));
  import(R"({"id":"d","tags":["Owls"]}
{"id":"a","tags":["Owl","owls"]})");
  EXPECT_EQ(tags("d"), Names{"Owl"}) << "a source that says it again means the other";
  EXPECT_EQ(tags("a"), Names{"Owl"});
  test::decide_one(library(), "birds", "d", "owls", Verdict::rejected);
  EXPECT_EQ(tags("d"), Names{});
  undo_vocabulary_change(library(), merged);
  EXPECT_EQ(tags("b"), (Names{"owls", "night"}));
  EXPECT_EQ(tags("c"), (Names{"owls", "Owl"}));
  EXPECT_EQ(tags("d"), Names{});
  EXPECT_EQ(tags("a"), (Names{"Owl", "owls"}));
  restore_vocabulary_change(library(), merged);
  EXPECT_EQ(tags("c"), Names{"Owl"});
}

TEST_F(Meanings, RenamedLevelsTakeAllBelowThemAlong) {
  import(R"({"id":"a","tags":["animals/Owl","b"]}
{"id":"b","tags":["animals"]})");
  test::decide_one(library(), "birds", "b", "Animals/Gull", Verdict::accepted);
  const std::int64_t first = move(Kind::rename, "animals", "Fauna");
  EXPECT_EQ(tags("a"), (Names{"Fauna/Owl", "b"}));
  EXPECT_EQ(tags("b"), (Names{"Fauna", "Fauna/Gull"}));
  import(R"({"id":"c","tags":["animals/newt"]})");
  EXPECT_EQ(tags("c"), Names{"Fauna/newt"}) << "new below a renamed tag";
  const std::int64_t second = move(Kind::nest, "fauna/owl", "Night");
  EXPECT_EQ(tags("a"), (Names{"Night/Owl", "b"}));
  move(Kind::rename, "fauna", "FAUNA");
  EXPECT_EQ(tags("c"), Names{"FAUNA/newt"});
  EXPECT_NE(test::message_of([&] { move(Kind::rename, "b", "fauna"); }).find("merge"),
            std::string::npos);
  EXPECT_THROW(move(Kind::rename, "b", "animals"), Error) << "that name means another";
  EXPECT_THROW(move(Kind::nest, "fauna", "fauna/newt"), Error);
  EXPECT_THROW(move(Kind::rename, "dodo", "x"), Error);
  EXPECT_THROW(move(Kind::merge, "b", "dodo"), Error);
  undo_vocabulary_change(library(), first);
  EXPECT_EQ(tags("c"), Names{"animals/newt"}) << "an earlier change is taken back alone";
  undo_vocabulary_change(library(), second);
  EXPECT_EQ(tags("a"), (Names{"animals/Owl", "b"}));
  EXPECT_EQ(tags("b"), (Names{"animals", "Animals/Gull"}));
}

TEST_F(Meanings, ARejectionOfOneNameDoesNotTakeTheOtherAway) {
  import(R"({"id":"a","tags":["owls"]}
{"id":"b","tags":["owls"]}
{"id":"c","tags":["owls"]})");
  import(R"({"id":"d","tags":["owl"]})");
  test::decide_one(library(), "birds", "a", "owl", Verdict::accepted);
  test::decide_one(library(), "birds", "a", "owls", Verdict::rejected);
  test::decide_one(library(), "birds", "b", "owl", Verdict::rejected);
  test::decide_one(library(), "birds", "c", "owls", Verdict::rejected);
  const std::int64_t merged = move(Kind::merge, "owls", "owl");
  EXPECT_EQ(tags("a"), Names{"owl"});
  EXPECT_EQ(tags("b"), Names{"owl"});
  EXPECT_EQ(tags("c"), Names{});
  undo_vocabulary_change(library(), merged);
  EXPECT_EQ(tags("a"), Names{"owl"});
  EXPECT_EQ(tags("b"), Names{"owls"});
  EXPECT_EQ(decisions_in_force(library(), "birds").size(), 4u);
}

TEST_F(Meanings, DeletedTagsAreNowhere) {
  import(R"({"id":"a","tags":["todo/now","owl"]})");
  name_model(library(), "m");
  store_run(library(), collection_named("birds"), "m", {{"a", "todo", 0.9}, {"a", "x", 0.9}}, {});
  test::decide_one(library(), "birds", "a", "todo/later", Verdict::accepted);
  const std::int64_t gone = move(Kind::remove, "todo", "");
  EXPECT_EQ(tags("a"), (Names{"owl", "x?"}));
  EXPECT_EQ(tree(), (Names{"owl 1", "x 0"}));
  EXPECT_NE(test::message_of([&] {
              test::decide_one(library(), "birds", "a", "todo/x", Verdict::accepted);
            }).find("deleted"),
            std::string::npos);
  store_run(library(), collection_named("birds"), "m", {{"a", "todo", 0.9}}, {});
  EXPECT_EQ(tree(), Names{"owl 1"});
  undo_vocabulary_change(library(), gone);
  EXPECT_EQ(tags("a"), (Names{"todo/now", "owl", "todo/later"}));
}

TEST_F(Meanings, MachinesFollowAndLeaveOutWhatIsForPeople) {
  import(R"({"id":"a","tags":[]})");
  name_model(library(), "m");
  store_run(library(), collection_named("birds"), "m", {{"a", "owls", 0.9}}, {});
  const auto shown = [&] {
    Names names;
    for (const ItemTag& tag :
         item(library(), collection_named("birds"), "a", {.machine = true}).tags)
      names.push_back(tag.name);
    return names;
  };
  move(Kind::rename, "owls", "owl");
  EXPECT_EQ(shown(), Names{"owl"});
  const std::int64_t manual = change({.tag = "owl", .manual = true});
  EXPECT_EQ(shown(), Names{});
  const TagMeanings meanings(library());
  EXPECT_EQ(meanings.now("Owls"), "owl");
  EXPECT_FALSE(meanings.may_be_proposed("owl"));
  EXPECT_FALSE(meanings.may_be_proposed("owls"));
  EXPECT_TRUE(meanings.may_be_proposed("gull"));
  undo_vocabulary_change(library(), manual);
  EXPECT_EQ(shown(), Names{"owl"});
}

TEST_F(Meanings, WhatIsSaidOfATagGoesAlong) {
  import(R"({"id":"a","tags":["owls"]})");
  change({.tag = "owls", .description = "by night", .colour = "#AA0011"});
  const std::int64_t renamed = move(Kind::rename, "owls", "owl");
  EXPECT_EQ(described_tags(library()),
            (std::vector<TagEntry>{{"owl", "by night", false, false, "#aa0011"}}));
  EXPECT_THROW(change({.tag = "owl", .colour = "red"}), Error);
  undo_vocabulary_change(library(), renamed);
  EXPECT_EQ(described_tags(library()),
            (std::vector<TagEntry>{{"owls", "by night", false, false, "#aa0011"}}));
}

TEST_F(Meanings, SplitOffItemsGetTheOtherTag) {
  import(R"({"id":"a","tags":["jaguar"]}
{"id":"b","tags":["jaguar"]}
{"id":"c","tags":["cat"]})");
  const Collection birds = collection_named("birds");
  const std::int64_t split =
      change({.kind = Kind::split, .tag = "jaguar", .to = "car", .items = {{birds, {"b", "c"}}}});
  EXPECT_EQ(tags("a"), Names{"jaguar"});
  EXPECT_EQ(tags("b"), Names{"car"});
  EXPECT_EQ(tags("c"), Names{"cat"});
  undo_vocabulary_change(library(), split);
  EXPECT_EQ(tags("b"), Names{"jaguar"});
  restore_vocabulary_change(library(), split);
  EXPECT_EQ(tags("b"), Names{"car"});
  EXPECT_THROW(change({.kind = Kind::split, .tag = "jaguar", .to = "x", .items = {{birds, {"c"}}}}),
               Error);
}

TEST_F(Meanings, ManyAtOnceAreAsOneAfterTheOtherAndAllOrNone) {
  import(R"({"id":"a","tags":["owls","Owl s","bird/owl"]}
{"id":"b","tags":["gulls","gull"]})");
  EXPECT_THROW(change_vocabulary(library(), {{.kind = Kind::merge, .tag = "gulls", .to = "gull"},
                                             {.kind = Kind::merge, .tag = "dodo", .to = "gull"}}),
               Error);
  EXPECT_EQ(tags("b"), (Names{"gulls", "gull"}));
  EXPECT_TRUE(vocabulary_history(library()).empty());
  change_vocabulary(library(), {{.kind = Kind::merge, .tag = "gulls", .to = "gull"},
                                {.kind = Kind::merge, .tag = "owl s", .to = "owls"},
                                {.kind = Kind::merge, .tag = "owls", .to = "bird/owl"},
                                {.kind = Kind::rename, .tag = "bird", .to = "birds"},
                                {.kind = Kind::nest, .tag = "gull", .to = "birds"}});
  EXPECT_EQ(tags("a"), Names{"birds/owl"});
  EXPECT_EQ(tags("b"), Names{"birds/gull"});
}

TEST_F(Meanings, AnyOrderOfTakingBackLeadsBack) {
  std::mt19937 random(7);
  const Names names = {"a", "b", "c", "a/x", "b/y", "d", "e"};
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    lines += R"({"id":")" + std::to_string(i) + R"(","tags":[)";
    for (std::size_t j = 0, n = 0; j < names.size(); ++j)
      if (random() % 3 == 0) lines += (n++ > 0 ? ",\"" : "\"") + names[j] + '"';
    lines += "]}\n";
  }
  import(lines);
  for (int i = 0; i < 12; ++i)
    test::decide_one(library(), "birds", std::to_string(i), names[random() % names.size()],
                     random() % 2 == 0 ? Verdict::accepted : Verdict::rejected);
  const auto all = [&] {
    std::map<std::string, Names> shown;
    for (int i = 0; i < 12; ++i) {
      Names of = tags(std::to_string(i));
      std::sort(of.begin(), of.end());
      shown[std::to_string(i)] = of;
    }
    return shown;
  };
  const auto before = all();
  for (int round = 0; round < 8; ++round) {
    std::vector<std::int64_t> made;
    for (int step = 0; step < 8; ++step) {
      const Kind kind =
          std::array{Kind::rename, Kind::merge, Kind::nest, Kind::remove}[random() % 4];
      const std::string& tag = names[random() % names.size()];
      const std::string to = kind == Kind::rename   ? "n" + std::to_string(random() % 9)
                             : kind == Kind::remove ? std::string()
                                                    : names[random() % names.size()];
      try {
        for (const std::int64_t id :
             change_vocabulary(library(), {{.kind = kind, .tag = tag, .to = to}}))
          made.push_back(id);
      } catch (const Error&) {
        continue;  // there is no such tag any more, or it goes below itself
      }
      const auto after = all();
      for (const auto& [id, of] : after)
        EXPECT_EQ(std::adjacent_find(of.begin(), of.end()), of.end()) << "a tag twice on " << id;
    }
    std::shuffle(made.begin(), made.end(), random);
    // Where one change rests on another, that one is taken back later.
    while (!made.empty()) {
      const std::size_t left = made.size();
      std::erase_if(made, [&](std::int64_t id) {
        try {
          undo_vocabulary_change(library(), id);
          return true;
        } catch (const Error&) {
          return false;
        }
      });
      ASSERT_LT(made.size(), left);
    }
    EXPECT_EQ(all(), before);
  }
}

}  // namespace tag_meanings_test
}  // namespace commonplace

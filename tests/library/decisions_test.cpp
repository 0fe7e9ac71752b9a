#include "commonplace/library/tags/decisions.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/formats/tag_name.h"
#include "commonplace/library/tags/change_tags.h"
#include "commonplace/library/tags/decision_log.h"
#include "commonplace/library/tags/tag_uses.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace decisions_test {

using test::decide_one;
using test::tag_names;
using Names = std::vector<std::string>;

class Decisions : public test::LibraryTest {
 protected:
  Decisions() { test::import_jsonl(library(), "birds", R"({"id":"1","tags":["Owl"]})"); }
  Names tags() { return tag_names(library(), "birds", "1"); }
};

TEST_F(Decisions, AcceptRejectWithdraw) {
  decide_one(library(), "birds", "1", "Night/Sky", Verdict::accepted);
  EXPECT_EQ(tags(), Names({"Owl", "Night/Sky"}));
  decide_one(library(), "birds", "1", "OWL", Verdict::rejected);
  EXPECT_EQ(tags(), Names({"Night/Sky"}));
  decide_one(library(), "birds", "1", "owl", Verdict::withdrawn);
  EXPECT_EQ(tags(), Names({"Owl", "Night/Sky"}));
  decide_one(library(), "birds", "1", "night/sky", Verdict::rejected);
  EXPECT_EQ(tags(), Names({"Owl"}));
}

TEST_F(Decisions, NothingIsEverForgotten) {
  for (const Verdict verdict : {Verdict::accepted, Verdict::rejected, Verdict::withdrawn})
    decide_one(library(), "birds", "1", "sky", verdict);
  const std::vector<Decision> history = decision_history(library(), "birds", "1");
  ASSERT_EQ(history.size(), 3u);
  EXPECT_EQ(history[1].verdict, Verdict::rejected);
  EXPECT_TRUE(decisions_in_force(library(), "birds").empty());
  decide_one(library(), "birds", "1", "sky", Verdict::rejected);
  const std::vector<Decision> now = decisions_in_force(library(), "birds");
  ASSERT_EQ(now.size(), 1u);
  EXPECT_EQ(now[0].tag, "sky");
  EXPECT_EQ(now[0].verdict, Verdict::rejected);
}

TEST_F(Decisions, TheLogSaysWhoDecided) {
  ::setenv("COMMONPLACE_PERSON", "Ada", 1);
  decide_one(library(), "birds", "1", "sky", Verdict::accepted);
  ::setenv("COMMONPLACE_PERSON", "Bob", 1);
  decide_one(library(), "birds", "1", "sky", Verdict::rejected);
  ::unsetenv("COMMONPLACE_PERSON");
  const std::vector<LoggedDecision> log = decision_log(library(), "birds");
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[0].who, "Ada");
  EXPECT_EQ(log[1].who, "Bob");
  EXPECT_EQ(log[1].verdict, Verdict::rejected);
  EXPECT_LT(log[0].number, log[1].number);
  EXPECT_TRUE(decision_log(library(), "fish").empty());
}

TEST_F(Decisions, ARunIsTakenBackAsAWhole) {
  test::import_jsonl(library(), "birds", R"({"id":"1","tags":["Owl"]}
{"id":"2","tags":["Tit"]}
)");
  decide_one(library(), "birds", "1", "seen", Verdict::accepted);
  const Collection birds = collection(library(), "birds");
  const std::vector<CollectionItems> both = {{birds, {"1", "2", "gone"}}};
  using Kind = TagChange::Kind;
  const auto change = [&](Kind kind, const char* tag) {
    return decide(library(), decisions_for(library(), both, {{kind, tag}}));
  };
  EXPECT_EQ(change(Kind::add, "SEEN").count, 1) << "the first has it";
  EXPECT_EQ(tag_names(library(), "birds", "2"), Names({"Tit", "SEEN"}));
  const DecisionRun removed = change(Kind::remove, "seen");
  EXPECT_EQ(removed.count, 2);
  EXPECT_EQ(tags(), Names({"Owl"}));
  decide_one(library(), "birds", "2", "seen", Verdict::accepted);
  EXPECT_EQ(undo(library(), removed).count, 1) << "the second was decided anew since";
  EXPECT_EQ(tags(), Names({"Owl", "seen"}));
  EXPECT_EQ(change(Kind::remove, "nowhere").count, 0);
  EXPECT_EQ(change(Kind::accept, "").count, 0);
  EXPECT_THROW(change(Kind::add, "  "), Error);
}

TEST_F(Decisions, CountInTheUsesOfTags) {
  test::import_jsonl(library(), "birds",
                     R"({"id":"1","tags":["Owl"]})"
                     "\n"
                     R"({"id":"2","tags":["owl","Night/Sky"]})"
                     "\n"
                     R"({"id":"3"})");
  decide_one(library(), "birds", "3", "night/sky", Verdict::accepted);
  decide_one(library(), "birds", "2", "owl", Verdict::rejected);
  decide_one(library(), "birds", "2", "night/sky", Verdict::accepted);
  const Collection birds = collection(library(), "birds");
  EXPECT_EQ(tag_uses(library(), birds), (std::vector<TagUse>{{"Night/Sky", 2}, {"Owl", 1}}));
  EXPECT_EQ(tag_uses(library(), birds, true),
            (std::vector<TagUse>{{"Night", 2}, {"Night/Sky", 2}, {"Owl", 1}}));
  // The fast way agrees with reading whole items.
  std::vector<std::vector<std::string>> fast(3);
  Statement name = library().database().prepare("SELECT key FROM tag WHERE id = ?");
  visit_tags(library(), birds, [&](std::int64_t row, std::span<const NumberedTag> tags) {
    for (const NumberedTag& tag : tags) {
      name.bind(tag.tag).step();
      fast[static_cast<std::size_t>(row)].emplace_back(name.text(0));
    }
  });
  ItemReader reader(library(), birds);
  for (Item item; reader.next(item);) {
    Names slow;
    for (const ItemTag& tag : item.tags) slow.push_back(tag_key(tag.name));
    EXPECT_EQ(fast[static_cast<std::size_t>(reader.row())], slow) << item.id;
  }
}

TEST_F(Decisions, AllOrNone) {
  EXPECT_THROW(decide(library(), collection(library(), "birds"),
                      {{"1", "good", Verdict::accepted, ""}, {"2", "x", Verdict::accepted, ""}}),
               Error);
  EXPECT_THROW(decide_one(library(), "birds", "1", " / ", Verdict::accepted), Error);
  EXPECT_EQ(tags(), Names({"Owl"}));
}

}  // namespace decisions_test
}  // namespace commonplace

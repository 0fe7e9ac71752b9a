#include "commonplace/library/tags/decision_log.h"

#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/library/identity.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace decision_log_test {

using Shown = std::map<std::string, std::vector<std::string>>;

constexpr const char* kItems = R"({"id":"a","tags":["x"]}
{"id":"b","tags":[]}
{"id":"c","tags":["y"]})";

/// Libraries of the same items.
class DecisionLog : public testing::Test {
 protected:
  Library& made() {
    const std::string name = "l" + std::to_string(libraries_.size());
    Library::create(folder_ / name);
    libraries_.push_back(std::make_unique<Library>(folder_ / name, Library::Access::write));
    test::import_jsonl(*libraries_.back(), "birds", kItems);
    return *libraries_.back();
  }
  static Shown shown(const Library& library) {
    Shown result;
    for (const std::string id : {"a", "b", "c"}) {
      result[id] = test::tag_names(library, "birds", id);
      std::sort(result[id].begin(), result[id].end());
    }
    return result;
  }
  static std::string time(unsigned second) {
    return std::string("2026-01-01T00:00:0") + std::to_string(second) + "Z";
  }
  LoggedDecision said(const std::string& who, const std::string& item, const std::string& tag,
                      Verdict verdict, unsigned second) {
    LoggedDecision each;
    each.library = std::string(31, 'a') + "0123456789abcdef"[who.back() % 16];
    each.number = ++number_;
    each.collection = "birds";
    each.item = item;
    each.tag = tag;
    each.verdict = verdict;
    each.who = who;
    each.time = time(second);
    return each;
  }

 private:
  test::TemporaryDirectory folder_;
  std::vector<std::unique_ptr<Library>> libraries_;
  std::int64_t number_ = 0;
};

TEST_F(DecisionLog, MergingIsCommutativeAndIdempotent) {
  std::mt19937 random(3);
  for (int round = 0; round < 12; ++round) {
    std::vector<std::vector<LoggedDecision>> logs(3);
    for (std::size_t person = 0; person < logs.size(); ++person)
      for (int i = 0; i < 8; ++i)
        logs[person].push_back(said("person " + std::to_string(person),
                                    std::string(1, static_cast<char>('a' + random() % 3)),
                                    random() % 2 == 0 ? "x" : "y",
                                    static_cast<Verdict>(static_cast<int>(random() % 3) - 1),
                                    static_cast<unsigned>(random() % 5)));
    Library& first = made();
    Library& second = made();
    for (const auto& log : logs) merge_decisions(first, log);
    std::vector<LoggedDecision> all;
    for (auto log = logs.rbegin(); log != logs.rend(); ++log)
      all.insert(all.end(), log->begin(), log->end());
    std::shuffle(all.begin(), all.end(), random);
    const std::size_t half = all.size() / 2;
    merge_decisions(second, {all.begin() + static_cast<std::ptrdiff_t>(half), all.end()});
    merge_decisions(second, all);
    EXPECT_EQ(shown(first), shown(second)) << "round " << round;
    const Shown before = shown(first);
    const MergedLog again = merge_decisions(first, all);
    EXPECT_EQ(again.fresh, 0);
    EXPECT_EQ(again.known, std::ssize(all));
    EXPECT_EQ(shown(first), before);
    EXPECT_EQ(decision_log(first).size(), all.size());
    EXPECT_EQ(decision_conflicts(first).size(), decision_conflicts(second).size());
  }
}

TEST_F(DecisionLog, TwoLibrariesThatMergeEachOtherAgree) {
  Library& ann = made();
  Library& bob = made();
  test::decide_one(ann, "birds", "a", "sea", Verdict::accepted);
  test::decide_one(bob, "birds", "b", "sky", Verdict::accepted);
  test::decide_one(bob, "birds", "a", "x", Verdict::rejected);
  const std::string log = write_decision_log(decision_log(bob));
  merge_decisions(ann, read_decision_log(log));
  merge_decisions(bob, read_decision_log(write_decision_log(decision_log(ann))));
  EXPECT_EQ(shown(ann), shown(bob));
  EXPECT_EQ(shown(ann).at("a"), std::vector<std::string>{"sea"});
  EXPECT_EQ(write_decision_log(decision_log(ann)).size(),
            write_decision_log(decision_log(bob)).size());
  EXPECT_EQ(merge_decisions(ann, decision_log(bob)).fresh, 0);
}

TEST_F(DecisionLog, TheNewestOfTheLastWordsIsInForce) {
  Library& library = made();
  merge_decisions(
      library,
      {said("ann", "b", "x", Verdict::accepted, 1), said("bob", "b", "x", Verdict::rejected, 3),
       said("bob", "b", "x", Verdict::withdrawn, 4), said("ann", "a", "x", Verdict::rejected, 2),
       said("bob", "a", "x", Verdict::accepted, 2), said("bob", "c", "z", Verdict::rejected, 1),
       said("ann", "c", "z", Verdict::accepted, 2)});
  EXPECT_EQ(shown(library).at("b"), std::vector<std::string>{"x"}) << "who withdrew says nothing";
  EXPECT_TRUE(shown(library).at("a").empty()) << "of one second the rejection counts";
  EXPECT_EQ(shown(library).at("c"), (std::vector<std::string>{"y", "z"}));
  const std::vector<DecisionConflict> conflicts = decision_conflicts(library);
  ASSERT_EQ(conflicts.size(), 2u);
  EXPECT_EQ(conflicts[0].item, "a");
  EXPECT_EQ(conflicts[0].in_force, Verdict::rejected);
  EXPECT_EQ(conflicts[1].said.at(0).who, "ann");
}

TEST_F(DecisionLog, WhatIsNoLogIsRefusedWithItsLine) {
  Library& library = made();
  const LoggedDecision good = said("ann", "b", "x", Verdict::accepted, 1);
  const std::string line = write_decision_log({good});
  EXPECT_EQ(read_decision_log(line + "\n\r\n"), std::vector<LoggedDecision>{good});
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"accepted", "maybe"}, {"aaaa", "zzzz"}, {"\"tag\":\"x\"", "\"tag\":3"}}) {
    std::string bad = line;
    bad.replace(bad.find(from), from.size(), to);
    const std::string message = test::message_of([&] { read_decision_log(line + bad); });
    EXPECT_NE(message.find("line 2"), std::string::npos) << bad << message;
  }
  EXPECT_THROW(read_decision_log("[1]"), Error);
  merge_decisions(library, {good});
  LoggedDecision other = good;
  other.verdict = Verdict::rejected;
  EXPECT_NE(test::message_of([&] { merge_decisions(library, {other}); }).find("another content"),
            std::string::npos);
  other.library = identity_of(library);
  other.number = 77;
  EXPECT_THROW(merge_decisions(library, {other}), Error);
  EXPECT_EQ(decision_log(library).size(), 1u);
}

}  // namespace decision_log_test
}  // namespace commonplace

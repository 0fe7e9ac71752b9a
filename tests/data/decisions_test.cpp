#include "commonplace/data/decisions.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/sample_library.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace {

using test::decide_one;
using test::tag_names;
using Names = std::vector<std::string>;

class Decisions : public testing::Test {
 protected:
  Decisions() {
    Library::create(folder_ / "library");
    library_ = std::make_unique<Library>(folder_ / "library", Library::Access::write);
    test::import_jsonl(*library_, "birds", R"({"id":"1","tags":["Owl"]})");
  }
  Names tags() { return tag_names(*library_, "birds", "1"); }

  test::TemporaryDirectory folder_;
  std::unique_ptr<Library> library_;
};

TEST_F(Decisions, AcceptRejectWithdraw) {
  decide_one(*library_, "birds", "1", "Night/Sky", Verdict::accepted);
  EXPECT_EQ(tags(), Names({"Owl", "Night/Sky"}));
  decide_one(*library_, "birds", "1", "OWL", Verdict::rejected);
  EXPECT_EQ(tags(), Names({"Night/Sky"}));
  decide_one(*library_, "birds", "1", "owl", Verdict::withdrawn);
  EXPECT_EQ(tags(), Names({"Owl", "Night/Sky"}));
  decide_one(*library_, "birds", "1", "night/sky", Verdict::rejected);
  EXPECT_EQ(tags(), Names({"Owl"}));
}

TEST_F(Decisions, NothingIsEverForgotten) {
  for (const Verdict verdict : {Verdict::accepted, Verdict::rejected, Verdict::withdrawn})
    decide_one(*library_, "birds", "1", "sky", verdict);
  const std::vector<Decision> history = decision_history(*library_, "birds", "1");
  ASSERT_EQ(history.size(), 3u);
  EXPECT_EQ(history[1].verdict, Verdict::rejected);
  EXPECT_TRUE(decisions_in_force(*library_, "birds").empty());
  decide_one(*library_, "birds", "1", "sky", Verdict::rejected);
  const std::vector<Decision> now = decisions_in_force(*library_, "birds");
  ASSERT_EQ(now.size(), 1u);
  EXPECT_EQ(now[0].tag, "sky");
  EXPECT_EQ(now[0].verdict, Verdict::rejected);
}

TEST_F(Decisions, AllOrNone) {
  EXPECT_THROW(decide(*library_, collection(*library_, "birds"),
                      {{"1", "good", Verdict::accepted, ""}, {"2", "x", Verdict::accepted, ""}}),
               Error);
  EXPECT_THROW(decide_one(*library_, "birds", "1", " / ", Verdict::accepted), Error);
  EXPECT_EQ(tags(), Names({"Owl"}));
}

}  // namespace
}  // namespace commonplace

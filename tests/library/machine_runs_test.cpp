#include "commonplace/library/machine/machine_runs.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/library/machine/machine_labels.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/vocabulary.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace machine_runs_test {

using Names = std::vector<std::string>;

class Runs : public test::LibraryTest {
 protected:
  Runs() {
    test::import_jsonl(library(), "birds", R"({"id":"a"}
{"id":"b"}
)");
    name_model(library(), "m");
  }
  Collection birds() { return collection_named("birds"); }
  Names tags(const char* id) { return test::tag_names(library(), "birds", id); }
  std::int64_t write(const std::vector<MachineTag>& tags, bool replaces = true) {
    return store_run(library(), birds(), "m", tags,
                     {"apply", R"({"above":0.5})", "asked for", replaces});
  }
};

TEST_F(Runs, SayWhoWroteWhatAndWhy) {
  const std::int64_t first = write({{"a", "owl", 0.75}, {"b", "owl", 0.5}, {"b", "gull", 0.5}});
  const MachineRun run = machine_run(library(), first);
  EXPECT_EQ(run.command, "apply");
  EXPECT_EQ(run.collection, "birds");
  EXPECT_EQ(run.model, "m");
  EXPECT_EQ(run.settings, R"({"above":0.5})");
  EXPECT_EQ(run.reason, "asked for");
  EXPECT_EQ(run.wrote, 3);
  EXPECT_EQ(run.items, 2);
  EXPECT_EQ(run.shown, 3);
  EXPECT_TRUE(run.undone.empty());
  write({{"b", "gull", 0.9}});
  EXPECT_EQ(machine_run(library(), first).wrote, 3);
  EXPECT_EQ(machine_run(library(), first).shown, 0);
  EXPECT_EQ(machine_runs(library()).front().shown, 1);
  EXPECT_NE(test::message_of([&] { machine_run(library(), 77); }).find("77"), std::string::npos);
}

TEST_F(Runs, TheVersionIsThatOfTheModelWhichWrote) {
  const auto store = [&] {
    store_model(library(), {"learned", "test", {}, "{}", "{}", ""},
                [](const std::filesystem::path& path) { TensorWriter().write(path); });
  };
  store();
  const auto write = [&] {
    return machine_run(library(), store_run(library(), birds(), "learned", {}, {})).version;
  };
  const std::string first = write();
  EXPECT_EQ(first, model_record(library(), "learned").file.stem().string());
  store();
  EXPECT_NE(write(), first);
}

TEST_F(Runs, AreTakenBackInAnyOrder) {
  const std::int64_t first = write({{"a", "owl", 0.75}});
  const std::int64_t second = write({{"a", "gull", 0.5}});
  const std::int64_t more = write({{"b", "tit", 0.5}}, false);
  EXPECT_EQ(tags("a"), Names{"gull?"});
  EXPECT_EQ(tags("b"), Names{"tit?"});
  EXPECT_EQ(undo_run(library(), second), 1);
  EXPECT_EQ(tags("a"), Names{"owl?"}) << "what it had taken the place of is back";
  EXPECT_EQ(tags("b"), Names{"tit?"});
  EXPECT_EQ(undo_run(library(), second), 0) << "a second time";
  EXPECT_EQ(undo_run(library(), first), 1);
  EXPECT_EQ(tags("a"), Names{});
  EXPECT_EQ(restore_run(library(), second), 1);
  EXPECT_EQ(tags("a"), Names{"gull?"});
  EXPECT_EQ(undo_run(library(), more), 1);
  EXPECT_EQ(tags("b"), Names{});
  EXPECT_EQ(undo_runs_of(library(), birds(), "m"), 1);
  EXPECT_EQ(tags("a"), Names{});
  EXPECT_EQ(machine_runs(library()).size(), 3u) << "none is forgotten";
  EXPECT_FALSE(newest_run(library(), birds(), "m").has_value());
}

TEST_F(Runs, OfLabelsAreTakenBackToo) {
  const auto write = [&](const char* value) {
    store_machine_labels(library(), birds(), {"n", "transfer", {}, "{}", "{}", ""}, "class",
                         {{"a", value, 0.5}});
    return machine_runs(library()).front().id;
  };
  const auto shown = [&] {
    const std::vector<GivenLabel> labels = machine_labels_of(library(), birds(), "a");
    return labels.empty() ? "" : labels.at(0).value;
  };
  const std::int64_t first = write("x");
  const std::int64_t second = write("y");
  EXPECT_EQ(machine_run(library(), second).shown, 1);
  EXPECT_EQ(machine_run(library(), first).shown, 0);
  EXPECT_EQ(shown(), "y");
  EXPECT_EQ(undo_run(library(), second), 1);
  EXPECT_EQ(shown(), "x");
  EXPECT_EQ(undo_run(library(), first), 1);
  EXPECT_EQ(shown(), "");
}

TEST_F(Runs, NoteWhatASourceHasAsAMachines) {
  test::import_jsonl(
      library(), "birds",
      R"({"id":"a","tags":[{"name":"owl","by":"machine","model":"other","score":0.5}]})");
  ASSERT_EQ(tags("a"), Names{"owl?"});
  const MachineRun run = machine_runs(library()).at(0);
  EXPECT_EQ(run.command, "add");
  EXPECT_EQ(run.model, "other");
  EXPECT_EQ(undo_run(library(), run.id), 1);
  EXPECT_EQ(tags("a"), Names{});
}

TEST_F(Runs, GoWithTheirItemsAndStayWithoutTheirModel) {
  write({{"a", "owl", 0.75}});
  remove_model(library(), "m");
  EXPECT_FALSE(machine_runs(library()).at(0).undone.empty());
  EXPECT_EQ(tags("a"), Names{});
  remove_collection(library(), birds());
  EXPECT_EQ(machine_runs(library()).at(0).wrote, 0);
}

TEST_F(Runs, LeaveOutTagsThatOnlyPeopleGive) {
  describe_tag(library(), {"owl", "by hand", true, false});
  write({{"a", "Owl", 0.75}, {"a", "gull", 0.5}});
  EXPECT_EQ(tags("a"), Names{"gull?"});
}

}  // namespace machine_runs_test
}  // namespace commonplace

#include "commonplace/library/machine/machine_labels.h"

#include <gtest/gtest.h>

#include "tests/support/sample_library.h"

namespace commonplace {
namespace machine_labels_test {

class MachineLabels : public test::LibraryTest {
 protected:
  MachineLabels() {
    test::import_jsonl(library(), "notes",
                       R"({"id":"a","text":"one","label":"good"})"
                       "\n"
                       R"({"id":"b","text":"two"})"
                       "\n");
  }
  ModelRecord model(const std::string& name, const std::string& kind = "transfer") const {
    return {name, kind, {}, "{}", "{}", {}};
  }
  std::vector<std::string> of(const std::string& item) {
    std::vector<std::string> result;
    for (const GivenLabel& each : machine_labels_of(library(), collection_named("notes"), item))
      result.push_back(each.field + "=" + each.value + " by " + each.model);
    return result;
  }
  void store(const std::string& name, const std::string& field,
             const std::vector<MachineLabel>& labels) {
    store_machine_labels(library(), collection_named("notes"), model(name), field, labels);
  }
};

TEST_F(MachineLabels, StandBesideTheSourcesOwnAndReplaceTheModelsBefore) {
  store("one", "label", {{"a", "bad", 0.4}, {"b", "góod", 0.9}});
  store("two", "label", {{"b", "bad", 0.95}});
  store("one", "mood", {{"b", "calm", 1}});
  EXPECT_EQ(of("a"), (std::vector<std::string>{"label=bad by one"}));
  EXPECT_EQ(of("b"), (std::vector<std::string>{"label=bad by two", "label=góod by one",
                                               "mood=calm by one"}));
  const Item item = commonplace::item(library(), collection_named("notes"), "a");
  EXPECT_EQ(item.labels, (std::vector<Label>{{"label", "good"}})) << "what the source says stays";
  store("one", "label", {{"b", "bad", 0.6}});
  EXPECT_TRUE(of("a").empty());
  EXPECT_EQ(of("b").size(), 3U);
}

TEST_F(MachineLabels, AreRemovedByModel) {
  store("one", "label", {{"a", "bad", 0.4}, {"b", "bad", 0.9}});
  store("two", "label", {{"b", "bad", 0.95}});
  EXPECT_EQ(remove_machine_labels(library(), collection_named("notes"), "one"), 2);
  EXPECT_EQ(remove_machine_labels(library(), collection_named("notes"), "one"), 0);
  EXPECT_EQ(of("b"), (std::vector<std::string>{"label=bad by two"}));
  EXPECT_NE(test::message_of([&] {
              remove_machine_labels(library(), collection_named("notes"), "three");
            }).find("no model 'three'"),
            std::string::npos);
}

TEST_F(MachineLabels, NothingIsStoredIfSomethingIsWrong) {
  store("one", "label", {{"a", "bad", 0.4}});
  EXPECT_NE(test::message_of([&] {
              store("one", "label", {{"b", "x", 1}, {"z", "x", 1}});
            }).find("no item 'z'"),
            std::string::npos);
  EXPECT_EQ(of("a").size(), 1U);
  EXPECT_NE(test::message_of([&] {
              store_machine_labels(library(), collection_named("notes"), model("one", "suggest"),
                                   "label", {});
            }).find("another kind"),
            std::string::npos);
  EXPECT_EQ(of("a").size(), 1U);
}

}  // namespace machine_labels_test
}  // namespace commonplace

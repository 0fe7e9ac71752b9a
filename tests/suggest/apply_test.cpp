#include "commonplace/suggest/apply.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "commonplace/formats/export.h"
#include "commonplace/library/stored/stored_models.h"
#include "tests/support/tagged_notes.h"

namespace commonplace {
namespace apply_test {

using namespace suggest;

using test::message_of;

class Apply : public test::TaggedNotes {
 protected:
  Apply() { learn(); }

  suggest::Applied apply(const ApplyOptions& options = {}, const std::string& to = "notes") {
    return suggest::apply(library(), suggester(), to, options, {});
  }
  std::vector<ItemTag> machine_tags(const std::string& name = "notes") {
    std::vector<ItemTag> tags;
    ItemReader reader(library(), collection_named(name), {.machine = true});
    for (Item item; reader.next(item);)
      std::copy_if(item.tags.begin(), item.tags.end(), std::back_inserter(tags),
                   [](const ItemTag& tag) { return tag.by == GivenBy::machine; });
    return tags;
  }
  /// What is exported: all that humans say.
  std::string human() {
    std::string text;
    ItemReader reader(library(), collection_named("notes"));
    write_jsonl([&](Item& item) { return reader.next(item); },
                [&](std::string_view bytes) { text += bytes; });
    return text;
  }
  std::int64_t rows() { return library().database().integer("SELECT count(*) FROM machine_tag"); }
};

TEST_F(Apply, WritesWhatIsSureWithItsProvenance) {
  const std::string before = human();
  const suggest::Applied summary = apply({.above = 0.8});
  EXPECT_EQ(summary.items, test::kNotes);
  EXPECT_GE(summary.tagged_items, 110) << "of 128 that have no tags";
  EXPECT_EQ(summary.before, 0);
  const auto tags = machine_tags();
  EXPECT_EQ(std::ssize(tags), summary.tags);
  for (const ItemTag& tag : tags) {
    EXPECT_EQ(tag.model, "suggest.notes");
    EXPECT_GE(tag.score, 0.8);
    EXPECT_LE(tag.score, 1);
  }
  EXPECT_EQ(test::tag_names(library(), "notes", "n5"), std::vector<std::string>{"Forest?"});
  EXPECT_EQ(human(), before);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < summary.uses.size(); ++i) {
    sum += summary.uses[i].items;
    if (i > 0) {
      EXPECT_LE(summary.uses[i].items, summary.uses[i - 1].items);
    }
  }
  EXPECT_EQ(sum, summary.tags);
}

TEST_F(Apply, ReplacesWhatItSaidBefore) {
  const std::int64_t many = apply({.above = 0, .limit_per_item = 2}).tags;
  const suggest::Applied few = apply({.above = 0.8});
  EXPECT_EQ(few.before, many);
  EXPECT_GT(many, few.tags);
  EXPECT_EQ(rows(), few.tags);
  EXPECT_EQ(apply({.above = 0.8}).tags, few.tags);
}

TEST_F(Apply, AtMostSoManyAnItem) {
  const suggest::Applied summary = apply({.above = 0, .limit_per_item = 1});
  EXPECT_EQ(summary.tags, summary.tagged_items);
  EXPECT_EQ(summary.tagged_items, test::kNotes);
}

TEST_F(Apply, NeverARejectedTag) {
  test::decide_one(library(), "notes", "n5", "forest", Verdict::rejected);
  apply({.above = 0, .limit_per_item = 100});
  const Collection notes = collection_named("notes");
  Statement written = library().database().prepare(
      "SELECT t.name FROM machine_tag m JOIN tag t ON t.id = m.tag JOIN item i ON i.id = m.item "
      "WHERE i.collection = ? AND i.key = 'n5'");
  written.bind(notes.id);
  std::vector<std::string> names;
  while (written.step()) names.emplace_back(written.text(0));
  EXPECT_EQ(names.size(), 4U);
  EXPECT_EQ(std::count(names.begin(), names.end(), "Forest"), 0);
}

TEST_F(Apply, ADryRunChangesNothing) {
  const std::string before = test::contents(library());
  const suggest::Applied summary = apply({.above = 0.8, .dry_run = true});
  EXPECT_GT(summary.tags, 80);
  EXPECT_EQ(rows(), 0);
  EXPECT_EQ(test::contents(library()), before);
}

TEST_F(Apply, RemovesOnlyItsOwn) {
  test::import_jsonl(library(), "others", test::note_lines());
  store_model(library(), {"else", "named", {}, "{}", "{}", ""},
              [](const auto& path) { std::ofstream(path) << "not read"; });
  store_machine_tags(library(), collection_named("notes"), "else", {{"n5", "Owl", 0.5}});
  const std::int64_t tags = apply({.above = 0.8}).tags;
  const std::int64_t others = apply({.above = 0.8}, "others").tags;
  EXPECT_GT(others, 80);
  EXPECT_EQ(remove_suggestions(library(), "suggest.notes", "notes"), tags);
  EXPECT_EQ(rows(), others + 1);
  EXPECT_EQ(test::tag_names(library(), "notes", "n5"), std::vector<std::string>{"Owl?"});
  EXPECT_EQ(remove_suggestions(library(), "", "notes"), 0);
  EXPECT_NE(message_of([&] { remove_suggestions(library(), "else", "notes"); }).find("'named'"),
            std::string::npos);
  EXPECT_EQ(rows(), others + 1);
}

TEST_F(Apply, WrongOptions) {
  EXPECT_NE(message_of([&] { apply({.above = 1.5}); }).find("1.5"), std::string::npos);
  EXPECT_NE(message_of([&] { apply({.limit_per_item = 0}); }).find("0"), std::string::npos);
  EXPECT_NE(message_of([&] { apply({}, "nobody"); }).find("'nobody'"), std::string::npos);
  EXPECT_EQ(rows(), 0);
}

}  // namespace apply_test
}  // namespace commonplace

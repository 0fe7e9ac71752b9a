#include "commonplace/library/tags/vocabulary.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "commonplace/suggest/apply.h"
#include "commonplace/suggest/review.h"
#include "tests/support/tagged_notes.h"

namespace commonplace {
namespace vocabulary_test {

using Kind = VocabularyEdit::Kind;
using Tags = std::vector<std::string>;

class Vocabulary : public test::TaggedNotes {
 protected:
  std::int64_t change(VocabularyEdit edit) {
    return change_vocabulary(library(), {std::move(edit)}).at(0);
  }
  static bool has(const Tags& tags, const std::string& tag) {
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
  }
};

TEST_F(Vocabulary, AModelUsesNewNamesAndUnlearnsNothing) {
  learn();
  suggest::Answerer open = suggester();  // from before the change
  const auto first = [](const suggest::Answerer& by) {
    suggest::Options options;
    options.threshold = 0;
    const std::string id = "n0";
    return by.ask("notes", std::span(&id, 1), options)[0].suggestions.at(0);
  };
  const suggest::Suggestion before = first(open);
  EXPECT_EQ(before.tag, "Sea/Harbour");
  const std::int64_t renamed = change({.kind = Kind::rename, .tag = "Sea", .to = "Water"});
  const suggest::Update update = open.refresh();
  EXPECT_EQ(update.changed_items + update.new_items + update.new_tags, 0)
      << "a new name is nothing to learn";
  EXPECT_FALSE(suggester().update().any());
  for (const suggest::Suggestion& after : {first(open), first(suggester())}) {
    EXPECT_EQ(after.tag, "Water/Harbour");
    EXPECT_EQ(after.score, before.score);
  }
  undo_vocabulary_change(library(), renamed);
  EXPECT_EQ(first(suggester()).tag, "Sea/Harbour");
}

TEST_F(Vocabulary, MergedTagsAreSuggestedAsOne) {
  learn();
  change({.kind = Kind::merge, .tag = "Sea/Harbour", .to = "Forest"});
  const suggest::Answerer by = suggester();
  EXPECT_GT(by.update().changed_items, 0);
  for (const std::string id : {"n0", "n5"}) {
    const Tags tags = suggested(by, id);
    EXPECT_EQ(tags.at(0), "Forest") << id;
    EXPECT_EQ(std::count(tags.begin(), tags.end(), "Forest"), 1);
    EXPECT_FALSE(has(tags, "Sea/Harbour"));
  }
}

TEST_F(Vocabulary, TagsForPeopleAloneAreNeitherSuggestedNorAskedNorWritten) {
  learn();
  ASSERT_TRUE(has(suggested(suggester(), "n0"), "Sea/Harbour"));
  change({.tag = "sea/harbour", .manual = true});
  change({.tag = "Forest", .hidden = true});
  suggest::Answerer by = suggester();
  EXPECT_FALSE(has(suggested(by, "n0"), "Sea/Harbour"));
  EXPECT_FALSE(has(suggested(by, "n5"), "Forest"));
  EXPECT_TRUE(has(suggested(by, "n10"), "Kitchen"));
  for (const suggest::ReviewCandidate& each :
       suggest::review_candidates(by, "notes", {.threshold = 0}, {.jobs = 1}))
    ASSERT_TRUE(each.tag != "Sea/Harbour" && each.tag != "Forest");
  for (const TagUse& use : suggest::apply(library(), by, "notes", {.above = 0.1}, {.jobs = 1}).uses)
    EXPECT_TRUE(use.name != "Sea/Harbour" && use.name != "Forest");
  change({.tag = "sea/harbour", .manual = false});
  by.refresh();
  EXPECT_TRUE(has(suggested(by, "n0"), "Sea/Harbour"));
}

}  // namespace vocabulary_test
}  // namespace commonplace

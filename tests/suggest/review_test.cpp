#include "commonplace/suggest/review.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "commonplace/library/stored/stored_models.h"
#include "tests/support/tagged_notes.h"

namespace commonplace {
namespace review_test {

using namespace suggest;

using test::message_of;
using Tags = std::vector<std::string>;

class Review : public test::TaggedNotes {
 protected:
  ReviewQueue queue(suggest::Answerer& from, ReviewOptions options = {}) {
    return {library(), from, "notes", options, {.jobs = 1}};
  }
  std::vector<ReviewEntry> all(ReviewOptions options = {}) {
    suggest::Answerer from = suggester();
    ReviewQueue entries = queue(from, options);
    std::vector<ReviewEntry> result;
    for (std::int64_t i = 0; i < entries.left(); ++i) result.push_back(*entries.look(i, false));
    return result;
  }
  bool asks(const std::string& id, const std::string& tag) {
    const auto entries = all({.threshold = 0});
    return std::any_of(entries.begin(), entries.end(),
                       [&](const ReviewEntry& each) { return each.id == id && each.tag == tag; });
  }
  std::vector<Verdict> verdicts(const std::string& id) {
    std::vector<Verdict> result;
    for (const Decision& each : decision_history(library(), "notes", id))
      result.push_back(each.verdict);
    return result;
  }
  suggest::Model stored_model() {
    return suggest::load_model(TensorFile(model_record(library(), "suggest.notes").file));
  }
};

bool contains(const Tags& tags, const std::string& tag) {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

TEST_F(Review, AsksForWhatIsMissingSurestFirst) {
  learn();
  const auto entries = all();
  ASSERT_GE(entries.size(), 120U);
  std::set<std::string> untagged;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    EXPECT_FALSE(contains(entries[i].tags, entries[i].tag));
    EXPECT_EQ(entries[i].title, "Note " + entries[i].id.substr(1));
    EXPECT_EQ(entries[i].snippet.rfind("word", 0), 0U);
    if (i > 0) {
      EXPECT_LE(entries[i].confidence, entries[i - 1].confidence);
    }
    if (!entries[i].tags.empty() || entries[i].tag == "photo") continue;
    EXPECT_EQ(entries[i].tag, topic_of(entries[i].id));
    untagged.insert(entries[i].id);
  }
  EXPECT_GE(untagged.size(), 120U) << "of the 128 notes without tags";
}

TEST_F(Review, OrdersByDoubtAndByTag) {
  learn();
  const auto doubtful = all({.order = ReviewOrder::uncertain, .threshold = 0});
  ASSERT_GT(doubtful.size(), 100U);
  for (std::size_t i = 1; i < doubtful.size(); ++i)
    EXPECT_GE(std::abs(doubtful[i].confidence - 0.5), std::abs(doubtful[i - 1].confidence - 0.5));
  const auto by_tag = all({.order = ReviewOrder::tag, .threshold = 0});
  EXPECT_EQ(by_tag.size(), doubtful.size());
  for (std::size_t i = 1; i < by_tag.size(); ++i) {
    EXPECT_LE(by_tag[i - 1].tag, by_tag[i].tag);
    if (by_tag[i - 1].tag == by_tag[i].tag) {
      EXPECT_GE(by_tag[i - 1].confidence, by_tag[i].confidence);
    }
  }
  EXPECT_EQ(review_order("uncertain"), ReviewOrder::uncertain);
  EXPECT_NE(message_of([] { review_order("loud"); }).find("confident"), std::string::npos);
}

TEST_F(Review, WithinATagTheScoreDecides) {
  learn();
  const suggest::Answerer from = suggester();
  for (const ReviewOrder order : {ReviewOrder::confident, ReviewOrder::tag}) {
    const auto found =
        review_candidates(from, "notes", {.order = order, .tag = "Forest"}, {.jobs = 1});
    ASSERT_GT(found.size(), 20U);
    std::set<double> different;
    for (std::size_t i = 0; i < found.size(); ++i) {
      different.insert(found[i].confidence);
      EXPECT_GT(found[i].confidence, 0);
      EXPECT_LE(found[i].confidence, 0.99);
      if (i > 0) {
        EXPECT_GE(found[i - 1].score, found[i].score);
      }
    }
    EXPECT_GT(different.size(), found.size() / 2) << "confidence is no step function";
  }
}

TEST_F(Review, OneTagByAnySpelling) {
  suggest::ModelOptions options = usual_options();
  options.tags.synonyms = folder_.write("same.tsv", "wood\tForest\n");
  learn(options);
  const auto entries = all({.tag = "FOREST", .threshold = 0.5});
  ASSERT_EQ(entries.size(), 32U) << "a fifth of 160 has no tags";
  for (const ReviewEntry& each : entries) EXPECT_EQ(each.tag, "Forest");
  EXPECT_EQ(all({.tag = "Wood", .threshold = 0.5}).size(), 32U);
  EXPECT_EQ(all({.tag = "forest", .threshold = 0.5, .limit = 3}).size(), 3U);
}

TEST_F(Review, ATagThatTheModelDoesNotKnow) {
  learn();
  const std::string near = message_of([&] { all({.tag = "forrest"}); });
  EXPECT_NE(near.find("'forrest'"), std::string::npos) << near;
  EXPECT_NE(near.find("there are: Forest"), std::string::npos) << near;
  EXPECT_NE(message_of([&] { all({.tag = "harbour"}); }).find("Sea/Harbour"), std::string::npos);
  EXPECT_NE(message_of([&] { all({.tag = "zzzzzz"}); }).find("5 tags"), std::string::npos);
  EXPECT_NE(message_of([&] { all({.limit = -1}); }).find("-1"), std::string::npos);
}

TEST_F(Review, EveryAnswerIsStoredAtOnceAndLearned) {
  learn();
  suggest::Answerer from = suggester();
  ReviewQueue entries = queue(from);
  const std::int64_t before = entries.left();
  const ReviewEntry first = *entries.next();
  EXPECT_EQ(entries.next()->id, first.id) << "the same until it is answered";
  EXPECT_FALSE(first.reasons.words.empty());
  EXPECT_FALSE(first.reasons.known.empty());
  entries.accept();
  EXPECT_TRUE(contains(test::tag_names(library(), "notes", first.id), first.tag));
  EXPECT_EQ(entries.learned().new_items, 1) << "it had no tags";

  const ReviewEntry second = *entries.next();
  EXPECT_NE(second.id + second.tag, first.id + first.tag);
  entries.reject();
  EXPECT_EQ(verdicts(second.id).back(), Verdict::rejected);
  entries.skip();
  EXPECT_EQ(entries.counts(), (ReviewCounts{1, 1, 1}));
  EXPECT_EQ(entries.left(), before - 3);
  EXPECT_EQ(entries.counts_by_tag().at(first.tag).accepted, 1);
  EXPECT_EQ(from.model().known_ids.size(), 514U) << "512 tagged ones and these";
}

TEST_F(Review, ARejectedTagIsNeverAskedAgain) {
  learn();
  suggest::Answerer from = suggester();
  ReviewQueue entries = queue(from);
  const ReviewEntry entry = *entries.next();
  EXPECT_TRUE(asks(entry.id, entry.tag));
  entries.reject();
  EXPECT_FALSE(asks(entry.id, entry.tag));
  learn();
  EXPECT_FALSE(asks(entry.id, entry.tag));
}

TEST_F(Review, UndoWithdrawsAndAsksAgain) {
  learn();
  suggest::Answerer from = suggester();
  ReviewQueue entries = queue(from);
  EXPECT_FALSE(entries.undo());
  const std::int64_t before = entries.left();
  const ReviewEntry first = *entries.next();
  entries.accept();
  const ReviewEntry second = *entries.next();
  entries.skip();
  EXPECT_TRUE(entries.undo());
  EXPECT_EQ(entries.next()->id, second.id);
  EXPECT_TRUE(verdicts(second.id).empty()) << "a skip is no decision, and so is taking it back";
  EXPECT_TRUE(entries.undo());
  EXPECT_EQ(verdicts(first.id), (std::vector{Verdict::accepted, Verdict::withdrawn}));
  ASSERT_NE(entries.next(), nullptr);
  EXPECT_EQ(entries.next()->id, first.id);
  EXPECT_EQ(entries.next()->tag, first.tag);
  EXPECT_EQ(entries.counts(), ReviewCounts());
  EXPECT_TRUE(entries.counts_by_tag().empty());
  EXPECT_EQ(entries.left(), before);
  EXPECT_TRUE(test::tag_names(library(), "notes", first.id).empty());
}

TEST_F(Review, EndsAndIsAnsweredNoMore) {
  learn();
  suggest::Answerer from = suggester();
  ReviewQueue entries = queue(from, {.limit = 2});
  entries.skip();
  entries.reject();
  EXPECT_EQ(entries.next(), nullptr);
  EXPECT_EQ(entries.look(0, false), std::nullopt);
  EXPECT_FALSE(message_of([&] { entries.accept(); }).empty());
  EXPECT_TRUE(entries.undo());
  EXPECT_NE(entries.next(), nullptr);
}

TEST_F(Review, TheLevelAboveAnAcceptedTagIsPassedOver) {
  suggest::ModelOptions options = usual_options();
  options.tags.parents = true;
  learn(options);
  const Tags both = suggested(suggester(), "n0");
  ASSERT_TRUE(contains(both, "Sea") && contains(both, "Sea/Harbour"));
  suggest::Answerer from = suggester();
  ReviewQueue entries = queue(from, {.order = ReviewOrder::tag});
  while (entries.next() != nullptr && entries.next()->tag != "Sea") entries.skip();
  ASSERT_NE(entries.next(), nullptr);
  const std::string id = entries.next()->id;
  test::decide_one(library(), "notes", id, "Sea/Harbour", Verdict::accepted);
  from.refresh();
  ReviewQueue again = queue(from, {.threshold = 0});
  for (std::int64_t i = 0; i < again.left(); ++i) {
    const auto entry = again.look(i, false);
    EXPECT_FALSE(entry->id == id && entry->tag.starts_with("Sea"));
  }
  entries.skip();
  entries.undo();
  EXPECT_TRUE(entries.next() == nullptr || entries.next()->id != id);
}

TEST_F(Review, KeepsTheModelUnlessItWasLearnedAnew) {
  learn();
  suggest::Answerer from = suggester();
  ReviewQueue entries = queue(from);
  EXPECT_FALSE(entries.keep()) << "nothing was learned";
  entries.accept();
  EXPECT_TRUE(entries.keep());
  EXPECT_EQ(stored_model().known_ids.size(), 513U);
  EXPECT_FALSE(suggester().update().any()) << "it knows all that was decided";
  entries.accept();
  EXPECT_TRUE(entries.keep()) << "its own file may be replaced again";

  learn();
  const auto file = model_record(library(), "suggest.notes").file;
  entries.accept();
  EXPECT_FALSE(entries.keep());
  EXPECT_EQ(model_record(library(), "suggest.notes").file, file);
}

// Decisions alone are learned without reading the whole collection; both ways must agree.
TEST_F(Review, DecisionsAreLearnedAsFromTheWholeCollection) {
  for (const bool parents : {false, true}) {
    suggest::ModelOptions options = usual_options();
    options.tags.parents = parents;
    learn(options);
    suggest::Model quick = stored_model();
    suggest::Model slow = quick;
    test::decide_one(library(), "notes", "n0", "Sea/Harbour", Verdict::accepted);
    test::decide_one(library(), "notes", "n1", "forest", Verdict::rejected);
    test::decide_one(library(), "notes", "n5", "Kitchen", Verdict::rejected);
    test::decide_one(library(), "notes", "n2", "sea/harbour", Verdict::rejected);
    test::decide_one(library(), "notes", "n2", "photo", Verdict::accepted);
    test::decide_one(library(), "notes", "n3", "photo", Verdict::accepted);
    test::decide_one(library(), "notes", "n3", "photo", Verdict::withdrawn);
    slow.state = "unknown";
    const suggest::Update one = update_model(quick, library(), {.jobs = 1});
    const suggest::Update other = update_model(slow, library(), {.jobs = 1});
    EXPECT_EQ(one.new_items, 2);
    EXPECT_GE(one.changed_items, 2);
    EXPECT_EQ(one.changed_items, other.changed_items);
    EXPECT_EQ(one.new_items, other.new_items);
    EXPECT_EQ(quick.state, slow.state);
    EXPECT_EQ(quick.known_ids, slow.known_ids);
    EXPECT_EQ(quick.suggester.known_tags.indices, slow.suggester.known_tags.indices);
    EXPECT_EQ(quick.suggester.known_tags.values, slow.suggester.known_tags.values);
    EXPECT_EQ(quick.suggester.known.sparse.values, slow.suggester.known.sparse.values);
    EXPECT_EQ(quick.suggester.tag_gp.weights, slow.suggester.tag_gp.weights);
    EXPECT_EQ(quick.suggester.tag_gp.inverse, slow.suggester.tag_gp.inverse);
    for (const std::string id : {"n0", "n1", "n2", "n3", "n5"})
      for (const std::string& tag : test::kNoteTopics)
        test::decide_one(library(), "notes", id, tag, Verdict::withdrawn);
    test::decide_one(library(), "notes", "n2", "photo", Verdict::withdrawn);
  }
}

TEST_F(Review, ATagThatDecisionsMakeCommonIsLearned) {
  learn();
  suggest::Answerer from = suggester();
  for (const std::string id : {"n1", "n5", "n9"}) {
    test::decide_one(library(), "notes", id, "Owl", Verdict::accepted);
    from.refresh();
  }
  EXPECT_TRUE(contains(from.model().tags, "Owl"));
  EXPECT_TRUE(contains(suggested(from, "n13"), "Owl"));
}

TEST_F(Review, AnotherCollectionTeachesTheModelNothing) {
  learn();
  test::import_jsonl(library(), "others", test::note_lines());
  suggest::Answerer from = suggester();
  ReviewQueue entries(library(), from, "others", {.limit = 1}, {.jobs = 1});
  entries.accept();
  EXPECT_FALSE(entries.learned().any());
  EXPECT_EQ(decisions_in_force(library(), "others").size(), 1U);
  EXPECT_TRUE(decisions_in_force(library(), "notes").empty());
}

TEST_F(Review, SnippetsDoNotPartCharacters) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "ä";
  test::import_jsonl(
      library(), "notes",
      test::note_lines() + R"({"id":"n1000","text":"wordba wordbb wordbc )" + text + "\"}\n");
  learn();
  const auto entries = all({.tag = "Forest"});
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [](const ReviewEntry& each) { return each.id == "n1000"; });
  ASSERT_NE(found, entries.end());
  EXPECT_LT(found->snippet.size(), 410U);
  EXPECT_TRUE(found->snippet.ends_with("ä…"));
}

TEST_F(Review, SuggestionsHeedDecisionsByAnySpelling) {
  learn();
  test::decide_one(library(), "notes", "n1", "Forest", Verdict::withdrawn);
  EXPECT_FALSE(contains(suggested(suggester(), "n1"), "Forest")) << "its source gave it";
  test::decide_one(library(), "notes", "n5", "forest", Verdict::rejected);
  EXPECT_FALSE(contains(suggested(suggester(), "n5"), "Forest"));
  test::decide_one(library(), "notes", "n5", "FOREST", Verdict::withdrawn);
  EXPECT_TRUE(contains(suggested(suggester(), "n5"), "Forest"));
}

TEST_F(Review, ARejectionSaysNothingOfTheLevelsAbove) {
  suggest::ModelOptions options = usual_options();
  options.tags.parents = true;
  learn(options);
  test::decide_one(library(), "notes", "n0", "Sea/Harbour", Verdict::rejected);
  test::decide_one(library(), "notes", "n20", "Sea/Shore", Verdict::rejected);
  const suggest::Answerer now = suggester();
  EXPECT_FALSE(contains(suggested(now, "n0"), "Sea/Harbour"));
  EXPECT_TRUE(contains(suggested(now, "n0"), "Sea"));
  EXPECT_TRUE(contains(suggested(now, "n20"), "Sea"));
}

}  // namespace review_test
}  // namespace commonplace

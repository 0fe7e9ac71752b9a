#include "commonplace/search/explain.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "commonplace/library/stored/stored_models.h"
#include "commonplace/search/learn.h"
#include "commonplace/search/topics.h"
#include "tests/support/planted_collections.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace explain_test {

using namespace search;

using Ids = std::vector<std::string>;

class Reasons : public test::LibraryTest {
 protected:
  Reasons() {
    test::add_planted_collections(library());
    test::import_jsonl(
        library(), "photos",
        R"({"id":"written","title":"Old harbour","text":"a ship","tags":["harbour","wave"]})");
    search::ModelOptions options;
    options.rank = 7;
    options.auxiliary_rank = 8;
    options.shared = "5";
    search::learn(library(), "photos", {"gallery"}, "model", options, {.jobs = 1});
  }

  search::Answer explain(const std::string& query, search::Options options = {}) {
    options.limit = 1000;
    options.explain = true;
    return search::Answerer(library(), "photos", "model", {.jobs = 1})
        .ask(parse_query(query), options);
  }
  /// The model with other weights, so that a test sees the way of borrowing that it is about.
  void weigh(const BorrowingWeights& weights) {
    search::Model model = this->model();
    model.borrowing.weights = weights;
    store_model(library(), {"model", search::kModelKind, {}, "{}", "{}", ""},
                [&](const std::filesystem::path& path) { save(model, path); });
  }
  search::Model model() {
    return search::load_model(TensorFile(model_record(library(), "model").file));
  }
  std::int64_t items_with_both(const std::string& name, const std::string& a,
                               const std::string& b) {
    std::int64_t both = 0;
    ItemReader reader(library(), collection_named(name));
    for (Item item; reader.next(item);) {
      auto has = [&](const std::string& tag) {
        return std::any_of(item.tags.begin(), item.tags.end(),
                           [&](const ItemTag& each) { return each.name == tag; });
      };
      both += has(a) && has(b) ? 1 : 0;
    }
    return both;
  }
};

const search::Hit& hit_of(const search::Answer& answer, const std::string& id) {
  const auto found = std::find_if(answer.hits.begin(), answer.hits.end(),
                                  [&](const search::Hit& hit) { return hit.id == id; });
  if (found == answer.hits.end()) throw std::runtime_error(id + " was not found");
  return *found;
}

TEST_F(Reasons, NameTheWordsAndWhereTheyAre) {
  const search::Answer answer = explain("harbour ship wave zebra");
  const auto& words = hit_of(answer, "written").reasons.words;
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(words[0].word, "harbour");
  EXPECT_TRUE(words[0].in_tags);
  EXPECT_TRUE(words[0].in_text);
  EXPECT_EQ(words[1].word, "ship");
  EXPECT_FALSE(words[1].in_tags);
  EXPECT_TRUE(words[1].in_text);
  EXPECT_EQ(words[2].word, "wave");
  EXPECT_TRUE(words[2].in_tags);
  EXPECT_FALSE(words[2].in_text);
  for (const search::Hit& hit : answer.hits) EXPECT_EQ(hit.reasons.words.empty(), hit.own == 0);
}

TEST_F(Reasons, AssociationsCountTheItemsThatHaveBoth) {
  weigh({.lift = 2, .ridge = 20});
  std::size_t seen = 0;
  for (const search::Hit& hit : explain("harbour").hits) {
    double last = 1e9;
    for (const auto& reason : hit.reasons.associations) {
      ++seen;
      EXPECT_EQ(reason.asked, "harbour");
      EXPECT_NE(reason.from, "harbour");
      EXPECT_NE(std::find(hit.tags.begin(), hit.tags.end(), reason.from), hit.tags.end());
      EXPECT_EQ(test::planted_topic(reason.from), 0);
      EXPECT_EQ(reason.collection, "gallery");
      EXPECT_EQ(reason.together, items_with_both("gallery", reason.from, "harbour"));
      EXPECT_GT(reason.together, 0);
      EXPECT_LE(reason.weight, last);
      last = reason.weight;
    }
    EXPECT_TRUE(hit.reasons.neighbours.empty());
    EXPECT_TRUE(hit.reasons.topics.empty());
  }
  EXPECT_GT(seen, 20U);
}

TEST_F(Reasons, NeighboursExistAndHaveWhatWasAsked) {
  weigh({.votes = 50});
  std::size_t seen = 0;
  for (const search::Hit& hit : explain("harbour gull").hits)
    for (const auto& reason : hit.reasons.neighbours) {
      ++seen;
      EXPECT_EQ(reason.collection, "gallery");
      const Item neighbour = item(library(), collection_named("gallery"), reason.id);
      ASSERT_FALSE(reason.asked.empty());
      for (const std::string& asked : reason.asked)
        EXPECT_TRUE(std::any_of(neighbour.tags.begin(), neighbour.tags.end(),
                                [&](const ItemTag& tag) { return tag.name == asked; }));
      EXPECT_GT(reason.weight, 0);
    }
  EXPECT_GT(seen, 20U);
}

TEST_F(Reasons, TopicsHaveTheirTerms) {
  weigh({.topics = 50});
  std::size_t seen = 0;
  for (const search::Hit& hit : explain("harbour").hits) {
    if (hit.own > 0 || hit.reasons.topics.empty()) continue;
    const auto& topic = hit.reasons.topics.front();
    ++seen;
    EXPECT_FALSE(topic.name.empty());
    EXPECT_EQ(topic.members.front(), "photos");
    ASSERT_EQ(topic.terms.size(), 5U);
    EXPECT_EQ(test::planted_topic(topic.terms.front()), 0) << topic.name;
  }
  EXPECT_GT(seen, 10U);
}

TEST_F(Reasons, WordsOnlyHasNoOtherReasons) {
  for (const search::Hit& hit : explain("harbour", {.words_only = true}).hits) {
    EXPECT_EQ(hit.reasons.words.size(), 1U);
    EXPECT_TRUE(hit.reasons.associations.empty());
    EXPECT_TRUE(hit.reasons.neighbours.empty());
    EXPECT_TRUE(hit.reasons.topics.empty());
  }
  for (const search::Hit& hit : search::Answerer(library(), "photos", "model", {.jobs = 1})
                                    .ask(parse_query("harbour"), {})
                                    .hits)
    EXPECT_TRUE(hit.reasons.words.empty()) << "reasons were not asked for";
}

TEST_F(Reasons, StandWhenTheLendingCollectionIsGone) {
  const search::Answer before = explain("harbour");
  remove_collection(library(), collection_named("gallery"));
  const search::Answer after = explain("harbour");
  ASSERT_EQ(after.hits.size(), before.hits.size());
  std::size_t lent = 0;
  for (std::size_t i = 0; i < after.hits.size(); ++i) {
    EXPECT_EQ(after.hits[i].id, before.hits[i].id);
    EXPECT_EQ(after.hits[i].score, before.hits[i].score);
    for (const auto& reason : after.hits[i].reasons.neighbours)
      lent += reason.collection == "gallery" ? 1 : 0;
  }
  EXPECT_GT(lent, 0U);
}

class Topics : public Reasons {
 protected:
  std::vector<TopicSummary> summaries(std::size_t terms = 8, std::size_t examples = 3) {
    const ModelRecord record = model_record(library(), "model");
    const search::Model learned = search::load_model(TensorFile(record.file));
    const search::Index index =
        search::open_index(library(), collection_named("photos"), &record, &learned, {.jobs = 1});
    return topic_summaries(library(), learned, index, terms, examples, 1);
  }
};

TEST_F(Topics, SharedOnesComeFirstAndSharesAddUpToOne) {
  EXPECT_EQ(collections_of(model()), Ids({"photos", "gallery"}));
  const std::vector<TopicSummary> topics = summaries();
  ASSERT_EQ(topics.size(), 5U + 2U + 3U);
  double total = 0;
  std::set<std::string> names;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    EXPECT_EQ(topics[i].members.size(), i < 5 ? 2U : 1U);
    EXPECT_EQ(topics[i].name.starts_with("shared "), i < 5) << topics[i].name;
    EXPECT_TRUE(names.insert(topics[i].name).second) << topics[i].name;
    total += topics[i].share;
    EXPECT_EQ(topics[i].share == 0, topics[i].members == Ids{"gallery"}) << topics[i].name;
    EXPECT_TRUE(i == 0 || i == 5 || topics[i].share <= topics[i - 1].share);
  }
  EXPECT_NEAR(total, 1, 1e-6);
}

TEST_F(Topics, TermsAreThoseOfAPlantedTopicAndExamplesExist) {
  std::size_t alike = 0;
  std::size_t strong = 0;
  for (const TopicSummary& topic : summaries(4, 2)) {
    ASSERT_FALSE(topic.terms.empty());
    ASSERT_EQ(topic.terms.size(), topic.weights.size());
    EXPECT_LE(topic.terms.size(), 4U);
    EXPECT_TRUE(std::is_sorted(topic.weights.rbegin(), topic.weights.rend()));
    EXPECT_LE(topic.weights.front(), 1);
    EXPECT_GT(topic.weights.back(), 0);
    EXPECT_LE(topic.examples.size(), 2 * topic.members.size());
    for (const auto& example : topic.examples) {
      const Item shown = item(library(), collection_named(example.collection), example.id);
      EXPECT_NE(std::find(topic.members.begin(), topic.members.end(), example.collection),
                topic.members.end());
      strong += std::any_of(shown.tags.begin(), shown.tags.end(),
                            [&](const ItemTag& tag) { return tag.name == topic.terms.front(); })
                    ? 1
                    : 0;
    }
    alike += test::planted_topic(topic.terms[0]) == test::planted_topic(topic.terms[1]) ? 1 : 0;
  }
  EXPECT_GE(alike, 9U);
  EXPECT_GE(strong, 15U);
  for (const TopicSummary& topic : summaries(0, 0)) {
    EXPECT_TRUE(topic.terms.empty());
    EXPECT_TRUE(topic.examples.empty());
  }
}

TEST_F(Topics, StandWhenTheLendingCollectionIsGone) {
  const std::vector<TopicSummary> before = summaries();
  remove_collection(library(), collection_named("gallery"));
  const std::vector<TopicSummary> after = summaries();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i].terms, before[i].terms);
}

}  // namespace explain_test
}  // namespace commonplace

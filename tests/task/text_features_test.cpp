#include "commonplace/task/text_features.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "commonplace/base/unicode.h"
#include "commonplace/data/decisions.h"
#include "commonplace/data/stored_models.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace {

constexpr const char* kItems =
    R"({"id":"1","title":"Night owl","text":"The owl hunts at night","tags":["Owl","night"]})"
    "\n"
    R"({"id":"2","text":"A train at night","tags":["train","Night"]})"
    "\n"
    R"({"id":"3","tags":["owl"]})";

class TextFeatures : public test::LibraryTest {
 protected:
  TextFeatures() { test::import_jsonl(library(), "items", kItems); }
  Collection items() { return collection_named("items"); }
};

void expect_same_row(const SparseView& matrix, std::int64_t row, const Sparse& encoded) {
  const auto indices = matrix.row_indices(row);
  const auto values = matrix.row_values(row);
  EXPECT_TRUE(
      std::equal(indices.begin(), indices.end(), encoded.indices.begin(), encoded.indices.end()));
  EXPECT_TRUE(
      std::equal(values.begin(), values.end(), encoded.values.begin(), encoded.values.end()));
}

TEST_F(TextFeatures, TheStoredModelMakesTheStoredFeatures) {
  const MadeFeatures made = make_text_features(library(), items(), "text", {}, 1, no_progress);
  EXPECT_EQ(made.model, "items.text");
  const SparseFeatures features(feature_record(library(), items(), "text"));
  const TfidfModel model = load_tfidf(TensorFile(model_record(library(), made.model).file));
  ASSERT_EQ(features.matrix().rows, 3);
  expect_same_row(features.matrix(), 0, encode(model, "Night owl\nThe owl hunts at night"));
  expect_same_row(features.matrix(), 1, encode(model, "A train at night"));
  EXPECT_TRUE(features.matrix().row_indices(2).empty());
  EXPECT_EQ(features.names()[static_cast<std::size_t>(model.vocabulary.find("owl"))], "owl");
}

TEST_F(TextFeatures, TagsHeedDecisions) {
  decide(library(), items(),
         {{"1", "night", Verdict::rejected, ""}, {"3", "Train", Verdict::accepted, ""}});
  make_tag_features(library(), items(), "tags", {}, no_progress);
  const SparseFeatures features(feature_record(library(), items(), "tags"));
  const std::vector<std::string> names = features.names();
  auto tags = [&](std::int64_t row) {
    std::vector<std::string> result;
    for (const std::int32_t column : features.matrix().row_indices(row))
      result.push_back(fold(names[static_cast<std::size_t>(column)]));
    std::sort(result.begin(), result.end());
    return result;
  };
  EXPECT_EQ(tags(0), std::vector<std::string>({"owl"}));
  EXPECT_EQ(tags(1), std::vector<std::string>({"night", "train"}));
  EXPECT_EQ(tags(2), std::vector<std::string>({"owl", "train"}));
}

TEST_F(TextFeatures, TopicsAreStoredWithTheirModels) {
  PlsaOptions options;
  options.topics = 2;
  const MadeFeatures made =
      make_topics(library(), items(), "topics", true, {}, options, no_progress);
  const NpyMatrix topics = dense_features(made.record);
  ASSERT_EQ(topics.view().rows(), 3);
  for (Eigen::Index row = 0; row < 3; ++row) EXPECT_NEAR(topics.view().row(row).sum(), 1, 1e-5);
  const PlsaModel model = load_plsa(TensorFile(model_record(library(), "items.topics").file));
  const TfidfModel terms =
      load_tfidf(TensorFile(model_record(library(), "items.topics.terms").file));
  EXPECT_EQ(model.term_topics.rows(), terms.vocabulary.size());
  EXPECT_TRUE(terms.of_tags);
}

TEST_F(TextFeatures, ACollectionWithoutWordsIsAnErrorThatChangesNothing) {
  test::import_jsonl(library(), "silent", R"({"id":"1"})");
  EXPECT_NE(test::message_of([&] {
              make_text_features(library(), collection_named("silent"), "text", {}, 1, no_progress);
            }),
            "");
  EXPECT_TRUE(feature_records(library(), collection_named("silent")).empty());
  EXPECT_TRUE(model_records(library()).empty());
}

}  // namespace
}  // namespace commonplace

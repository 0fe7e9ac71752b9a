#include "commonplace/rows/text_features.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "commonplace/base/unicode.h"
#include "commonplace/io/files.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/library/tags/decisions.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace text_features_test {

namespace fs = std::filesystem;

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

  /// Made by so many ranks, each with a library of its own; what they return, by rank.
  template <class Make>
  std::vector<MadeFeatures> make_by(int ranks, const Make& make) {
    std::vector<MadeFeatures> made(static_cast<std::size_t>(ranks));
    run_as_threads(ranks, [&](Comm& comm) {
      Library own(folder_ / "library",
                  comm.rank() == 0 ? Library::Access::write : Library::Access::read);
      made[static_cast<std::size_t>(comm.rank())] = make(own, collection(own, "items"), comm);
    });
    for (const MadeFeatures& each : made) {
      EXPECT_EQ(each.record.file, made[0].record.file);
      EXPECT_EQ(each.record.rows, 3);
      EXPECT_EQ(each.record.sparse, made[0].record.sparse);
      EXPECT_EQ(each.model, made[0].model);
      EXPECT_EQ(each.report.objective, made[0].report.objective);
    }
    return made;
  }
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
  const MadeFeatures made = make_text_features(library(), items(), "text", {}, {.jobs = 1});
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
  make_tag_features(library(), items(), "tags", {}, {});
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
      make_topics(library(), items(), "topics", true, {}, options, {.jobs = 1});
  const NpyMatrix topics = dense_features(made.record);
  ASSERT_EQ(topics.view().rows(), 3);
  for (Eigen::Index row = 0; row < 3; ++row) EXPECT_NEAR(topics.view().row(row).sum(), 1, 1e-5);
  const PlsaModel model = load_plsa(TensorFile(model_record(library(), "items.topics").file));
  const TfidfModel terms =
      load_tfidf(TensorFile(model_record(library(), "items.topics.terms").file));
  EXPECT_EQ(model.term_topics.rows(), terms.vocabulary.size());
  EXPECT_TRUE(terms.of_tags);
}

TEST_F(TextFeatures, RanksStoreTheBitsOfOneProcess) {
  const auto stored = [&](const MadeFeatures& made) {
    return read_file(made.record.file, 1 << 20) +
           read_file(model_record(library(), made.model).file, 1 << 20);
  };
  const std::string text = stored(make_text_features(library(), items(), "text", {}, {.jobs = 1}));
  const std::string tags = stored(make_tag_features(library(), items(), "tags", {}, {}));
  const fs::path vectors = folder_.write("vectors.csv", "1,2\n3,4\n5,6\n");
  const MadeFeatures taken = take_features(library(), items(), "own", vectors, "", {});
  const std::string own = read_file(taken.record.file, 1 << 20);
  for (const int ranks : {1, 2, 3, 4}) {
    const auto by_text = make_by(ranks, [](Library& library, const Collection& items, Comm& comm) {
      return make_text_features(library, items, "text", {}, {comm, 1});
    });
    EXPECT_EQ(stored(by_text[0]), text);
    const auto by_tags = make_by(ranks, [](Library& library, const Collection& items, Comm& comm) {
      return make_tag_features(library, items, "tags", {}, {comm});
    });
    EXPECT_EQ(stored(by_tags[0]), tags);
    const auto by_own = make_by(ranks, [&](Library& library, const Collection& items, Comm& comm) {
      return take_features(library, items, "own", vectors, "", {comm});
    });
    EXPECT_EQ(read_file(by_own[0].record.file, 1 << 20), own);
  }
}

TEST_F(TextFeatures, RanksFindTheTopicsOfOneProcess) {
  PlsaOptions options;
  options.topics = 2;
  for (const bool of_tags : {false, true}) {
    const MadeFeatures alone =
        make_topics(library(), items(), "topics", of_tags, {}, options, {.jobs = 1});
    const Matrix topics = dense_features(alone.record).view();
    const MatrixD terms =
        load_plsa(TensorFile(model_record(library(), alone.model).file)).term_topics;
    for (const int ranks : {1, 2, 3, 4}) {  // the fourth has no item
      const auto made = make_by(ranks, [&](Library& library, const Collection& items, Comm& comm) {
        return make_topics(library, items, "topics", of_tags, {}, options, {comm, 1});
      });
      const Matrix now = dense_features(made[0].record).view();
      ASSERT_EQ(now.rows(), topics.rows());
      EXPECT_LT((now - topics).cwiseAbs().maxCoeff(), 1e-6);
      const PlsaModel model = load_plsa(TensorFile(model_record(library(), alone.model).file));
      EXPECT_LT((model.term_topics - terms).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_EQ(made[0].report.iterations, alone.report.iterations);
      ASSERT_EQ(made[0].report.objective.size(), alone.report.objective.size());
      EXPECT_NEAR(made[0].report.objective.back(), alone.report.objective.back(), 1e-9);
    }
  }
}

TEST_F(TextFeatures, ACollectionWithoutWordsIsAnErrorThatChangesNothing) {
  test::import_jsonl(library(), "silent", R"({"id":"1"})");
  EXPECT_NE(test::message_of([&] {
              make_text_features(library(), collection_named("silent"), "text", {}, {.jobs = 1});
            }),
            "");
  EXPECT_TRUE(feature_records(library(), collection_named("silent")).empty());
  EXPECT_TRUE(model_records(library()).empty());
}

}  // namespace text_features_test
}  // namespace commonplace

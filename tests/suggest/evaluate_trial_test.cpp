#include "commonplace/suggest/evaluate_trial.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/tagged_notes.h"
#include "tests/support/temporary_directory.h"

namespace commonplace {
namespace evaluate_trial_test {

using namespace suggest;

using test::to_dense;

class ReadTrial : public testing::Test {
 protected:
  suggest::Trial read(const std::string& train, const std::string& test) {
    return read_trial(folder_.write("train.txt", train), folder_.write("test.txt", test));
  }
  std::string refusal(const std::string& train, const std::string& test) {
    return test::message_of([&] { read(train, test); });
  }

  test::TemporaryDirectory folder_;
  const std::string train_ = "3 4 5\n0,2 0:1 3:2\n2 1:0.5\n3 0:1\n";
  const std::string test_ = "2 4 5\n3,0 2:1\n2 0:4\n";
};

TEST_F(ReadTrial, IsWhatTheFilesSay) {
  const suggest::Trial trial = read(train_, test_);
  ASSERT_TRUE(trial.train.is_sparse && trial.test.is_sparse);
  EXPECT_EQ(to_dense(trial.train.sparse.view()),
            (MatrixD(3, 4) << 1, 0, 0, 2, 0, 0.5, 0, 0, 1, 0, 0, 0).finished());
  EXPECT_EQ(to_dense(trial.test.sparse.view()),
            (MatrixD(2, 4) << 0, 0, 1, 0, 4, 0, 0, 0).finished());
  // Tags 0, 2 and 3 are those that the items to learn from have.
  EXPECT_EQ(to_dense(trial.train_tags.view()),
            (MatrixD(3, 3) << 1, 1, 0, 0, 1, 0, 0, 0, 1).finished());
  EXPECT_EQ(to_dense(trial.test_tags.view()), (MatrixD(2, 3) << 1, 0, 1, 0, 1, 0).finished());
  EXPECT_TRUE(trial.blocks.empty());
}

TEST_F(ReadTrial, TagsThatAreOnlyInTheTestAreLeftOutButTheirItemsCount) {
  const suggest::Trial trial = read(train_, "3 4 5\n4 2:1\n1,2 0:4\n4,1 1:1\n");
  EXPECT_EQ(trial.test_tags.columns, 3);
  EXPECT_EQ(to_dense(trial.test_tags.view()),
            (MatrixD(3, 3) << 0, 0, 0, 0, 1, 0, 0, 0, 0).finished());
  EXPECT_EQ(trial.test.sparse.rows(), 3);
}

TEST_F(ReadTrial, ItemsWithoutTagsAreNotLearnedFrom) {
  const suggest::Trial trial = read("3 4 5\n0 0:1\n 1:1\n2 2:1\n", test_);
  EXPECT_EQ(trial.train_tags.rows(), 2);
  EXPECT_EQ(to_dense(trial.train.sparse.view()),
            (MatrixD(2, 4) << 1, 0, 0, 0, 0, 0, 1, 0).finished());
  EXPECT_EQ(trial.untagged, 0);
}

TEST_F(ReadTrial, ItemsWithoutTagsAreNotAskedForButCounted) {
  const suggest::Trial trial = read(train_, "4 4 5\n 1:1\n2 0:4\n 2:1\n4 3:1\n");
  EXPECT_EQ(trial.untagged, 2);
  EXPECT_EQ(to_dense(trial.test.sparse.view()),
            (MatrixD(2, 4) << 4, 0, 0, 0, 0, 0, 0, 1).finished());
  EXPECT_EQ(to_dense(trial.test_tags.view()), (MatrixD(2, 3) << 0, 1, 0, 0, 0, 0).finished());
  EXPECT_NE(refusal(train_, "1 4 5\n 1:1\n").find("has no tags"), std::string::npos);
}

TEST_F(ReadTrial, FilesMayHaveDifferentNumbersOfFeatures) {
  const suggest::Trial trial = read("1 2 5\n0 1:1\n", "1 7 5\n0 6:1\n");
  EXPECT_EQ(trial.train.sparse.columns, 7);
  EXPECT_EQ(trial.test.sparse.columns, 7);
}

TEST_F(ReadTrial, ReadsSvmlightToo) {
  const suggest::Trial trial = read_trial(folder_.write("a.svm", "1,2 1:0.5 3:1\n2 2:1\n"),
                                          folder_.write("b.svm", "2,9 3:1\n1 1:1\n"));
  EXPECT_EQ(to_dense(trial.train_tags.view()), (MatrixD(2, 2) << 1, 1, 0, 1).finished());
  EXPECT_EQ(to_dense(trial.test_tags.view()), (MatrixD(2, 2) << 0, 1, 1, 0).finished());
  EXPECT_EQ(to_dense(trial.train.sparse.view()), (MatrixD(2, 3) << 0.5, 0, 1, 0, 1, 0).finished());
}

TEST_F(ReadTrial, BadFilesAreNamedWithTheLine) {
  const std::string bad_label = refusal("2 4 5\n0 0:1\n7 0:1\n", test_);
  EXPECT_NE(bad_label.find("train.txt:3: label '7' is not a number from 0 to 4"), std::string::npos)
      << bad_label;
  const std::string bad_feature = refusal(train_, "2 4 5\n0 0:1\n2 0:x\n");
  EXPECT_NE(bad_feature.find("test.txt:3: "), std::string::npos) << bad_feature;
  const std::string cut = refusal("5 4 5\n0 0:1\n2 0:1\n", test_);
  EXPECT_NE(cut.find("the header promises 5 items, but the file has 2"), std::string::npos) << cut;
  EXPECT_NE(refusal("1 4 5\n 0:1\n", test_).find("has no tags"), std::string::npos);
  EXPECT_NE(refusal("0 4 5\n", test_).find("has no items"), std::string::npos);
  EXPECT_THROW(read_trial(folder_ / "missing.txt", folder_.write("test.txt", test_)), Error);
  const auto other = folder_.write("items.jsonl", "{\"id\": \"a\", \"tags\": [\"x\"]}\n");
  EXPECT_NE(test::message_of([&] {
              read_trial(other, folder_.write("test.txt", test_));
            }).find("is jsonl; expected sparse features with tags (xc or svmlight)"),
            std::string::npos);
}

using SplitCollection = test::TaggedNotes;

TEST_F(SplitCollection, IsAtRandomOrInTime) {
  suggest::SplitOptions how;
  how.test_share = 0.25;
  const suggest::Trial random =
      split_collection(library(), "notes", usual_options(), how, {.jobs = 1});
  EXPECT_EQ(random.train_tags.rows() + random.test_tags.rows(), 512);
  EXPECT_NEAR(static_cast<double>(random.test_tags.rows()), 128, 40);
  how.split = "time";
  EXPECT_NE(test::message_of([&] {
              split_collection(library(), "notes", usual_options(), how, {.jobs = 1});
            }).find("--split random"),
            std::string::npos);
  std::string lines;
  for (int i = 0; i < 10; ++i)
    lines += "{\"id\":\"t" + std::to_string(i) + "\",\"text\":\"word" +
             (i < 5 ? std::string("old") : std::string("new")) + "\",\"time\":\"20" +
             std::to_string(10 + i) + "\",\"tags\":[\"" + (i < 5 ? "old" : "new") +
             "\",\"all\"]}\n";
  test::import_jsonl(library(), "timed", lines);
  const suggest::Trial newest =
      split_collection(library(), "timed", usual_options(), how, {.jobs = 1});
  EXPECT_EQ(newest.train_tags.rows(), 8);
  EXPECT_EQ(newest.test_tags.rows(), 2) << "a quarter, as was asked for";
  EXPECT_EQ(newest.times.size(), 8U);
  EXPECT_EQ(newest.times.back().substr(0, 4), "2017");
  how.test_share = 0;
  const suggest::Trial timed =
      split_collection(library(), "timed", usual_options(), how, {.jobs = 1});
  EXPECT_EQ(timed.train_tags.rows(), 5);
  EXPECT_EQ(timed.test_tags.rows(), 5);
  EXPECT_EQ(timed.train_tags.columns, 2) << "what only the later half has cannot be learned";
  EXPECT_EQ(timed.test.sparse.nonzeros(), 0) << "nor can its words";
  EXPECT_TRUE(random.times.empty());
}

TEST_F(SplitCollection, ItemsOfRareTagsAloneAreSetApart) {
  std::string lines = test::note_lines();
  for (int i = 0; i < 50; ++i)
    lines += "{\"id\":\"r" + std::to_string(i) + "\",\"text\":\"wordaa\",\"tags\":[\"rare" +
             std::to_string(i) + "\"]}\n";
  test::import_jsonl(library(), "some", lines);
  const suggest::Trial trial =
      split_collection(library(), "some", usual_options(), {}, {.jobs = 1});
  EXPECT_EQ(trial.min_uses, 2);
  EXPECT_NEAR(static_cast<double>(trial.strange.sparse.rows()), 35, 12);
  for (std::int64_t row = 0; row < trial.train_tags.rows(); ++row)
    EXPECT_FALSE(trial.train_tags.view().row_indices(row).empty());
}

}  // namespace evaluate_trial_test
}  // namespace commonplace

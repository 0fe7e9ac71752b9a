#include "commonplace/rows/encoder_features.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/io/files.h"
#include "commonplace/library/stored/stored_models.h"
#include "tests/support/encoder_folders.h"
#include "tests/support/rank_libraries.h"
#include "tests/support/sample_library.h"
#include "tests/support/sample_pictures.h"

namespace commonplace {
namespace encoder_features_test {

namespace fs = std::filesystem;

class EncoderFeaturesTest : public test::LibraryTest {
 protected:
  void SetUp() override {
    options_.runtime = test::runtime_for_tests();
    if (options_.runtime.empty()) GTEST_SKIP() << "there is no ONNX Runtime";
    options_.encoder = test::write_sentence_folder(folder_, "small").string();
  }
  void add(const std::vector<std::string>& texts) {
    std::string lines;
    for (std::size_t i = 0; i < texts.size(); ++i)
      lines += concat("{\"id\":\"", i, "\",\"title\":\"", texts[i], "\"}\n");
    test::import_jsonl(library(), "notes", lines);
  }
  void add_pictures(int count) {
    std::string lines;
    for (int i = 0; i < count; ++i)
      lines += concat("{\"id\":\"", i, "\",\"title\":\"dog\",\"image\":\"",
                      (folder_ / concat("pictures/", i, ".png")).string(), "\"}\n");
    test::import_jsonl(library(), "notes", lines);
  }
  MadeEncoderFeatures make(const Progress& progress = no_progress) {
    return make_encoder_features(library(), collection_named("notes"), "small", options_,
                                 {.jobs = 1, .progress = progress});
  }
  Matrix rows() {
    return dense_features(feature_record(library(), collection_named("notes"), "small")).view();
  }
  EncoderFeatureOptions options_;
};

std::vector<std::string> many_texts(int count) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) {
    std::string text = i % 2 == 0 ? "dog" : "car";
    for (int bit = 0; bit < 12; ++bit) text += (i >> bit) % 2 == 0 ? " cat" : " car";
    texts.push_back(text);
  }
  return texts;
}

TEST_F(EncoderFeaturesTest, OnlyWhatIsNewOrChangedIsEncodedAgain) {
  add({"dog", "", "car"});
  MadeEncoderFeatures made = make();
  EXPECT_EQ(made.encoded, 2);
  EXPECT_EQ(made.empty, 1);
  EXPECT_TRUE(made.skipped.empty());
  EXPECT_LT((rows().row(0) - Eigen::RowVector3f(4, 1, 0).normalized()).norm(), 1e-3);
  EXPECT_EQ(rows().row(1).norm(), 0);
  const fs::path file = made.record.file;
  made = make();
  EXPECT_EQ(made.encoded, 0);
  EXPECT_EQ(made.kept, 2);
  EXPECT_EQ(made.record.file, file);
  add({"dog", "cat", "cat", "dog dog"});
  made = make();
  EXPECT_EQ(made.encoded, 3);
  EXPECT_EQ(made.kept, 1);
  EXPECT_EQ(made.record.rows, 4);
  EXPECT_LT((rows().row(2) - Eigen::RowVector3f(1, 6, 0).normalized()).norm(), 1e-3);
  options_.anew = true;
  EXPECT_EQ(make().encoded, 4);
}

TEST_F(EncoderFeaturesTest, NumbersOnDiskAreHalvesOrFloats) {
  add(many_texts(50));
  make();
  const FeatureRecord half = feature_record(library(), collection_named("notes"), "small");
  EXPECT_EQ(dense_features(half).numbers(), NpyNumbers::float16);
  const Matrix halves = rows();
  options_.numbers = NpyNumbers::float32;
  options_.anew = true;
  make();
  EXPECT_LT((rows() - halves).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((rows().rowwise().norm().array() - 1).abs().maxCoeff(), 1e-6);
}

TEST_F(EncoderFeaturesTest, StoppedWorkGoesOnWhereItStopped) {
  add(many_texts(3000));
  int steps = 0;
  const auto stop = [&](const ProgressStep& step) {
    if (step.stage == "encoding texts" && step.done >= 2048) throw Cancelled();
    ++steps;
  };
  EXPECT_THROW(make(stop), Cancelled);
  EXPECT_GT(steps, 0);
  std::size_t parts = 0;
  for (const auto& entry : fs::recursive_directory_iterator(library().path() / "unfinished"))
    parts += entry.path().filename().string().starts_with("encoded-") ? 1 : 0;
  EXPECT_EQ(parts, 2U);
  const MadeEncoderFeatures made = make();
  EXPECT_EQ(made.encoded, 3000);
  EXPECT_FALSE(fs::exists(library().path() / "unfinished"));
  const Matrix resumed = rows();
  options_.anew = true;
  make();
  EXPECT_EQ((rows() - resumed).norm(), 0);
}

TEST_F(EncoderFeaturesTest, RanksShareTheWork) {
  add(many_texts(3000));
  make();
  const Matrix alone = rows();
  options_.anew = true;
  for (const int ranks : {2, 3}) {
    test::with_rank_libraries(ranks, library().path(), [&](Comm& comm, Library& own) {
      const MadeEncoderFeatures made =
          make_encoder_features(own, collection(own, "notes"), "small", options_, {comm, 1});
      EXPECT_EQ(made.encoded, 3000);
    });
    EXPECT_LT((rows() - alone).norm(), 1e-3) << ranks;
  }
}

TEST_F(EncoderFeaturesTest, PicturesThatCannotBeReadKeepTheirRows) {
  options_.encoder = test::write_picture_folder(folder_, "look").string();
  for (int i = 0; i < 5; ++i)
    folder_.write(concat("pictures/", i, ".png"), test::as_png(test::pattern(40, 30, i)));
  add_pictures(6);
  MadeEncoderFeatures made = make();
  EXPECT_EQ(made.of, Medium::picture);
  EXPECT_EQ(made.encoded, 5);
  ASSERT_EQ(made.skipped.size(), 1U);
  EXPECT_EQ(made.skipped[0].id, "5");
  const Matrix before = rows();
  fs::remove(folder_ / "pictures/4.png");
  folder_.write("pictures/3.png", test::as_png(test::pattern(40, 30, 99)));
  folder_.write("pictures/5.png", "no picture");
  made = make();
  EXPECT_EQ(made.encoded, 1);
  EXPECT_EQ(made.kept, 4);
  EXPECT_EQ(made.skipped.size(), 2U);
  EXPECT_EQ((rows().row(4) - before.row(4)).norm(), 0);
  EXPECT_NE((rows().row(3) - before.row(3)).norm(), 0);
  EXPECT_EQ(rows().row(5).norm(), 0);
}

/// What a disk that is away cannot give is not made anew of nothing.
TEST_F(EncoderFeaturesTest, NothingIsMadeAnewWhilePicturesAreAway) {
  options_.encoder = test::write_picture_folder(folder_, "look").string();
  for (int i = 0; i < 5; ++i)
    folder_.write(concat("pictures/", i, ".png"), test::as_png(test::pattern(40, 30, i)));
  add_pictures(5);
  make();
  const Matrix before = rows();
  fs::rename(folder_ / "pictures/4.png", folder_ / "4.png");
  options_.anew = true;
  EXPECT_THROW(make(), Error);
  options_.anew = false;
  EXPECT_EQ(make().kept, 5);
  fs::rename(folder_ / "pictures", folder_ / "away");
  for (const bool anew : {false, true}) {
    options_.anew = anew;
    EXPECT_THROW(make(), Error);
  }
  EXPECT_EQ((rows() - before).norm(), 0);
}

TEST_F(EncoderFeaturesTest, UnseenItemsAreEncodedByTheSameEncoder) {
  add({"dog", "car"});
  make();
  EXPECT_TRUE(has_stored_encoder(library(), collection_named("notes"), "small"));
  EXPECT_FALSE(has_stored_encoder(library(), collection_named("notes"), "other"));
  const EncoderOptions how{options_.runtime, {}, 1};
  StoredEncoder stored = stored_encoder(library(), collection_named("notes"), "small", how);
  EXPECT_EQ(stored.of, Medium::text);
  EXPECT_LT((encode_unseen_text(stored.encoder, "Car") - rows().row(1)).norm(), 1e-3);
  EXPECT_THROW(encode_unseen_picture(stored.encoder, test::as_png(test::pattern(9, 9, 1)), "x"),
               Error);
  folder_.write("small/sentence_bert_config.json", R"({"max_seq_length":7})");
  EXPECT_THROW(stored_encoder(library(), collection_named("notes"), "small", how), Error);
}

TEST_F(EncoderFeaturesTest, WrongRequestsAreErrors) {
  add({"dog"});
  options_.of = "pictures";
  EXPECT_THROW(make(), Error);
  options_.of = "sounds";
  EXPECT_THROW(make(), Error);
  options_.of = "";
  options_.encoder = "nowhere";
  EXPECT_THROW(make(), Error);
}

}  // namespace encoder_features_test
}  // namespace commonplace

#include "commonplace/task/image_features.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/data/stored_models.h"
#include "commonplace/io/files.h"
#include "commonplace/task/partial_rows.h"
#include "tests/support/sample_library.h"
#include "tests/support/sample_pictures.h"
#include "tests/support/tiny_images.h"

namespace commonplace {
namespace {

namespace fs = std::filesystem;

std::string picture_file(int number) { return test::as_png(test::pattern(80, 76, number)); }

class ImageFeatureTask : public test::LibraryTest {
 protected:
  /// Writes pictures 0 .. count-1 and imports items for them.
  void add_pictures(int count) {
    for (int i = 0; i < count; ++i) write_picture(i, picture_file(i));
    import(count);
  }
  void write_picture(int number, const std::string& bytes) {
    folder_.write(concat("pictures/", number, ".png"), bytes);
  }
  void import(int count, const std::string& more = "") {
    std::string lines;
    for (int i = 0; i < count; ++i)
      lines += concat(R"({"id":"p)", i, R"(","image":")",
                      (folder_ / "pictures" / concat(i, ".png")).string(), "\"}\n");
    test::import_jsonl(library(), "photos", lines + more);
  }
  MadeImageFeatures make(const Progress& progress = no_progress) {
    return make_image_features(library(), photos(), "look", options_, relearn_, jobs_, progress);
  }
  Collection photos() { return collection_named("photos"); }
  Matrix rows() { return dense_features(feature_record(library(), photos(), "look")).view(); }
  fs::path unfinished() { return folder_ / "library" / "unfinished"; }

  ImageFeatureOptions options_ = [] {
    ImageFeatureOptions options;
    options.image = "surf";
    options.dim = 6;
    options.words = 4;
    options.vocabularies = 2;
    return options;
  }();
  bool relearn_ = false;
  int jobs_ = 2;
};

TEST_F(ImageFeatureTask, TheStoredModelMakesTheStoredRows) {
  add_pictures(12);
  for (const char* kind : {"sift", "rgb-sift", "surf", "gist"}) {
    options_.image = kind;
    const MadeImageFeatures made = make();
    EXPECT_TRUE(made.learned);
    EXPECT_EQ(made.encoded, 12);
    EXPECT_EQ(made.model, "photos.look");
    EXPECT_TRUE(made.skipped.empty());
    EXPECT_EQ(made.record.columns, 6);
    const ImageFeatureModel model = stored_image_model(library(), photos(), "look");
    for (int i = 0; i < 12; ++i)
      EXPECT_EQ(rows().row(i), encode_picture(model, picture_file(i), "p")) << kind;
    EXPECT_FALSE(fs::exists(unfinished()));
  }
}

TEST_F(ImageFeatureTask, ThreadsDoNotChangeTheResult) {
  add_pictures(10);
  jobs_ = 1;
  make();
  const Matrix one = rows();
  relearn_ = true;
  jobs_ = 4;
  make();
  EXPECT_EQ(one, rows());
}

TEST_F(ImageFeatureTask, PicturesThatCannotBeReadAreSkippedWithTheReason) {
  add_pictures(8);
  write_picture(2, picture_file(2).substr(0, 200));
  write_picture(3, "<svg/>");
  fs::remove(folder_ / "pictures" / "4.png");
  const std::string more = R"({"id":"none"})"
                           "\n"
                           R"({"id":"web","image":"https://example.org/a.jpg"})"
                           "\n";
  import(8, more);
  const MadeImageFeatures made = make();
  std::vector<std::string> ids;
  for (const SkippedImage& each : made.skipped) ids.push_back(each.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"p2", "p3", "p4", "none", "web"}));
  EXPECT_NE(made.skipped[0].reason.find("cut off"), std::string::npos);
  EXPECT_NE(made.skipped[1].reason.find("SVG"), std::string::npos);
  EXPECT_NE(made.skipped[2].reason.find("no file"), std::string::npos);
  EXPECT_NE(made.skipped[3].reason.find("no image"), std::string::npos);
  EXPECT_NE(made.skipped[4].reason.find("https://"), std::string::npos);
  EXPECT_EQ(made.encoded, 5);
  for (const int row : {2, 3, 4, 8, 9}) EXPECT_EQ(rows().row(row).norm(), 0);
  for (const int row : {0, 1, 5, 6, 7}) EXPECT_NEAR(rows().row(row).norm(), 1, 1e-5);
  const MadeImageFeatures again = make();
  EXPECT_EQ(again.skipped.size(), 5U);
  EXPECT_EQ(again.kept, 5);
  EXPECT_EQ(again.encoded, 0);
}

TEST_F(ImageFeatureTask, WithoutAnyPictureItFails) {
  import(3);
  EXPECT_NE(test::message_of([&] { make(); }).find("none of the 3 items"), std::string::npos);
  EXPECT_TRUE(feature_records(library(), photos()).empty());
  test::import_jsonl(library(), "empty", "");
  EXPECT_THROW(make_image_features(library(), collection_named("empty"), "look", options_, false, 1,
                                   no_progress),
               Error);
  EXPECT_THROW(make_image_features(library(), photos(), "a/b", options_, false, 1, no_progress),
               Error);
}

TEST_F(ImageFeatureTask, NewPicturesAreEncodedByTheStoredModel) {
  add_pictures(10);
  make();
  const Matrix before = rows();
  const ImageFeatureModel model = stored_image_model(library(), photos(), "look");
  add_pictures(13);
  const MadeImageFeatures made = make();
  EXPECT_FALSE(made.learned);
  EXPECT_EQ(made.kept, 10);
  EXPECT_EQ(made.encoded, 3);
  EXPECT_EQ(rows().topRows(10), before);
  for (int i = 10; i < 13; ++i)
    EXPECT_EQ(rows().row(i), encode_picture(model, picture_file(i), "p"));

  const MadeImageFeatures same = make();
  EXPECT_EQ(same.kept, 13);
  EXPECT_EQ(same.record.file, made.record.file);

  write_picture(4, picture_file(99));
  const MadeImageFeatures changed = make();
  EXPECT_EQ(changed.kept, 12);
  EXPECT_EQ(changed.encoded, 1);
  EXPECT_EQ(rows().row(4), encode_picture(model, picture_file(99), "p"));
  EXPECT_EQ(fingerprint(model), fingerprint(stored_image_model(library(), photos(), "look")));
}

TEST_F(ImageFeatureTask, OtherOptionsAndRelearnLearnAnew) {
  add_pictures(10);
  make();
  const Matrix before = rows();
  options_.dim = 4;
  MadeImageFeatures made = make();
  EXPECT_TRUE(made.learned);
  EXPECT_EQ(made.record.columns, 4);
  options_.dim = 6;
  options_.seed = 9;
  EXPECT_TRUE(make().learned);
  EXPECT_NE(rows(), before);
  options_.seed = 1;
  EXPECT_TRUE(make().learned);
  EXPECT_EQ(rows(), before);
  EXPECT_FALSE(make().learned);
  relearn_ = true;
  made = make();
  EXPECT_TRUE(made.learned);
  EXPECT_EQ(made.encoded, 10);
  EXPECT_EQ(rows(), before);
}

TEST_F(ImageFeatureTask, RowsThatAnotherModelMadeAreNotKept) {
  add_pictures(8);
  make();
  const Matrix before = rows();
  // As after a run that stored its model and then was killed; or vectors of the user's own.
  store_features(library(), photos(), "look", Matrix::Ones(8, 6), "somebody else's");
  const MadeImageFeatures made = make();
  EXPECT_FALSE(made.learned);
  EXPECT_EQ(made.kept, 0);
  EXPECT_EQ(rows(), before);
}

/// Stops at a step of a stage.
Progress stopping(const std::string& stage, std::uint64_t at) {
  return [=](const ProgressStep& step) {
    if (step.stage == stage && step.done >= at) throw Cancelled();
  };
}

TEST_F(ImageFeatureTask, AnInterruptedRunGoesOnToTheSameBits) {
  add_pictures(150);
  make();
  const Matrix fresh = rows();
  relearn_ = true;
  EXPECT_THROW(make(stopping("sampling pictures", 70)), Cancelled);
  EXPECT_THROW(make(stopping("describing pictures", 5)), Cancelled);
  EXPECT_THROW(make(stopping("describing pictures", 140)), Cancelled);
  EXPECT_TRUE(fs::exists(unfinished()));
  std::int64_t sampled = 0;
  make([&](const ProgressStep& step) { sampled += step.stage == "sampling pictures"; });
  EXPECT_EQ(sampled, 0);  // the vocabularies were there
  EXPECT_EQ(rows(), fresh);
  EXPECT_FALSE(fs::exists(unfinished()));
}

TEST_F(ImageFeatureTask, WhatChangedWhileItWasInterruptedIsNotMixedIn) {
  add_pictures(140);
  EXPECT_THROW(make(stopping("describing pictures", 135)), Cancelled);
  write_picture(3, picture_file(500));
  make();
  const Matrix resumed = rows();
  relearn_ = true;
  make();
  EXPECT_EQ(resumed, rows());

  EXPECT_THROW(make(stopping("describing pictures", 135)), Cancelled);
  options_.grid = 9;
  make();
  const Matrix other = rows();
  make();
  EXPECT_EQ(other, rows());
}

TEST_F(ImageFeatureTask, DamagedLeftoversAreMadeAgain) {
  add_pictures(140);
  make();
  const Matrix fresh = rows();
  relearn_ = true;
  EXPECT_THROW(make(stopping("describing pictures", 135)), Cancelled);
  int damaged = 0;
  for (const auto& entry : fs::recursive_directory_iterator(unfinished())) {
    if (!entry.is_regular_file()) continue;
    std::string bytes = read_file(entry.path(), 1 << 28);
    bytes[bytes.size() - 5] = static_cast<char>(bytes[bytes.size() - 5] ^ 4);
    AtomicFile file(entry.path());
    file.write(bytes);
    file.commit();
    ++damaged;
  }
  EXPECT_EQ(damaged, 2);
  make();
  EXPECT_EQ(rows(), fresh);
}

TEST(PartialRows, AreFoundByWhatTheyWereMadeOf) {
  const test::TemporaryDirectory folder;
  Matrix rows(2, 3);
  rows << 1, 2, 3, 0, 0, 0;
  {
    PartialRows kept(folder / "a", "raw", "how", 3);
    kept.add({7, 8}, rows, {"", "broken"});
    kept.add({9}, rows.topRows(1), {""});
    EXPECT_TRUE(kept.has(9));
    EXPECT_FALSE(kept.has(10));
  }
  const PartialRows again(folder / "a", "raw", "how", 3);
  ASSERT_TRUE(again.has(7) && again.has(8) && again.has(9));
  EXPECT_EQ(again.row(7)[2], 3);
  EXPECT_EQ(again.problem(8), "broken");
  EXPECT_EQ(again.problem(9), "");
  EXPECT_FALSE(PartialRows(folder / "a", "other", "how", 3).has(7));
  EXPECT_TRUE(PartialRows(folder / "a", "raw", "how", 3).has(7));
  EXPECT_FALSE(PartialRows(folder / "a", "raw", "else", 3).has(7));
  EXPECT_TRUE(fs::is_empty(folder / "a"));
}

}  // namespace
}  // namespace commonplace

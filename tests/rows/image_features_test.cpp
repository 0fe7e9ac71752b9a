#include "commonplace/rows/image_features.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/io/files.h"
#include "commonplace/library/stored/stored_models.h"
#include "commonplace/rows/partial_rows.h"
#include "commonplace/rows/unseen.h"
#include "tests/support/sample_library.h"
#include "tests/support/sample_pictures.h"
#include "tests/support/tiny_images.h"

namespace commonplace {
namespace image_features_test {

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
    return make_image_features(library(), photos(), "look", options_, relearn_,
                               {.jobs = jobs_, .progress = progress});
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

  /// Made by so many ranks, each with a library of its own; what they return, by rank.
  std::vector<MadeImageFeatures> make_by(int ranks,
                                         const std::function<Progress(int)>& progress_of) {
    std::vector<MadeImageFeatures> made(static_cast<std::size_t>(ranks));
    run_as_threads(ranks, [&](Comm& comm) {
      Library own(folder_ / "library",
                  comm.rank() == 0 ? Library::Access::write : Library::Access::read);
      made[static_cast<std::size_t>(comm.rank())] =
          make_image_features(own, collection(own, "photos"), "look", options_, relearn_,
                              {comm, 1, progress_of(comm.rank())});
    });
    return made;
  }
  std::vector<MadeImageFeatures> make_by(int ranks) {
    return make_by(ranks, [](int) { return no_progress; });
  }
};

void expect_same(const MadeImageFeatures& made, const MadeImageFeatures& other) {
  EXPECT_EQ(made.record.file, other.record.file);
  EXPECT_EQ(made.record.rows, other.record.rows);
  EXPECT_EQ(made.record.columns, other.record.columns);
  EXPECT_EQ(made.record.source, other.record.source);
  EXPECT_EQ(made.model, other.model);
  EXPECT_EQ(made.learned, other.learned);
  EXPECT_EQ(made.encoded, other.encoded);
  EXPECT_EQ(made.kept, other.kept);
  EXPECT_EQ(made.seconds, other.seconds);
  ASSERT_EQ(made.skipped.size(), other.skipped.size());
  for (std::size_t i = 0; i < made.skipped.size(); ++i) {
    EXPECT_EQ(made.skipped[i].id, other.skipped[i].id);
    EXPECT_EQ(made.skipped[i].reason, other.skipped[i].reason);
  }
}

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
  for (const SkippedItem& each : made.skipped) ids.push_back(each.id);
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

TEST_F(ImageFeatureTask, RowsOfPicturesThatAreAwayAreKept) {
  add_pictures(10);
  make();
  const Matrix before = rows();
  fs::rename(folder_ / "pictures" / "4.png", folder_ / "4.png");
  write_picture(5, picture_file(20));
  MadeImageFeatures made = make();
  EXPECT_EQ(made.encoded, 1);
  EXPECT_EQ(made.kept, 9);
  ASSERT_EQ(made.skipped.size(), 1U);
  EXPECT_EQ(made.skipped[0].id, "p4");
  EXPECT_NE(made.skipped[0].reason.find("is kept"), std::string::npos) << made.skipped[0].reason;
  EXPECT_EQ(rows().row(4), before.row(4));
  EXPECT_NE(rows().row(5), before.row(5));
  fs::rename(folder_ / "4.png", folder_ / "pictures" / "4.png");
  made = make();
  EXPECT_TRUE(made.skipped.empty());
  EXPECT_EQ(made.encoded, 0);
  for (const MadeImageFeatures& each : make_by(3)) EXPECT_EQ(each.kept, 10);
}

TEST_F(ImageFeatureTask, ADiskThatIsAwayChangesNothing) {
  add_pictures(12);
  make();
  const Matrix before = rows();
  fs::rename(folder_ / "pictures", folder_ / "unplugged");
  for (const bool relearn : {false, true}) {
    relearn_ = relearn;
    const std::string message = test::message_of([&] { make(); });
    EXPECT_NE(message.find("12 of the 12 pictures"), std::string::npos) << message;
    EXPECT_NE(message.find("connect it"), std::string::npos) << message;
    EXPECT_EQ(rows(), before);
  }
}

TEST_F(ImageFeatureTask, NothingIsLearnedAnewWhileAPictureThatHasARowIsAway) {
  add_pictures(10);
  make();
  const Matrix before = rows();
  fs::rename(folder_ / "pictures" / "4.png", folder_ / "4.png");
  relearn_ = true;
  for (const int dim : {6, 4}) {
    options_.dim = dim;
    const std::string message = test::message_of([&] { make(); });
    EXPECT_NE(message.find("1 pictures of 'photos'"), std::string::npos) << message;
    EXPECT_NE(message.find("4.png"), std::string::npos) << message;
    EXPECT_EQ(rows(), before);
  }
  remove_features(library(), photos(), "look");
  EXPECT_EQ(make().encoded, 9);
}

TEST_F(ImageFeatureTask, WithoutAnyPictureItFails) {
  import(3);
  EXPECT_NE(test::message_of([&] { make(); }).find("none of the 3 items"), std::string::npos);
  EXPECT_TRUE(feature_records(library(), photos()).empty());
  test::import_jsonl(library(), "empty", "");
  EXPECT_THROW(make_image_features(library(), collection_named("empty"), "look", options_, false,
                                   {.jobs = 1}),
               Error);
  EXPECT_THROW(make_image_features(library(), photos(), "a/b", options_, false, {.jobs = 1}),
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

TEST_F(ImageFeatureTask, RanksMakeTheBitsOfOneProcess) {
  add_pictures(40);
  write_picture(2, picture_file(2).substr(0, 200));
  fs::remove(folder_ / "pictures" / "4.png");
  write_picture(7, picture_file(6));  // the same picture twice
  for (const char* kind : {"surf", "gist"}) {
    options_.image = kind;
    relearn_ = true;
    const MadeImageFeatures alone = make();
    const Matrix fresh = rows();
    const std::uint64_t model = fingerprint(stored_image_model(library(), photos(), "look"));
    for (const int ranks : {1, 2, 3, 4}) {
      relearn_ = true;
      const std::vector<MadeImageFeatures> made = make_by(ranks);
      for (const MadeImageFeatures& each : made) expect_same(each, made[0]);
      EXPECT_EQ(made[0].encoded, 38);
      EXPECT_EQ(made[0].record.source, alone.record.source);  // with the states of all pictures
      ASSERT_EQ(made[0].skipped.size(), 2U);
      EXPECT_EQ(made[0].skipped[1].reason, alone.skipped[1].reason);
      EXPECT_EQ(rows(), fresh) << kind << " by " << ranks;
      EXPECT_EQ(fingerprint(stored_image_model(library(), photos(), "look")), model);
      EXPECT_FALSE(fs::exists(unfinished()));
      relearn_ = false;
      EXPECT_EQ(make_by(ranks).back().kept, 38);
    }
  }
}

TEST_F(ImageFeatureTask, RanksEncodeNewPicturesByTheStoredModel) {
  add_pictures(20);
  make();
  const Matrix before = rows();
  const ImageFeatureModel model = stored_image_model(library(), photos(), "look");
  add_pictures(60);
  write_picture(4, picture_file(99));
  const std::vector<MadeImageFeatures> made = make_by(3);
  for (const MadeImageFeatures& each : made) expect_same(each, made[0]);
  EXPECT_FALSE(made[0].learned);
  EXPECT_EQ(made[0].kept, 19);
  EXPECT_EQ(made[0].encoded, 41);
  for (int i = 0; i < 60; ++i)
    EXPECT_EQ(rows().row(i), encode_picture(model, picture_file(i == 4 ? 99 : i), "p")) << i;
  EXPECT_EQ(rows().row(3), before.row(3));
}

TEST_F(ImageFeatureTask, WhatRanksLeftUnfinishedIsGoneOnWithByOtherNumbersOfThem) {
  add_pictures(150);
  make();
  const Matrix fresh = rows();
  relearn_ = true;
  const auto kept = [&] {
    std::int64_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(unfinished()))
      files += entry.path().filename().string().starts_with("raw-");
    return files;
  };
  // Whichever rank comes so far stops, and with it the others.
  const auto one_stops_at = [](std::uint64_t at) {
    return [at](int) { return stopping("describing pictures", at); };
  };
  EXPECT_THROW(make_by(4, one_stops_at(145)), Cancelled);
  const std::int64_t by_four = kept();
  EXPECT_GT(by_four, 0);
  EXPECT_THROW(make_by(2, one_stops_at(148)), Cancelled);
  EXPECT_GE(kept(), by_four);
  make_by(3);
  EXPECT_EQ(rows(), fresh);
  EXPECT_FALSE(fs::exists(unfinished()));
  EXPECT_THROW(make_by(3, one_stops_at(148)), Cancelled);
  make();
  EXPECT_EQ(rows(), fresh);
}

TEST(PartialRows, OfAllRanksAreJoinedAndFoundAgainByAnyNumberOfThem) {
  const test::TemporaryDirectory folder;
  const auto row_of = [](int number) { return Matrix::Constant(1, 2, static_cast<float>(number)); };
  run_as_threads(3, [&](Comm& comm) {
    PartialRows kept(folder / "a", "raw", "how", 2, comm);
    for (int i = 0; i < 2; ++i) {
      const int number = 10 * comm.rank() + i;
      kept.add({static_cast<std::uint64_t>(number)}, row_of(number), {""});
    }
    EXPECT_EQ(kept.has(0), comm.rank() == 0);
    kept.join(comm);
    EXPECT_EQ(kept.has(21), comm.rank() != 1);
    if (comm.rank() == 0) {
      EXPECT_EQ(kept.row(21)[1], 21);
    }
  });
  for (const int ranks : {1, 2, 4}) {
    run_as_threads(ranks, [&](Comm& comm) {
      PartialRows kept(folder / "a", "raw", "how", 2, comm);
      for (const int number : {0, 1, 10, 11, 20, 21}) {
        ASSERT_TRUE(kept.has(static_cast<std::uint64_t>(number)));
        EXPECT_EQ(kept.row(static_cast<std::uint64_t>(number))[0], number);
      }
      // No file of before is written over.
      const int number = 100 * ranks + comm.rank();
      kept.add({static_cast<std::uint64_t>(number)}, row_of(number), {""});
    });
  }
  run_as_threads(2, [&](Comm& comm) {
    EXPECT_FALSE(PartialRows(folder / "a", "raw", "else", 2, comm).has(0));
  });
  for (const auto& entry : fs::recursive_directory_iterator(folder / "a"))
    EXPECT_TRUE(entry.is_directory()) << entry.path();
}

TEST(PartialRows, AreFoundByWhatTheyWereMadeOf) {
  SelfComm comm;
  const test::TemporaryDirectory folder;
  Matrix rows(2, 3);
  rows << 1, 2, 3, 0, 0, 0;
  {
    PartialRows kept(folder / "a", "raw", "how", 3, comm);
    kept.add({7, 8}, rows, {"", "broken"});
    kept.add({9}, rows.topRows(1), {""});
    EXPECT_TRUE(kept.has(9));
    EXPECT_FALSE(kept.has(10));
  }
  const PartialRows again(folder / "a", "raw", "how", 3, comm);
  ASSERT_TRUE(again.has(7) && again.has(8) && again.has(9));
  EXPECT_EQ(again.row(7)[2], 3);
  EXPECT_EQ(again.problem(8), "broken");
  EXPECT_EQ(again.problem(9), "");
  EXPECT_FALSE(PartialRows(folder / "a", "other", "how", 3, comm).has(7));
  EXPECT_TRUE(PartialRows(folder / "a", "raw", "how", 3, comm).has(7));
  EXPECT_FALSE(PartialRows(folder / "a", "raw", "else", 3, comm).has(7));
  EXPECT_TRUE(fs::is_empty(folder / "a"));
}

TEST_F(ImageFeatureTask, AnUnseenPictureGetsTheRowThatItWouldHave) {
  add_pictures(12);
  make();
  UnseenFeatures unseen(library(), "photos");
  const std::string bytes = picture_file(3);
  const auto found = unseen.of("look", {.text = "", .picture = bytes, .called = "3.png"});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(Eigen::RowVectorXf::Map(found->data(), std::ssize(*found)), rows().row(3));
  EXPECT_FALSE(unseen.of("look", {.text = "a text", .picture = "", .called = ""}).has_value());
  EXPECT_FALSE(unseen.of("other", {.text = "a text", .picture = bytes, .called = ""}).has_value());
  EXPECT_THROW(unseen.of("look", {.text = "", .picture = "no picture", .called = "x"}), Error);
}

}  // namespace image_features_test
}  // namespace commonplace

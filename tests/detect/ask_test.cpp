#include "commonplace/detect/ask.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/detect/index.h"
#include "commonplace/detect/learn.h"
#include "commonplace/detect/update.h"
#include "commonplace/io/files.h"
#include "commonplace/library/stored/stored_models.h"
#include "tests/support/planted_features.h"
#include "tests/support/rank_libraries.h"

namespace commonplace {
namespace ask_test {

using namespace detect;

using test::message_of;

class Detect : public test::GroupedPhotos {
 protected:
  static detect::ModelOptions quick(const std::string& way = "smoothed") {
    detect::ModelOptions options;
    options.min_uses = 5;
    options.detector.representation = way;
    options.detector.head = "laprls";
    options.detector.lambda = 1;
    options.detector.space.count = 30;
    options.detector.space.anchors = 40;
    return options;
  }
  detect::Report learn(const detect::ModelOptions& options = quick()) {
    return detect::learn(library(), "photos", "", options, {.jobs = 1});
  }
  detect::Answerer finder() { return {library(), "", "", {.jobs = 1}}; }

  /// How many of the found items are of the group.
  static int of_group(const detect::Answer& answer, int group) {
    int count = 0;
    for (const Detected& each : answer.items_found)
      count += std::stoi(each.id.substr(1)) % 4 == group ? 1 : 0;
    return count;
  }
};

TEST_F(Detect, AConceptFromFiveExamples) {
  for (const std::string way : {"raw", "smoothed", "axis", "anchors"}) {
    detect::ModelOptions options = quick(way);
    options.concepts_from = "none";
    learn(options);
    teach(library(), collection_named("photos"), "Striped",
          {{"p2", 1, ""}, {"p6", 1, ""}, {"p10", 1, ""}, {"p3", -1, ""}, {"p4", -1, ""}});
    detect::Options ask;
    ask.limit = 40;
    const detect::Answer answer = finder().ask("striped", ask);
    EXPECT_EQ(answer.items, kPhotos);
    EXPECT_EQ(answer.shown, 3);
    EXPECT_EQ(answer.not_shown, 2);
    ASSERT_EQ(answer.items_found.size(), 40U);
    EXPECT_GE(of_group(answer, 2), 35) << way;
    for (std::size_t i = 1; i < 40; ++i)
      EXPECT_GE(answer.items_found[i - 1].score, answer.items_found[i].score);
  }
}

TEST_F(Detect, LessonsCountAtOnce) {
  learn();
  const detect::Answerer open = finder();
  EXPECT_NE(message_of([&] { open.ask("round"); }).find("commonplace teach"), std::string::npos);
  teach(library(), collection_named("photos"), "round", {{"p0", 1, ""}});
  EXPECT_GE(of_group(open.ask("round", {20, false}), 0), 18);
  // Turned round: the same concept is now something else.
  teach(library(), collection_named("photos"), "round",
        {{"p0", -1, ""}, {"p1", 1, ""}, {"p5", 1, ""}});
  const detect::Answer now = open.ask("round", {20, false});
  EXPECT_GE(of_group(now, 1), 18);
  EXPECT_EQ(of_group(now, 0), 0);
}

TEST_F(Detect, ConceptsFromTags) {
  const detect::Report report = learn();
  EXPECT_EQ(report.concepts, 4);
  EXPECT_EQ(report.labelled, 80);
  EXPECT_EQ(report.items, kPhotos);
  const detect::Answerer open = finder();
  for (int group = 0; group < 4; ++group) {
    const detect::Answer answer =
        open.ask(test::kGroupNames[static_cast<std::size_t>(group)], {50, false});
    EXPECT_TRUE(answer.learned);
    EXPECT_GE(of_group(answer, group), 48);
    EXPECT_GE(answer.items_found[0].confidence, 0);
    EXPECT_LE(answer.items_found[0].confidence, 1);
  }
  ASSERT_EQ(open.concepts().size(), 4U);
  EXPECT_EQ(open.concepts()[0].tagged, 20);
}

TEST_F(Detect, ChoosingGivesConfidence) {
  detect::ModelOptions options = quick("auto");
  options.detector.lambda = 0;
  options.detector.head = "auto";
  const detect::Report report = learn(options);
  EXPECT_GT(report.tried.size(), 10U);
  EXPECT_GT(report.miap, 0.9);
  EXPECT_LT(report.calibration_error, 0.1);
  const detect::Answer answer = finder().ask("owl", {kPhotos, false});
  EXPECT_GT(answer.items_found.front().confidence, 0.8);
  EXPECT_LT(answer.items_found.back().confidence, 0.2);
}

TEST_F(Detect, LessonsCorrectALearnedConcept) {
  learn();
  const detect::Answerer open = finder();
  const auto place_of = [&](const std::string& id) {
    const detect::Answer answer = open.ask("owl", {kPhotos, false});
    for (std::size_t i = 0; i < answer.items_found.size(); ++i)
      if (answer.items_found[i].id == id) return static_cast<int>(i);
    return -1;
  };
  const std::string first = open.ask("owl", {1, false}).items_found[0].id;
  teach(library(), collection_named("photos"), "owl", {{first, -1, ""}});
  EXPECT_GT(place_of(first), 0);
  EXPECT_EQ(open.ask("owl", {1, false}).not_shown, 1);
}

TEST_F(Detect, ScoresAreExact) {
  learn();
  const std::vector<Lesson> lessons = {{"p2", 1, ""}, {"p6", 1, ""}, {"p3", -1, ""}};
  const detect::Answerer open = finder();
  const detect::Answer few = open.ask("thing", lessons, {7, false});
  const detect::Answer all = open.ask("thing", lessons, {kPhotos, false});
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(few.items_found[i].id, all.items_found[i].id);
    EXPECT_EQ(few.items_found[i].score, all.items_found[i].score);
  }
  EXPECT_EQ(all.items_found[0].taught, 1) << "an example comes first";
}

TEST_F(Detect, UncertainItemsAreNearTheBorder) {
  learn();
  const std::vector<Lesson> lessons = {
      {"p2", 1, ""}, {"p6", 1, ""}, {"p3", -1, ""}, {"p4", -1, ""}};
  const detect::Answerer open = finder();
  const detect::Answer all = open.ask("thing", lessons, {kPhotos, false});
  std::vector<double> distances;
  for (const Detected& each : all.items_found)
    if (each.taught == 0) distances.push_back(std::abs(each.score));
  std::sort(distances.begin(), distances.end());
  const detect::Answer uncertain = open.ask("thing", lessons, {10, true});
  ASSERT_EQ(uncertain.items_found.size(), 10U);
  for (const Detected& each : uncertain.items_found) {
    EXPECT_EQ(each.taught, 0);
    EXPECT_LE(std::abs(each.score), distances[14]);
  }
}

TEST_F(Detect, UpdatingIsLearningAgain) {
  learn(quick("raw"));
  // Other tags, and more items.
  test::decide_one(library(), "photos", "p0", "owl", Verdict::rejected);
  test::decide_one(library(), "photos", "p0", "kite", Verdict::accepted);
  test::decide_one(library(), "photos", "p1", "harbour", Verdict::accepted);
  test::import_jsonl(library(), "photos", lines(kPhotos + 30));
  store_look(kPhotos + 30);
  const detect::Update update = detect::update(library(), "detect.photos", {.jobs = 1});
  EXPECT_EQ(update.new_items, 30);
  EXPECT_EQ(update.changed_items, 2 + 10);
  const detect::Answer quick_answer = finder().ask("harbour", {kPhotos + 30, false});
  learn(quick("raw"));
  const detect::Answer fresh = finder().ask("harbour", {kPhotos + 30, false});
  ASSERT_EQ(quick_answer.items_found.size(), fresh.items_found.size());
  for (std::size_t i = 0; i < fresh.items_found.size(); ++i)
    EXPECT_NEAR(quick_answer.items_found[i].score, fresh.items_found[i].score, 1e-6);
  EXPECT_EQ(detect::update(library(), "detect.photos", {.jobs = 1}).changed_items, 0);
}

TEST_F(Detect, NewItemsAreRankedWithoutLearning) {
  learn();
  test::import_jsonl(library(), "photos", lines(kPhotos + 12));
  EXPECT_EQ(finder().ask("owl").items, kPhotos) << "they have no features yet";
  store_look(kPhotos + 12);
  const detect::Answer answer = finder().ask("owl", {kPhotos + 12, false});
  EXPECT_EQ(answer.items, kPhotos + 12);
  bool found = false;
  for (std::size_t i = 0; i < 70; ++i)
    found = found || answer.items_found[i].id == "p" + std::to_string(kPhotos + 4);
  EXPECT_TRUE(found) << "a new item of the group of owls is among the first";
}

TEST_F(Detect, AnIndexOfOtherFeaturesIsNotUsed) {
  learn(quick("raw"));
  // The same items, their features the other way round.
  Matrix rows = test::grouped_rows(kPhotos, 24, 1.0);
  store_features(library(), collection_named("photos"), "look", Matrix(rows.colwise().reverse()),
                 "made up");
  const detect::Answer answer = finder().ask("owl", {50, false});
  EXPECT_GE(of_group(answer, 3), 48) << "item i has the features of item 239 - i";
  test::decide_one(library(), "photos", "p1", "harbour", Verdict::accepted);
  EXPECT_NE(message_of([&] {
              detect::update(library(), "detect.photos", {.jobs = 1});
            }).find("learn it again"),
            std::string::npos);
}

TEST_F(Detect, SaysWhatIsMissing) {
  EXPECT_NE(message_of([&] { finder(); }).find("commonplace learn LIB detect"), std::string::npos);
  remove_features(library(), collection_named("photos"), "look");
  EXPECT_NE(message_of([&] { learn(); }).find("no dense features"), std::string::npos);
  store_look(kPhotos);
  detect::ModelOptions options = quick();
  options.features = "look,clip";
  EXPECT_NE(message_of([&] { learn(options); }).find("clip"), std::string::npos);
  options = quick();
  options.concepts_from = "species";
  EXPECT_NE(message_of([&] { learn(options); }).find("label 'species'"), std::string::npos);
  learn();
  EXPECT_THROW(finder().ask("owl", {0, false}), Error);
}

TEST_F(Detect, DamagedModelsAreRefused) {
  learn();
  const ModelRecord record = model_record(library(), "detect.photos");
  const std::string whole = read_file(record.file, 1U << 28U);
  for (const double share : {0.1, 0.5, 0.95}) {
    const auto place = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
    EXPECT_THROW(detect::load_model(TensorFile(whole.substr(0, place), "cut")), Error);
    std::string flipped = whole;
    flipped[place] = static_cast<char>(flipped[place] ^ 0x20);
    EXPECT_THROW(detect::load_model(TensorFile(flipped, "flipped")), Error);
  }
  const detect::Model loaded = detect::load_model(TensorFile(whole, "whole"));
  EXPECT_EQ(loaded.concepts.size(), 4U);
  EXPECT_EQ(loaded.features, std::vector<std::string>{"look"});
}

/// What was stored for a model, with the bytes of its index.
struct StoredDetector {
  detect::Model model;
  std::vector<std::int8_t> bytes;
};

StoredDetector stored_detector(const Library& library) {
  const TensorFile file(model_record(library, detect::index_name("detect.photos")).file);
  const Sq8RowsView index = detect::view_index(file);
  return {detect::load_model(TensorFile(model_record(library, "detect.photos").file)),
          {index.bytes.begin(), index.bytes.end()}};
}

void expect_close(const StoredDetector& found, const StoredDetector& expected) {
  EXPECT_EQ(found.model.concepts, expected.model.concepts);
  EXPECT_EQ(found.model.representation, expected.model.representation);
  EXPECT_EQ(found.model.statistics.rows, expected.model.statistics.rows);
  ASSERT_EQ(found.model.heads.weights.rows(), expected.model.heads.weights.rows());
  // Eigenfunctions may differ in sign, so scores are compared; coordinates are floats.
  const auto scores = [](const StoredDetector& of) {
    const auto columns = of.model.space.columns();
    const Eigen::Map<const Eigen::Matrix<std::int8_t, -1, -1, Eigen::RowMajor>> bytes(
        of.bytes.data(), std::ssize(of.bytes) / columns, columns);
    return MatrixD(bytes.cast<double>() * of.model.heads.weights);
  };
  const MatrixD all = scores(expected);
  ASSERT_EQ(found.bytes.size(), expected.bytes.size());
  // A coordinate on the border of two bytes may fall to either.
  EXPECT_LT((scores(found) - all).cwiseAbs().maxCoeff(), 0.02 * all.cwiseAbs().maxCoeff());
}

TEST_F(Detect, SeveralRanksLearnWhatOneDoes) {
  for (const std::string way : {"raw", "smoothed", "axis", "anchors", "auto"}) {
    detect::ModelOptions options = quick(way);
    if (way == "auto") options.detector.head = "auto";
    const detect::Report alone_report = learn(options);
    const StoredDetector expected = stored_detector(library());
    for (const int ranks : {1, 2, 3, 4})
      test::with_rank_libraries(ranks, library().path(), [&](Comm& comm, Library& own) {
        const detect::Report report = detect::learn(own, "photos", "", options, {comm, 1});
        EXPECT_EQ(report.representation, alone_report.representation) << way;
        EXPECT_EQ(report.labelled, alone_report.labelled);
        EXPECT_NEAR(report.miap, alone_report.miap, 1e-6) << way;
        // Every rank sees what the first has stored.
        SCOPED_TRACE(way + " on " + std::to_string(ranks));
        expect_close(stored_detector(own), expected);
      });
  }
}

TEST_F(Detect, SeveralRanksUpdateWhatOneDoes) {
  learn();
  test::import_jsonl(library(), "photos", lines(kPhotos) + R"({"id":"new","tags":["owl"]})" + "\n");
  store_look(kPhotos + 1);
  test::with_rank_libraries(3, library().path(), [&](Comm& comm, Library& own) {
    const detect::Update update = detect::update(own, "detect.photos", {comm, 1});
    EXPECT_EQ(update.new_items, 1);
    EXPECT_EQ(update.changed_items, 1);
    EXPECT_EQ(std::ssize(stored_detector(own).bytes) % (kPhotos + 1), 0);
  });
  EXPECT_EQ(finder().ask("owl").items, kPhotos + 1);
}

}  // namespace ask_test
}  // namespace commonplace

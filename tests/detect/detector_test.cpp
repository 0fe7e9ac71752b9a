#include "commonplace/detect/core/detector.h"

#include <numeric>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/detect/evaluate.h"
#include "commonplace/detect/evaluate_report.h"
#include "commonplace/io/model_file.h"
#include "tests/support/planted_features.h"

namespace commonplace {
namespace detector_test {

using namespace detect;

using test::group_labels;
using test::grouped_rows;
using test::message_of;

std::vector<std::int64_t> first_rows(std::int64_t count) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// The share of rows whose best concept is their group.
double right(const Matrix& scores) {
  double hits = 0;
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    Eigen::Index best = 0;
    scores.row(i).maxCoeff(&best);
    hits += best == i % 4 ? 1 : 0;
  }
  return hits / static_cast<double>(scores.rows());
}

Matrix detect_groups(const Matrix& rows, const DetectorOptions& options, std::int64_t labelled) {
  const std::vector<MatrixView> views = {MatrixView(rows.data(), rows.rows(), rows.cols())};
  const LabelledItems known{first_rows(labelled), group_labels(first_rows(labelled))};
  const Detector detector = fit_detector(views, known, options, {.jobs = 1});
  const ConceptHeads heads =
      fit_heads(encode_rows(detector.space, views, known.rows, true), known.labels, detector.head);
  return score(heads, encode(detector.space, views, 0, rows.rows(), true));
}

TEST(Detector, EveryWayFindsPlantedGroups) {
  const Matrix rows = grouped_rows(400, 16, 1.0);
  for (const std::string way : {"raw", "smoothed", "axis", "anchors", "smoothed+axis", "auto"})
    for (const std::string head : {"laprls", "svm"}) {
      DetectorOptions options;
      options.representation = way;
      options.head = head;
      options.space.count = 40;
      options.space.anchors = 60;
      EXPECT_GT(right(detect_groups(rows, options, 40)), 0.9) << way << ", " << head;
    }
}

TEST(Detector, UnlabelledItemsHelp) {
  // Most of what tells items apart says nothing of their group; only many items show that.
  Matrix rows = grouped_rows(600, 40, 1.0);
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    for (Eigen::Index j = 0; j < 8; ++j)
      rows(i, j) = static_cast<float>(
          random_uniform(7, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) - 0.5);
  rows.rowwise().normalize();
  DetectorOptions options;
  options.head = "laprls";
  options.lambda = 1;
  options.representation = "raw";
  const double by_themselves = right(detect_groups(rows, options, 8));
  options.representation = "smoothed";
  EXPECT_GT(right(detect_groups(rows, options, 8)), by_themselves + 0.03);
}

TEST(Detector, ChoosesWhatIsBestOnItemsHeldOut) {
  const Matrix rows = grouped_rows(400, 24, 2.0);
  const std::vector<MatrixView> views = {MatrixView(rows.data(), rows.rows(), rows.cols())};
  DetectorOptions options;
  options.space.count = 40;
  options.space.anchors = 60;
  const LabelledItems known{first_rows(60), group_labels(first_rows(60))};
  const Detector detector = fit_detector(views, known, options, {.jobs = 2});
  ASSERT_FALSE(detector.tried.empty());
  double best = 0;
  std::string best_way;
  for (const TuningTrial& each : detector.tried)
    if (each.quality > best) {
      best = each.quality;
      best_way = each.setting.substr(0, each.setting.find(','));
    }
  EXPECT_EQ(detector.representation, best_way);
  EXPECT_EQ(detector.held_scores.size(), 240U) << "four concepts of 60 items";
  const Detector again = fit_detector(views, known, options, {.jobs = 1});
  EXPECT_EQ(again.representation, detector.representation) << "threads change nothing";
  EXPECT_EQ(again.held_scores, detector.held_scores);
}

TEST(Detector, OutOfTimeTakesTheUsual) {
  const Matrix rows = grouped_rows(400, 24, 2.0);
  const std::vector<MatrixView> views = {MatrixView(rows.data(), rows.rows(), rows.cols())};
  DetectorOptions options;
  options.budget = "0.000001s";
  const LabelledItems known{first_rows(60), group_labels(first_rows(60))};
  const Detector detector = fit_detector(views, known, options, {.jobs = 1});
  EXPECT_EQ(detector.tried.size(), 1U);
  EXPECT_EQ(detector.representation, "smoothed");
  EXPECT_FALSE(detector.head.svm);
  EXPECT_EQ(detector.head.lambda, 1);
  EXPECT_EQ(detector.held_scores.size(), 240U) << "confidence is learned all the same";
  options.budget = "soon";
  EXPECT_THROW(fit_detector(views, known, options, {.jobs = 1}), Error);
}

TEST(Detector, OneSidedExamplesRankByLikeness) {
  const Matrix rows = grouped_rows(200, 24, 1.0);
  for (const bool svm : {false, true}) {
    const std::vector<std::int64_t> examples = {1, 5, 9};
    const ConceptHeads heads =
        fit_heads(Matrix(rows({1, 5, 9}, Eigen::all)), MatrixD::Ones(3, 1), {svm, 1, 5});
    const Matrix scores = score(heads, rows);
    double own = 0;
    double others = 0;
    for (Eigen::Index i = 0; i < 200; ++i)
      (i % 4 == 1 ? own : others) += static_cast<double>(scores(i, 0));
    EXPECT_GT(own / 50, others / 150 + 0.3);
  }
}

TEST(Detector, HeadsFromSumsAreHeadsFromRows) {
  const Matrix rows = grouped_rows(90, 12, 1.5);
  const MatrixD labels = group_labels(first_rows(90));
  LapRlsStatistics sums(12, 4);
  add_rows(sums, rows, labels);
  const ConceptHeads summed = solve_heads(sums, 3);
  const ConceptHeads direct = fit_heads(rows, labels, {false, 3, 5});
  EXPECT_LT((summed.weights - direct.weights).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((summed.offsets - direct.offsets).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Detector, SeveralFeaturesSideBySide) {
  const Matrix a = grouped_rows(300, 12, 3.0, 1);
  const Matrix b = grouped_rows(300, 20, 3.0, 2);
  const std::vector<MatrixView> both = {MatrixView(a.data(), 300, 12),
                                        MatrixView(b.data(), 300, 20)};
  DetectorOptions options;
  options.representation = "raw";
  options.head = "laprls";
  options.lambda = 1;
  const LabelledItems known{first_rows(60), group_labels(first_rows(60))};
  const auto right_with = [&](ManyFeatures features) {
    const Detector detector = fit_detector(features, known, options, {.jobs = 1});
    const ConceptHeads heads = fit_heads(encode_rows(detector.space, features, known.rows, true),
                                         known.labels, detector.head);
    return right(score(heads, encode(detector.space, features, 0, 300, true)));
  };
  EXPECT_GT(right_with(both), right_with(std::span(both).first(1)) + 0.05);
}

TEST(DetectSpace, SavedAndLoadedGivesTheSameBits) {
  const Matrix rows = grouped_rows(150, 10, 1.0);
  const std::vector<MatrixView> views = {MatrixView(rows.data(), 150, 10)};
  SpaceOptions options;
  options.count = 12;
  options.anchors = 20;
  std::vector<SpacePart> parts;
  for (const SpaceKind kind :
       {SpaceKind::raw, SpaceKind::diffused, SpaceKind::axis, SpaceKind::anchors})
    parts.push_back(fit_part(kind, 0, views[0], options, {.jobs = 1}));
  const detect::Space space = join_parts(std::move(parts));
  TensorWriter writer;
  describe_model(writer, "test", 1, "{}");
  add_space(writer, space);
  const detect::Space loaded = read_space(TensorFile(writer.bytes(), "memory"));
  const Matrix expected = encode(space, views, 0, 150, true, 2);
  EXPECT_EQ(encode(loaded, views, 0, 150, true), expected);
  EXPECT_NEAR(expected.cast<double>().rowwise().squaredNorm().mean(), 1, 1e-3);
  const std::vector<std::int64_t> some = {149, 3, 77};
  EXPECT_EQ(encode_rows(loaded, views, some, true), Matrix(expected({149, 3, 77}, Eigen::all)));
}

TEST(Detector, RefusesWhatDoesNotFit) {
  const Matrix rows = grouped_rows(50, 8, 1.0);
  const Matrix fewer = rows.topRows(40);
  const std::vector<MatrixView> views = {MatrixView(rows.data(), 50, 8)};
  const std::vector<MatrixView> uneven = {views[0], MatrixView(fewer.data(), 40, 8)};
  const auto refused = [&](ManyFeatures features, const LabelledItems& known,
                           const DetectorOptions& options, const std::string& part) {
    const std::string message =
        message_of([&] { fit_detector(features, known, options, {.jobs = 1}); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  DetectorOptions options;
  options.representation = "blurred";
  refused(views, {}, options, "no representation 'blurred'");
  options = {};
  options.head = "tail";
  refused(views, {}, options, "head is 'tail'");
  options = {};
  options.lambda = -1;
  refused(views, {}, options, "lambda is -1");
  refused({}, {}, {}, "no features");
  refused(uneven, {}, {}, "do not fit together");
  refused(views, {{50}, MatrixD::Ones(1, 1)}, {}, "no item 50");
  refused(views, {{1, 2}, MatrixD::Ones(1, 1)}, {}, "do not fit labels");
}

TEST(EvaluateDetect, EveryMethodBeatsChance) {
  detect::Trial trial;
  trial.features.push_back(grouped_rows(200, 12, 1.5));
  trial.labels = group_labels(first_rows(200));
  trial.concepts = test::kGroupNames;
  ASSERT_TRUE(trial.one_each());
  detect::EvaluationOptions options;
  options.labelled = "5";
  options.methods += ",raw,axis";
  options.repeat = 2;
  DetectorOptions detector;
  detector.space.count = 30;
  detector.space.anchors = 40;
  const detect::Evaluation evaluation = detect::evaluate(trial, options, detector, {.jobs = 1});
  ASSERT_EQ(evaluation.methods.size(), 15U);
  for (const detect::MethodQuality& each : evaluation.methods) {
    EXPECT_GT(each.miap.value, 0.5) << each.method;
    EXPECT_LT(each.error, 0.5) << each.method;
    EXPECT_EQ(each.unlabelled, 180) << each.method;
    EXPECT_EQ(each.of_concepts.size(), 4U);
    EXPECT_LE(each.miap.interval.low, each.miap.value);
  }
  EXPECT_NE(evaluation_plot(evaluation).find("<svg"), std::string::npos);
  EXPECT_NE(to_json(evaluation).find("\"miap\""), std::string::npos);
}

TEST(EvaluateDetect, FewerUnlabelledItems) {
  detect::Trial trial;
  trial.features.push_back(grouped_rows(120, 12, 1.5));
  trial.labels = group_labels(first_rows(120));
  trial.concepts = test::kGroupNames;
  detect::EvaluationOptions options;
  options.labelled = "3";
  options.unlabelled = "10,all";
  options.methods = "smoothed";
  options.repeat = 1;
  const detect::Evaluation evaluation = detect::evaluate(trial, options, {}, {.jobs = 1});
  ASSERT_EQ(evaluation.methods.size(), 2U);
  EXPECT_EQ(evaluation.methods[0].unlabelled, 10);
  EXPECT_EQ(evaluation.methods[1].unlabelled, 108);
  options.methods = "smoothed,guessing";
  EXPECT_THROW(detect::evaluate(trial, options, {}, {.jobs = 1}), Error);
  options.methods = "smoothed";
  options.labelled = "many";
  EXPECT_THROW(detect::evaluate(trial, options, {}, {.jobs = 1}), Error);
  options.labelled = "30";
  EXPECT_THROW(detect::evaluate(trial, options, {}, {.jobs = 1}), Error) << "none is left";
}

TEST(EvaluateDetect, SeveralRanksFindWhatOneDoes) {
  detect::Trial trial;
  trial.features = {grouped_rows(80, 12, 1.5)};
  trial.concepts = test::kGroupNames;
  trial.labels = group_labels(first_rows(80));
  detect::EvaluationOptions options;
  options.labelled = "2,4";
  options.methods = "svm,raw,knn";
  options.repeat = 2;
  const detect::Evaluation expected = detect::evaluate(trial, options, {}, {.jobs = 1});
  ASSERT_EQ(expected.methods.size(), 6U);
  for (const int ranks : {2, 3, 4})
    run_as_threads(ranks, [&](Comm& comm) {
      const detect::Evaluation found = detect::evaluate(trial, options, {}, {comm, 1});
      ASSERT_EQ(found.methods.size(), expected.methods.size());
      for (std::size_t i = 0; i < found.methods.size(); ++i) {
        EXPECT_EQ(found.methods[i].method, expected.methods[i].method);
        EXPECT_EQ(found.methods[i].labelled, expected.methods[i].labelled);
        EXPECT_EQ(found.methods[i].unlabelled, expected.methods[i].unlabelled);
        EXPECT_EQ(found.methods[i].miap.value, expected.methods[i].miap.value);
        EXPECT_EQ(found.methods[i].error, expected.methods[i].error);
        EXPECT_EQ(found.methods[i].of_concepts, expected.methods[i].of_concepts);
      }
    });
}

}  // namespace detector_test
}  // namespace commonplace

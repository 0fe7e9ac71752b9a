#include "commonplace/relate/evaluate.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/io/npy.h"
#include "commonplace/library/stored/stored_features.h"
#include "commonplace/relate/evaluate_cross.h"
#include "commonplace/relate/evaluate_report.h"
#include "commonplace/relate/rows.h"
#include "tests/support/planted_features.h"
#include "tests/support/rank_libraries.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace evaluate_test {

using namespace relate;

using test::grouped_rows;
using test::message_of;

/// As text, but for how long each method took.
std::string without_seconds(relate::Evaluation evaluation) {
  for (relate::MethodQuality& each : evaluation.methods) each.seconds = 0;
  return to_json(evaluation);
}

std::string without_seconds(std::vector<CrossQuality> qualities) {
  for (CrossQuality& each : qualities) each.seconds = 0;
  return to_json(qualities);
}

/// Photographs of four groups that look alike; half of the tags tell the group, and where they were
/// taken tells one half of each group from the other, which the second tag names.
class EvaluateRelate : public test::LibraryTest {
 protected:
  static constexpr int kPhotos = 240;
  EvaluateRelate() {
    std::string lines;
    for (int i = 0; i < kPhotos; ++i) {
      const bool east = random_uniform(5, static_cast<std::uint64_t>(i), 0) < 0.5;
      const double shift = 0.002 * random_uniform(5, static_cast<std::uint64_t>(i), 1);
      lines += "{\"id\":\"p" + std::to_string(i) + "\",\"tags\":[\"" +
               test::kGroupNames[static_cast<std::size_t>(i % 4)] + "\",\"" +
               (east ? "east" : "west") + "\"],\"lat\":" + std::to_string(50 + shift) +
               ",\"lon\":" + std::to_string((east ? 13.5 : 13.0) + shift) + "}\n";
    }
    test::import_jsonl(library(), "photos", lines);
    store_features(library(), collection_named("photos"), "look", grouped_rows(kPhotos, 16, 1.0),
                   "made up");
    data_ = relate::read_data(library(), {"photos,tags,places", "", "", 2}, {.jobs = 1});
    relate_.gamma = "0.3";
    relate_.dim = "6";
  }

  relate::Evaluation evaluate(const relate::EvaluationOptions& options) {
    return relate::evaluate(data_, relate_, options, {.jobs = 1});
  }
  static const relate::MethodQuality& of(const relate::Evaluation& evaluation,
                                         const std::string& method) {
    for (const relate::MethodQuality& each : evaluation.methods)
      if (each.method == method) return each;
    throw Error("no " + method);
  }

  relate::Data data_;
  relate::ModelOptions relate_;
};

TEST_F(EvaluateRelate, EveryMethodAnswersAndPlacesHelp) {
  relate::EvaluationOptions options;
  options.repeat = 1;
  const relate::Evaluation evaluation = evaluate(options);
  EXPECT_EQ(evaluation.target, "photos/tags");
  EXPECT_EQ(evaluation.items, kPhotos);
  EXPECT_EQ(evaluation.nodes, 6);
  ASSERT_EQ(evaluation.methods.size(), relate::methods().size());
  for (const relate::MethodQuality& each : evaluation.methods) {
    EXPECT_GE(each.ndcg.value, 0) << each.method;
    EXPECT_LE(each.ndcg.value, 1) << each.method;
    if (each.met.empty()) continue;
    EXPECT_TRUE(std::is_sorted(each.met.begin(), each.met.end())) << each.method;
    EXPECT_DOUBLE_EQ(each.met.back(), 1);
    EXPECT_GE(each.rand, 0);
    EXPECT_LE(each.rand, 1);
  }
  EXPECT_GT(of(evaluation, "commonplace").ndcg.value, 0.95);
  // Looks alone tell the group but not the side.
  EXPECT_GT(of(evaluation, "alone").ndcg.value, of(evaluation, "popular").ndcg.value);
  EXPECT_GT(of(evaluation, "commonplace").ndcg.value, of(evaluation, "alone").ndcg.value + 0.1);
  EXPECT_GT(of(evaluation, "ridge-all").ndcg.value, 0.9);
  EXPECT_GT(of(evaluation, "commonplace").met[4], 0.95);
}

TEST_F(EvaluateRelate, SidesOfPlacesAreGuessed) {
  relate::EvaluationOptions options;
  options.repeat = 1;
  options.methods = "popular";
  const relate::Evaluation evaluation = evaluate(options);
  ASSERT_EQ(evaluation.places.size(), 3U);
  EXPECT_EQ(evaluation.places[0].method, "commonplace");
  EXPECT_LT(evaluation.places[0].median.value, 1000);
  EXPECT_GT(evaluation.places[0].within_1_km, 0.9);
  EXPECT_LT(evaluation.places[2].within_1_km, 0.7);
}

TEST_F(EvaluateRelate, ListsOfSharesAndDims) {
  relate::EvaluationOptions options;
  options.repeat = 2;
  options.methods = "commonplace,cca,popular";
  options.shares = "30,100";
  options.dims = "1,5";
  const relate::Evaluation evaluation = evaluate(options);
  EXPECT_EQ(evaluation.methods.size(), 2U * (2 * 2 + 1));
  const auto with = [&](const std::string& method, std::int64_t dim, bool all) {
    for (const relate::MethodQuality& each : evaluation.methods)
      if (each.method == method && each.dim == dim && (each.learned_from > 150) == all)
        return each.ndcg.value;
    return -1.0;
  };
  EXPECT_GT(with("commonplace", 5, true), with("commonplace", 1, true));
  EXPECT_GT(with("commonplace", 5, true), with("cca", 5, true));
  const std::string plot = evaluation_plot(evaluation);
  EXPECT_NE(plot.find("coordinates at most"), std::string::npos);
  EXPECT_NE(to_json(evaluation).find("\"places_told\""), std::string::npos);
}

TEST_F(EvaluateRelate, RanksShareTheRepetitions) {
  relate::EvaluationOptions options;
  options.repeat = 2;
  options.methods = "popular,commonplace,cca,knn";
  options.dims = "1,5";
  const std::string alone = without_seconds(evaluate(options));
  for (const int ranks : {2, 3, 4})
    test::with_rank_libraries(ranks, folder_ / "library", [&](Comm& comm, Library& each) {
      const relate::Data data =
          relate::read_data(each, {"photos,tags,places", "", "", 2}, {comm, 1});
      require_same_data(each, data, comm);
      EXPECT_EQ(without_seconds(relate::evaluate(data, relate_, options, {comm, 1})), alone);
    });
}

TEST_F(EvaluateRelate, RefusesWhatCannotBe) {
  const auto refused = [&](auto change) {
    relate::EvaluationOptions options;
    change(options);
    return message_of([&] { evaluate(options); });
  };
  EXPECT_NE(refused([](auto& o) { o.methods = "magic"; }).find("kernel-regression"),
            std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.target = "smells"; }).find("photos/tags"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.repeat = 0; }).find("--repeat"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.held = 1; }).find("--held-out"), std::string::npos);
  EXPECT_NE(refused([](auto& o) { o.shares = "x"; }).find("--shares"), std::string::npos);
}

TEST(EvaluateCross, FindsTheOtherHalfOfAPair) {
  const test::TemporaryDirectory folder;
  const auto write = [&](const std::string& name, const Matrix& rows) {
    NpyWriter writer(folder / name, rows.cols());
    writer.write(rows);
    writer.commit();
    return folder / name;
  };
  const auto classes = [](Eigen::Index count) {
    Matrix result(count, 1);
    for (Eigen::Index i = 0; i < count; ++i) result(i, 0) = static_cast<float>(i % 4);
    return result;
  };
  const Matrix first = grouped_rows(200, 12, 0.5, 1);
  const Matrix second = grouped_rows(200, 8, 0.6, 2);
  const CrossTrial trial = read_cross_trial(
      {write("a.npy", first.topRows(140)), write("b.npy", second.topRows(140))},
      write("y.npy", classes(140)),
      {write("c.npy", first.bottomRows(60)), write("d.npy", second.bottomRows(60))},
      write("z.npy", classes(60)));
  EXPECT_EQ(trial.known, 140);
  relate::ModelOptions options;
  options.gamma = "0.3";
  const std::vector<CrossQuality> found = evaluate_cross(trial, options, {.jobs = 1});
  ASSERT_EQ(found.size(), 4U);
  const std::string alone = without_seconds(found);
  for (const int ranks : {2, 3, 4})
    run_as_threads(ranks, [&](Comm& comm) {
      EXPECT_EQ(without_seconds(evaluate_cross(trial, options, {comm, 1})), alone);
    });
  for (const CrossQuality& each : found) {
    EXPECT_GT(each.first_to_second, 0.3) << each.method;
    EXPECT_GT(each.second_to_first, 0.3) << each.method;
  }
  EXPECT_GT(found[0].first_to_second, 0.8);
  EXPECT_GT(found[0].second_to_first, 0.8);
  EXPECT_NE(message_of([&] {
              read_cross_trial({folder / "a.npy"}, folder / "y.npy", {folder / "c.npy"},
                               folder / "z.npy");
            }).find("two files"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              read_cross_trial({folder / "a.npy", folder / "d.npy"}, folder / "y.npy",
                               {folder / "c.npy", folder / "d.npy"}, folder / "z.npy");
            }).find("rows"),
            std::string::npos);
}

}  // namespace evaluate_test
}  // namespace commonplace

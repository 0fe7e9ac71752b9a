#include "commonplace/detect/update.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/detect/ask.h"
#include "commonplace/detect/index.h"
#include "commonplace/detect/learn.h"
#include "commonplace/io/files.h"
#include "commonplace/library/stored/stored_models.h"
#include "tests/support/planted_features.h"
#include "tests/support/rank_libraries.h"

namespace commonplace {
namespace update_test {

using namespace detect;

class OnlineUpdate : public test::GroupedPhotos {
 protected:
  static detect::ModelOptions options(const std::string& way = "axis") {
    detect::ModelOptions result;
    result.min_uses = 5;
    result.detector.representation = way;
    result.detector.head = "laprls";
    result.detector.lambda = 1;
    result.detector.space.count = 12;
    result.detector.space.bins = 12;
    return result;
  }
  void learn(const detect::ModelOptions& chosen = options()) {
    detect::learn(library(), "photos", "", chosen, {.jobs = 1});
  }
  detect::Update update() { return detect::update(library(), "detect.photos", {.jobs = 1}); }
  detect::Model stored() {
    return detect::load_model(TensorFile(model_record(library(), "detect.photos").file));
  }
  /// Makes the collection one of so many items, which have these features.
  void grow(const Matrix& rows) {
    test::import_jsonl(library(), "photos", lines(static_cast<int>(rows.rows())));
    store_features(library(), collection_named("photos"), "look", rows, "made up");
  }
  static Matrix look(Eigen::Index items) { return test::grouped_rows(items, 24, 1.0); }

  /// Scores of all items for each group's concept, by item.
  MatrixD scores(Eigen::Index items) {
    const detect::Answerer open(library(), "", "", {.jobs = 1});
    MatrixD result(items, 4);
    for (int group = 0; group < 4; ++group)
      for (const Detected& each :
           open.ask(test::kGroupNames[static_cast<std::size_t>(group)], {items, false}).items_found)
        result(std::stoi(each.id.substr(1)), group) = each.score;
    return result;
  }
};

double greatest_difference(const MatrixD& a, const MatrixD& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

/// Share of the best `count` of one column that are among the best of the other.
double agreement(const VectorD& a, const VectorD& b, std::size_t count) {
  const auto best = [&](const VectorD& of) {
    std::vector<Eigen::Index> rows(static_cast<std::size_t>(of.size()));
    std::iota(rows.begin(), rows.end(), 0);
    std::stable_sort(rows.begin(), rows.end(), [&](auto i, auto j) { return of(i) > of(j); });
    return std::set<Eigen::Index>(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count));
  };
  const auto first = best(a);
  double both = 0;
  for (const Eigen::Index row : best(b)) both += first.contains(row) ? 1 : 0;
  return both / static_cast<double>(count);
}

/// The eigenfunctions are those of all items, counted at once over the axes of the first half.
TEST_F(OnlineUpdate, IsCountingAllItemsAtOnce) {
  learn();
  const SpacePart start = stored().space.parts[0];
  const Matrix all = look(2 * kPhotos);
  grow(all);
  const detect::Update done = update();
  EXPECT_EQ(done.new_items, kPhotos);
  EXPECT_EQ(done.statistics_items, kPhotos);
  EXPECT_TRUE(done.refreshed);
  AxisStatistics at_once = start.statistics;
  at_once.items = 0;
  at_once.sum.setZero();
  for (MatrixD* part :
       {&at_once.scatter, &at_once.histogram, &at_once.between, &at_once.moment, &at_once.second})
    part->setZero();
  add_rows(at_once, start.axis, all, {});
  const AxisEigenmaps expected = refresh(start.axis, at_once);
  const SpacePart found = stored().space.parts[0];
  EXPECT_EQ(found.statistics.items, 2 * kPhotos);
  EXPECT_EQ(found.axis.items, 2 * kPhotos);
  EXPECT_EQ(found.axis.axis, expected.axis);
  EXPECT_LT(greatest_difference(found.axis.functions, expected.functions), 1e-5);
  EXPECT_LT(greatest_difference(found.axis.norms, expected.norms), 1e-4);
  EXPECT_GT((start.axis.eigenvalues - found.axis.eigenvalues).cwiseAbs().maxCoeff(), 1e-4)
      << "and they did change";
  EXPECT_EQ(update().statistics_items, 0) << "items are counted once";
}

/// Where the new items lie as the old ones do, learning again finds the same axes, and so the same
/// space and answers.
class SameAxes : public OnlineUpdate, public testing::WithParamInterface<const char*> {};
TEST_P(SameAxes, UpdatingIsLearningAgain) {
  learn(options(GetParam()));
  Matrix twice(2 * kPhotos, 24);
  twice << look(kPhotos), look(kPhotos);
  grow(twice);
  EXPECT_TRUE(update().refreshed);
  const detect::Model online = stored();
  const MatrixD found = scores(2 * kPhotos);
  learn(options(GetParam()));
  const detect::Model fresh = stored();
  const SpacePart& a = online.space.parts.back();
  const SpacePart& b = fresh.space.parts.back();
  ASSERT_EQ(a.axis.axis, b.axis.axis);
  EXPECT_LT(greatest_difference(a.axis.eigenvalues, b.axis.eigenvalues), 1e-5);
  EXPECT_LT((a.scale - b.scale).cwiseAbs().maxCoeff(), 1e-3 * b.scale.maxCoeff());
  EXPECT_EQ(online.statistics.rows, fresh.statistics.rows);
  const MatrixD expected = scores(2 * kPhotos);
  EXPECT_LT(greatest_difference(found, expected), 0.05 * expected.cwiseAbs().maxCoeff());
  for (int group = 0; group < 4; ++group)
    EXPECT_GE(agreement(found.col(group), expected.col(group), 2 * kPhotos / 4), 0.95);
}
INSTANTIATE_TEST_SUITE_P(Ways, SameAxes, testing::Values("axis", "raw+axis"));

/// New items of the same kind: axes, bins and clips of all items are a little different.
TEST_F(OnlineUpdate, ComesNearLearningOnAll) {
  learn();
  grow(look(2 * kPhotos));
  update();
  const VectorD online = stored().space.parts[0].axis.eigenvalues;
  const MatrixD found = scores(2 * kPhotos);
  learn();
  const VectorD fresh = stored().space.parts[0].axis.eigenvalues;
  const MatrixD expected = scores(2 * kPhotos);
  ASSERT_EQ(online.size(), fresh.size());
  EXPECT_LT(((online - fresh).array() / fresh.array()).abs().maxCoeff(), 0.2);
  for (int group = 0; group < 4; ++group)
    EXPECT_GE(agreement(found.col(group), expected.col(group), 2 * kPhotos / 4), 0.85);
}

TEST_F(OnlineUpdate, FewItemsLeaveTheCoordinatesUntilTheyAreMany) {
  learn();
  const detect::Model start = stored();
  grow(look(kPhotos + 12));
  const detect::Update few = update();
  EXPECT_EQ(few.statistics_items, 12);
  EXPECT_FALSE(few.refreshed);
  const SpacePart kept = stored().space.parts[0];
  EXPECT_EQ(kept.axis.functions, start.space.parts[0].axis.functions);
  EXPECT_EQ(kept.axis.items, kPhotos);
  EXPECT_EQ(kept.statistics.items, kPhotos + 12);
  grow(look(kPhotos + 24));
  const detect::Update many = update();
  EXPECT_EQ(many.statistics_items, 12);
  EXPECT_TRUE(many.refreshed) << "24 of 240 is a tenth";
  EXPECT_EQ(stored().space.parts[0].axis.items, kPhotos + 24);
  // The index is of the new coordinates, so that it is used and can be updated again.
  EXPECT_EQ(update().new_items, 0);
}

TEST_F(OnlineUpdate, AnSvmIsLearnedAnewInRefreshedCoordinates) {
  detect::ModelOptions chosen = options();
  chosen.detector.head = "svm";
  learn(chosen);
  grow(look(2 * kPhotos));
  EXPECT_TRUE(update().refreshed);
  EXPECT_TRUE(stored().head.svm);
  const MatrixD found = scores(2 * kPhotos);
  learn(chosen);
  const MatrixD expected = scores(2 * kPhotos);
  for (int group = 0; group < 4; ++group)
    EXPECT_GE(agreement(found.col(group), expected.col(group), 2 * kPhotos / 4), 0.85);
}

TEST_F(OnlineUpdate, SeveralRanksDoWhatOneDoes) {
  learn();
  const detect::Model start = stored();
  const TensorFile index(model_record(library(), detect::index_name("detect.photos")).file);
  const Sq8RowsView rows = detect::view_index(index);
  grow(look(kPhotos + 31));
  update();
  const detect::Model expected = stored();
  const Sq8Rows before = grown(rows, Sq8Rows{rows.columns, {}, {}, {}});
  for (const int ranks : {2, 3}) {
    store_with_index(library(), "detect.photos", start, "{}", before);
    test::with_rank_libraries(ranks, library().path(), [&](Comm& comm, Library& own) {
      const detect::Update done = detect::update(own, "detect.photos", {comm, 1});
      EXPECT_EQ(done.statistics_items, 31);
      EXPECT_TRUE(done.refreshed);
    });
    const detect::Model found = stored();
    EXPECT_EQ(found.space.parts[0].statistics.histogram,
              expected.space.parts[0].statistics.histogram);
    EXPECT_EQ(found.space.parts[0].axis.eigenvalues, expected.space.parts[0].axis.eigenvalues);
    EXPECT_LT(greatest_difference(found.heads.weights, expected.heads.weights), 1e-6);
  }
}

TEST_F(OnlineUpdate, ModelsWithoutStatisticsStayInTheirSpace) {
  learn();
  detect::Model old = stored();
  old.space.parts[0].statistics = {};
  const TensorFile index(model_record(library(), detect::index_name("detect.photos")).file);
  const Sq8RowsView rows = detect::view_index(index);
  store_with_index(library(), "detect.photos", old, "{}",
                   grown(rows, Sq8Rows{rows.columns, {}, {}, {}}));
  grow(look(2 * kPhotos));
  const detect::Update done = update();
  EXPECT_EQ(done.new_items, kPhotos);
  EXPECT_EQ(done.statistics_items, 0);
  EXPECT_FALSE(done.refreshed);
  EXPECT_EQ(stored().space.parts[0].axis.functions, old.space.parts[0].axis.functions);
}

TEST_F(OnlineUpdate, TheFileKeepsEveryBitAndDamageIsRefused) {
  learn(options("smoothed+axis"));
  const detect::Model model = stored();
  const auto path = library().path() / "copy.safetensors";
  save(model, path);
  EXPECT_EQ(read_file(path, 1U << 28U),
            read_file(model_record(library(), "detect.photos").file, 1U << 28U));
  const std::vector<std::function<void(AxisStatistics&)>> spoils = {
      [](auto& sums) { sums.items -= 1; }, [](auto& sums) { sums.sum.conservativeResize(3); },
      [](auto& sums) { sums.histogram(0, 0) += 1; },
      [](auto& sums) { sums.moment(0, 0) = std::numeric_limits<double>::quiet_NaN(); },
      [](auto& sums) { sums.scatter.conservativeResize(2, 2); }};
  for (const auto& spoil : spoils) {
    detect::Model bad = model;
    spoil(bad.space.parts[1].statistics);
    save(bad, path);
    EXPECT_THROW(detect::load_model(TensorFile(path)), Error);
  }
}

}  // namespace update_test
}  // namespace commonplace

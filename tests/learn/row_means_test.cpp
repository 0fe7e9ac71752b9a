#include "commonplace/learn/row_means.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "tests/support/naive_associations.h"
#include "tests/support/naive_gp.h"
#include "tests/support/naive_suggester.h"
#include "tests/support/sample_library.h"

namespace commonplace {
namespace row_means_test {

using test::random_features;
using test::to_dense;
using test::to_sparse;

constexpr std::int64_t kAll = 1'000'000;

double worst(const MatrixD& a, const MatrixD& b) { return (a - b).cwiseAbs().maxCoeff(); }

/// Groups with weights; group 3 has no items.
MatrixD some_groups(Eigen::Index items) {
  MatrixD groups = random_features(5, items, 0.3, 9).cwiseAbs();
  groups.row(3).setZero();
  return groups;
}

TEST(MeanDirections, AreTheSumsOfTheGroupsWithLengthOne) {
  const MatrixD items = random_features(40, 12, 0.5, 1);
  const MatrixD groups = some_groups(40);
  const MatrixD expected = test::naive_directions(items, groups);
  SelfComm comm;
  const Sparse sparse = to_sparse(items);
  const StoredRows found = mean_directions(sparse, to_sparse(groups).view(), kAll, comm);
  ASSERT_TRUE(found.is_sparse);
  EXPECT_LT(worst(to_dense(found.sparse.view()), expected), 1e-6);
  EXPECT_EQ(found.sparse.view().row_indices(3).size(), 0u) << "nothing in a group without items";

  const Matrix dense = items.cast<float>();
  const StoredRows same = mean_directions(dense, to_sparse(groups).view(), 2, comm);
  ASSERT_FALSE(same.is_sparse);
  EXPECT_LT(worst(same.dense.cast<double>(), expected), 1e-6) << "dense ones are kept whole";
}

TEST(MeanDirections, KeepTheStrongestFeatures) {
  const Sparse items =
      to_sparse((MatrixD(2, 6) << 1, -4, 2, 0, 3, 2, /**/ 1, 0, 0, 0, 0, 0).finished());
  const Sparse groups = to_sparse((MatrixD(1, 2) << 1, 1).finished());
  SelfComm comm;
  const auto kept = [&](std::int64_t most) {
    return to_dense(mean_directions(items, groups.view(), most, comm).sparse.view());
  };
  // Sums of 2, -4, 2, 0, 3, 2: of the equal ones the first stay.
  EXPECT_LT(worst(kept(1), (MatrixD(1, 6) << 0, -1, 0, 0, 0, 0).finished()), 1e-6);
  EXPECT_LT(worst(kept(2), (MatrixD(1, 6) << 0, -0.8, 0, 0, 0.6, 0).finished()), 1e-6);
  const MatrixD three = (MatrixD(1, 6) << 2, -4, 0, 0, 3, 0).finished() / std::sqrt(29.0);
  EXPECT_LT(worst(kept(3), three), 1e-6);
  EXPECT_EQ(kept(5), kept(kAll));
}

TEST(MeanDirections, OfMoreFeaturesThanASlabHolds) {
  Sparse items;
  items.columns = 1 << 20;
  for (const std::int32_t column : {5, 70'000, 1'000'000}) {
    items.push(column, 2);
    items.end_row();
  }
  SelfComm comm;
  const Sparse groups = to_sparse((MatrixD(3, 3) << 0, 0, 5, 0, 0, 0, 3, 4, 0).finished());
  const Sparse found = mean_directions(items, groups.view(), kAll, comm).sparse;
  EXPECT_EQ(found.starts, (std::vector<std::int64_t>{0, 1, 1, 3}));
  EXPECT_EQ(found.indices, (std::vector<std::int32_t>{1'000'000, 5, 70'000}));
  EXPECT_EQ(found.values, (std::vector<float>{1, 0.6F, 0.8F}));
}

TEST(MeanDirections, AreTheSameOnAnyNumberOfRanks) {
  const MatrixD items = random_features(41, 30, 0.3, 2);
  const MatrixD groups = some_groups(41);
  SelfComm self;
  for (const bool is_sparse : {false, true}) {
    const auto of_rows = [&](RowRange range, Comm& comm) {
      const MatrixD mine = items.middleRows(range.begin, range.end - range.begin);
      const Sparse my_groups = to_sparse(groups.middleCols(range.begin, range.end - range.begin));
      const Sparse sparse = to_sparse(mine);
      const Matrix dense = mine.cast<float>();
      const StoredRows found = mean_directions(is_sparse ? FeatureRows(sparse) : FeatureRows(dense),
                                               my_groups.view(), 10, comm);
      return is_sparse ? to_dense(found.sparse.view()) : MatrixD(found.dense.cast<double>());
    };
    const MatrixD alone = of_rows({0, 41}, self);
    for (const int ranks : {1, 2, 3, 4}) {
      const auto all = test::on_ranks<MatrixD>(
          ranks, 41, [&](Comm& comm, RowRange range) { return of_rows(range, comm); });
      for (const MatrixD& each : all) EXPECT_EQ(each, all[0]);
      EXPECT_LT(worst(all[0], alone), 1e-6) << ranks;
    }
  }
}

TEST(MeanDirections, DoNotDependOnTheOrderOfTheItems) {
  const Sparse items = to_sparse(random_features(40, 12, 0.5, 1));
  const MatrixD groups = some_groups(40);
  const auto order = test::random_order(40, 3);
  const Sparse shuffled = test::rows_in_order(items.view(), order);
  MatrixD shuffled_groups(groups.rows(), groups.cols());
  for (Eigen::Index i = 0; i < 40; ++i)
    shuffled_groups.col(i) = groups.col(order[static_cast<std::size_t>(i)]);
  SelfComm comm;
  const auto a = mean_directions(items, to_sparse(groups).view(), kAll, comm);
  const auto b = mean_directions(shuffled, to_sparse(shuffled_groups).view(), kAll, comm);
  EXPECT_LT(worst(to_dense(a.sparse.view()), to_dense(b.sparse.view())), 1e-6);
}

TEST(MeanDirections, NeedGroupsOfTheItems) {
  const Matrix items = Matrix::Ones(4, 2);
  Sparse groups;
  groups.columns = 3;
  SelfComm comm;
  EXPECT_EQ(test::message_of([&] { mean_directions(items, groups.view(), kAll, comm); }),
            "groups of 3 items do not fit 4 rows of features");
}

TEST(GlobalRows, AreThoseOfAllRanks) {
  for (const int ranks : {1, 2, 3, 4})
    run_as_threads(ranks, [&](Comm& comm) {
      // Rank r has 3 r items, so that the first has none.
      const GlobalRows rows = global_rows(3 * comm.rank(), comm);
      EXPECT_EQ(rows.first, 3 * comm.rank() * (comm.rank() - 1) / 2);
      EXPECT_EQ(rows.count, 3 * ranks * (ranks - 1) / 2);
    });
}

}  // namespace row_means_test
}  // namespace commonplace

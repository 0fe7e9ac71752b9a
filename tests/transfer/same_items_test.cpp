#include "commonplace/transfer/core/same_items.h"

#include <gtest/gtest.h>

#include "tests/support/naive_suggester.h"

namespace commonplace {
namespace same_items_test {

using namespace transfer;

/// Rows of ten features, told apart by the first.
Sparse rows_of(const std::vector<std::int32_t>& which, std::int32_t features = 10) {
  Sparse rows;
  rows.columns = 100;
  for (const std::int32_t first : which) {
    for (std::int32_t feature = 0; feature < features; ++feature) rows.push(first + feature, 0.5F);
    rows.end_row();
  }
  return rows;
}

MatrixD undecided(Eigen::Index items) { return MatrixD::Constant(items, 2, 0.5); }

TEST(SameItems, TakeTheLabelThatTheyHaveElsewhere) {
  const Sparse known = rows_of({1, 2, 3});
  const std::vector<std::int32_t> labels = {0, 1, -1};
  const Sparse target = rows_of({2, 3, 4, 1});
  const std::vector<std::int32_t> none(4, -1);
  MatrixD probabilities = undecided(4);
  const LabelledItems from{known.view(), labels};
  const SameItems same =
      take_labels_of_same_items({&from, 1}, {target.view(), none}, probabilities, {});
  EXPECT_EQ(same.found, 2);
  EXPECT_DOUBLE_EQ(same.reliability, 0.9) << "no two labelled items are the same";
  EXPECT_DOUBLE_EQ(probabilities(0, 1), 0.95);
  EXPECT_DOUBLE_EQ(probabilities(1, 0), 0.5) << "its like has no label";
  EXPECT_DOUBLE_EQ(probabilities(2, 0), 0.5) << "it stands nowhere else";
  EXPECT_DOUBLE_EQ(probabilities(3, 0), 0.95);
}

TEST(SameItems, BelieveTheirLikesAsFarAsThoseAgree) {
  // Of the ten pairs of equal ones four agree.
  const Sparse known = rows_of({1, 1, 1, 1, 1});
  const std::vector<std::int32_t> labels = {0, 0, 0, 1, 1};
  const Sparse target = rows_of({1});
  const std::vector<std::int32_t> none = {-1};
  MatrixD probabilities = undecided(1);
  const LabelledItems from{known.view(), labels};
  const SameItems same =
      take_labels_of_same_items({&from, 1}, {target.view(), none}, probabilities, {});
  EXPECT_DOUBLE_EQ(same.reliability, (9 + 4) / 20.0);
  EXPECT_DOUBLE_EQ(probabilities(0, 0), 0.65 * 0.6 + 0.35 * 0.5);
  EXPECT_DOUBLE_EQ(probabilities.row(0).sum(), 1);
}

TEST(SameItems, LeaveOwnLabelsAndItemsThatSayLittle) {
  const Sparse known = rows_of({1, 2});
  const std::vector<std::int32_t> labels = {0, 1};
  MatrixD probabilities = undecided(2);
  const Sparse target = rows_of({1, 2});
  const std::vector<std::int32_t> own = {1, -1};
  const LabelledItems from{known.view(), labels};
  EXPECT_EQ(take_labels_of_same_items({&from, 1}, {target.view(), own}, probabilities, {}).found,
            1);
  EXPECT_DOUBLE_EQ(probabilities(0, 0), 0.5) << "a label of its own stays";

  const Sparse little = rows_of({1, 2}, 7);
  const LabelledItems short_ones{little.view(), labels};
  const std::vector<std::int32_t> none(2, -1);
  EXPECT_EQ(
      take_labels_of_same_items({&short_ones, 1}, {little.view(), none}, probabilities, {}).found,
      0);
}

TEST(SameItems, AreFoundWhicheverRankHasTheirLike) {
  std::vector<std::int32_t> which(31);
  for (std::size_t item = 0; item < which.size(); ++item)
    which[item] = static_cast<std::int32_t>(item);
  const Sparse known = rows_of(which);
  std::vector<std::int32_t> labels(31);
  for (std::size_t item = 0; item < labels.size(); ++item)
    labels[item] = static_cast<std::int32_t>(item % 2);
  const std::vector<std::int32_t> reversed(which.rbegin(), which.rend());
  const Sparse target = rows_of(reversed);
  const std::vector<std::int32_t> none(31, -1);
  MatrixD alone = undecided(31);
  const LabelledItems from{known.view(), labels};
  take_labels_of_same_items({&from, 1}, {target.view(), none}, alone, {});
  for (const int ranks : {2, 3}) {
    const auto parts = test::on_ranks<MatrixD>(ranks, 31, [&](Comm& comm, RowRange own) {
      const Sparse my_known = test::rows_between(known.view(), own);
      const Sparse my_target = test::rows_between(target.view(), own);
      const auto first = static_cast<std::size_t>(own.begin);
      const auto count = static_cast<std::size_t>(own.end - own.begin);
      MatrixD mine = undecided(own.end - own.begin);
      const LabelledItems my_part{my_known.view(), std::span(labels).subspan(first, count)};
      const LabelledItems to_label{my_target.view(), std::span(none).subspan(first, count)};
      EXPECT_EQ(take_labels_of_same_items({&my_part, 1}, to_label, mine, {.comm = comm}).found, 31);
      return mine;
    });
    Eigen::Index row = 0;
    for (const MatrixD& part : parts) {
      EXPECT_EQ(part, alone.middleRows(row, part.rows()));
      row += part.rows();
    }
  }
}

}  // namespace same_items_test
}  // namespace commonplace

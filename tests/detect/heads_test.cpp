#include "commonplace/detect/core/heads.h"

#include <gtest/gtest.h>

#include "commonplace/base/rng.h"

namespace commonplace {
namespace heads_test {

using namespace detect;

constexpr Eigen::Index kColumns = 12;

/// Rows that all have much of the first coordinate, and of one group `amount` of another.
Matrix rows_of_group(Eigen::Index count, Eigen::Index group, float amount, std::uint64_t seed) {
  Rng rng(seed, 3);
  Matrix rows(count, kColumns);
  for (Eigen::Index row = 0; row < count; ++row)
    for (Eigen::Index column = 0; column < kColumns; ++column)
      rows(row, column) = static_cast<float>(rng.uniform() - 0.5) + (column == 0 ? 1.0F : 0.0F) +
                          (column == group ? amount : 0.0F);
  return rows;
}

MatrixD column(std::initializer_list<double> labels) {
  MatrixD result(std::ssize(labels), 1);
  Eigen::Index row = 0;
  for (const double label : labels) result(row++, 0) = label;
  return result;
}

TEST(Heads, ExamplesHaveOneAndCounterexamplesMinusOneOnAverage) {
  Matrix rows(5, kColumns);
  rows << rows_of_group(3, 1, 1, 1), rows_of_group(2, 2, 1, 2);
  const Eigen::RowVectorXf middle = rows_of_group(500, 3, 0.1F, 3).colwise().mean();
  const MatrixD labels = column({1, 1, 1, -1, -1});
  Matrix scores = score(fit_examples(rows, labels, middle, 1), rows);
  EXPECT_NEAR(scores.topRows(3).mean(), 1, 1e-4);
  EXPECT_NEAR(scores.bottomRows(2).mean(), -1, 1e-4);
  const ConceptHeads one_sided =
      fit_examples(rows.topRows(3), MatrixD(labels.topRows(3)), middle, 1);
  EXPECT_NEAR(score(one_sided, rows.topRows(3)).mean(), 1, 1e-4);
  EXPECT_NEAR(score(one_sided, middle).mean(), 0, 1e-4);
}

TEST(Heads, TheMiddleOfAllItemsHelpsFewExamples) {
  // Counterexamples say little: one each of two of eleven groups.
  double with = 0;
  double without = 0;
  Matrix all(0, kColumns);
  for (Eigen::Index group = 1; group < kColumns; ++group) {
    Matrix more(all.rows() + 40, kColumns);
    more << all, rows_of_group(40, group, 1, static_cast<std::uint64_t>(group));
    all = more;
  }
  const Eigen::RowVectorXf middle = all.colwise().mean();
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    Matrix rows(4, kColumns);
    rows << rows_of_group(2, 1, 1, 100 + draw), rows_of_group(1, 2, 1, 200 + draw),
        rows_of_group(1, 3, 1, 300 + draw);
    const MatrixD labels = column({1, 1, -1, -1});
    MatrixD truth = MatrixD::Constant(all.rows(), 1, -1);
    truth.topRows(40).setOnes();
    with += mean_interpolated_precision(score(fit_examples(rows, labels, middle, 1), all), truth);
    without += mean_interpolated_precision(score(fit_heads(rows, labels, {}), all), truth);
  }
  EXPECT_GT(with, without);
}

TEST(Heads, CounterexamplesAloneAreRankedAsEver) {
  const Matrix rows = rows_of_group(2, 1, 1, 1);
  const MatrixD labels = column({-1, -1});
  const Eigen::RowVectorXf middle = Eigen::RowVectorXf::Ones(kColumns);
  const ConceptHeads heads = fit_examples(rows, labels, middle, 1);
  EXPECT_EQ(heads.weights, fit_heads(rows, labels, {}).weights);
}

TEST(Heads, EqualExamplesOfBothSidesAreTakenAsTheyAre) {
  Matrix rows(2, kColumns);
  rows << rows_of_group(1, 1, 1, 1), rows_of_group(1, 1, 1, 1);
  const Eigen::RowVectorXf middle = rows.row(0);
  const ConceptHeads heads = fit_examples(rows, column({1, -1}), middle, 1);
  EXPECT_TRUE(heads.weights.allFinite());
  EXPECT_TRUE(heads.offsets.allFinite());
}

}  // namespace heads_test
}  // namespace commonplace

#include "commonplace/learn/feature_rows.h"

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "tests/support/naive_associations.h"

namespace commonplace {
namespace feature_rows_test {

MatrixD random_rows(std::int64_t rows, std::int64_t columns, double share, std::uint64_t seed) {
  Rng rng(seed);
  MatrixD result = MatrixD::Zero(rows, columns);
  for (double& value : result.reshaped())
    if (rng.uniform() < share) value = static_cast<double>(static_cast<float>(rng.uniform() - 0.5));
  return result;
}

TEST(ComparedRows, GiveTheBitsOfProductsHoweverManyAreAsked) {
  // More rows than are multiplied at a time; some columns that many rows have, some that few have.
  MatrixD known = random_rows(5000, 12, 0.05, 1);
  known.leftCols(3) = random_rows(5000, 3, 0.9, 2);
  const MatrixD asked = random_rows(7, 12, 0.5, 3);
  const Sparse b = test::to_sparse(known);
  const Sparse a = test::to_sparse(asked);
  const Matrix expected = products(a, b, 1);
  EXPECT_LT((expected.cast<double>() - asked * known.transpose()).cwiseAbs().maxCoeff(), 1e-6);
  const ComparedRows compared(b);
  EXPECT_EQ(compared.products(a, 2), expected);
  for (const std::int64_t row : {0, 3, 6})
    EXPECT_EQ(compared.products(slice(a, row, 1), 1), Matrix(expected.row(row)));
  EXPECT_EQ(compared.squared_norms(), squared_norms(b));

  const Matrix dense_b = known.cast<float>();
  const Matrix dense_a = asked.cast<float>();
  const ComparedRows dense(dense_b);
  EXPECT_EQ(dense.products(dense_a, 2), products(dense_a, dense_b, 1));
  EXPECT_THROW(dense.products(a), Error) << "sparse with dense";
  const Sparse narrow = test::to_sparse(MatrixD::Zero(1, 11));
  EXPECT_THROW(compared.products(narrow), Error);
}

}  // namespace feature_rows_test
}  // namespace commonplace

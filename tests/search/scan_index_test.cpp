#include "commonplace/search/core/scan_index.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"

namespace commonplace {
namespace scan_index_test {

using namespace search;

using Numbers = std::vector<float>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kGreatest = std::numeric_limits<float>::max();
constexpr float kSmallest = std::numeric_limits<float>::denorm_min();

MatrixView view(const Matrix& matrix) { return {matrix.data(), matrix.rows(), matrix.cols()}; }

std::vector<ScoredRow> naive_search(const Matrix& rows, const Numbers& query, std::size_t count,
                                    const ScanScope& scope) {
  std::vector<ScoredRow> all;
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    const auto r = static_cast<std::size_t>(row);
    if (!scope.keep.empty() && scope.keep[r] == 0) continue;
    double sum = 0;
    for (std::int64_t column = 0; column < rows.cols(); ++column)
      sum += static_cast<double>(rows(row, column)) *
             static_cast<double>(query[static_cast<std::size_t>(column)]);
    const double base = scope.base.empty() ? 0 : static_cast<double>(scope.base[r]);
    all.push_back({row, static_cast<float>(base + sum)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const ScoredRow& a, const ScoredRow& b) { return a.score > b.score; });
  all.resize(std::min(count, all.size()));
  return all;
}

void expect_exact(const Matrix& rows, const Numbers& query, std::size_t count,
                  const ScanScope& scope = {}) {
  const auto expected = naive_search(rows, query, count, scope);
  for (int jobs = 1; jobs <= 4; ++jobs) {
    const ScanIndex index(view(rows), jobs);
    const auto found = index.search(query, count, scope, jobs);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_EQ(found[i], expected[i])
          << "place " << i << ", jobs " << jobs << ": row " << found[i].row << " score "
          << found[i].score << ", row " << expected[i].row << " score " << expected[i].score;
  }
}

/// Draws one value; the shapes of data are functions of this kind.
using Draw = float (*)(Rng&);

float sparse_code(Rng& rng) {
  return rng.uniform() < 0.2 ? static_cast<float>(-std::log1p(-rng.uniform())) : 0.0F;
}
float signed_value(Rng& rng) { return static_cast<float>(2 * rng.uniform() - 1); }
float small_whole(Rng& rng) { return static_cast<float>(rng.below(3)); }
float wide_range(Rng& rng) {
  const double magnitude = std::exp2(static_cast<double>(rng.below(275)) - 148.0);
  return static_cast<float>((2 * rng.uniform() - 1) * magnitude);
}
float near_one(Rng& rng) { return 1.0F + static_cast<float>(rng.below(4)) * 0x1p-23F; }

Matrix drawn(std::int64_t rows, std::int64_t columns, Draw draw, Rng& rng) {
  Matrix matrix(rows, columns);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column) matrix(row, column) = draw(rng);
  return matrix;
}

Numbers drawn_numbers(std::size_t count, Draw draw, Rng& rng) {
  Numbers numbers(count);
  for (float& number : numbers) number = draw(rng);
  return numbers;
}

TEST(ScanIndex, AgreesWithANaiveLoopOnManyShapes) {
  constexpr Draw draws[] = {sparse_code, signed_value, small_whole, wide_range, near_one};
  constexpr std::size_t counts[] = {1, 2, 20, 100, 5000};
  Rng rng(1);
  for (int round = 0; round < 120; ++round) {
    const Draw draw_rows = draws[rng.below(std::size(draws))];
    const Draw draw_query = draws[rng.below(std::size(draws))];
    const Draw draw_base = draws[rng.below(std::size(draws))];
    const auto rows =
        static_cast<std::int64_t>(rng.below(3) == 0 ? rng.below(5000) : rng.below(90));
    const auto columns = static_cast<std::int64_t>(rng.below(70));
    SCOPED_TRACE(concat("round ", round, ", ", rows, " x ", columns));
    const Matrix matrix = drawn(rows, columns, draw_rows, rng);
    const Numbers query = drawn_numbers(static_cast<std::size_t>(columns), draw_query, rng);
    Numbers base;
    if (rng.below(2) == 0) base = drawn_numbers(static_cast<std::size_t>(rows), draw_base, rng);
    std::vector<std::uint8_t> keep;
    if (rng.below(2) == 0)
      for (std::int64_t row = 0; row < rows; ++row)
        keep.push_back(static_cast<std::uint8_t>(rng.below(3)));
    expect_exact(matrix, query, counts[rng.below(std::size(counts))], {base, keep});
    if (HasFatalFailure()) return;
  }
}

TEST(ScanIndex, FindsTheBestOfManyChunks) {
  Rng rng(2);
  const Matrix rows = drawn(100'000, 12, sparse_code, rng);
  for (int round = 0; round < 3; ++round) {
    const Numbers query = drawn_numbers(12, sparse_code, rng);
    expect_exact(rows, query, 20, {drawn_numbers(100'000, sparse_code, rng), {}});
    expect_exact(rows, query, 20);
  }
}

TEST(ScanIndex, RowsOfAllMagnitudesAtOnce) {
  Rng rng(3);
  Matrix rows = drawn(3000, 20, signed_value, rng);
  for (std::int64_t row = 0; row < rows.rows(); ++row)
    rows.row(row) *= static_cast<float>(std::exp2(static_cast<double>(row % 240) - 120.0));
  expect_exact(rows, drawn_numbers(20, signed_value, rng), 50);
  expect_exact(rows, drawn_numbers(20, wide_range, rng), 50);
}

TEST(ScanIndex, OneColumnDwarfsTheOthersThatDecide) {
  Rng rng(4);
  Matrix rows = drawn(3000, 10, signed_value, rng);
  rows.col(0).setConstant(1e6F);  // one step of 8 bits is then 8,000 times the other columns
  Numbers query = drawn_numbers(10, signed_value, rng);
  query[0] = 0;
  expect_exact(rows, query, 10);
  query[0] = 1e-3F;
  expect_exact(rows, query, 10);
}

TEST(ScanIndex, CodesThatErrAsFarAsTheyCan) {
  // A step is 1 in every row, for column 0 is 127 and counts for nothing. All of row 0 is coded
  // half a step too high and all of row 1 half a step too low, which is the better by a hair.
  Matrix rows(2, 101);
  rows.row(0).setConstant(10.51F);
  rows.row(1).setConstant(10.49F);
  rows.block(1, 1, 1, 3).setConstant(11.49F);
  rows.col(0).setConstant(127.0F);
  Numbers query(101, 1.0F);
  query[0] = 0;
  const auto found = ScanIndex(view(rows)).search(query, 1);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].row, 1);
  expect_exact(rows, query, 1);
}

TEST(ScanIndex, NumbersAtTheEndsOfTheRange) {
  Matrix rows(6, 3);
  rows << kGreatest, kGreatest, 0,  //
      kGreatest, 0, 0,              //
      -kGreatest, -kGreatest, 0,    //
      kSmallest, 0, 0,              //
      0, 190 * kSmallest, 0,        //
      0, 0, 0;
  expect_exact(rows, {1, 1, 1}, 6);
  expect_exact(rows, {kGreatest, kGreatest, 0}, 6);  // scores round to infinity: ties
  expect_exact(rows, {kSmallest, kSmallest, kSmallest}, 6);
  expect_exact(rows, {kGreatest, kSmallest, -1}, 6);
  const ScanIndex index(view(rows));
  EXPECT_EQ(index.search(Numbers{kGreatest, kGreatest, 0}, 2),
            (std::vector<ScoredRow>{{0, kInfinity}, {1, kInfinity}}));
}

TEST(ScanIndex, TiesGoByRow) {
  const Matrix rows = Matrix::Constant(5000, 4, 0.3F);
  const auto found = ScanIndex(view(rows)).search(Numbers{1, 2, 3, 4}, 3, {}, 4);
  EXPECT_EQ(found, (std::vector<ScoredRow>{{0, 3.0F}, {1, 3.0F}, {2, 3.0F}}));
  expect_exact(rows, {0, 0, 0, 0}, 10);
}

TEST(ScanIndex, ScoresThatDifferOnlyBeforeRounding) {
  // In double the later row is better, in float both are 2^24: the earlier one comes first.
  Matrix rows(2, 2);
  rows << 16777216.0F, 0.0F, 16777216.0F, 0.25F;
  const auto found = ScanIndex(view(rows)).search(Numbers{1, 1}, 1);
  EXPECT_EQ(found, (std::vector<ScoredRow>{{0, 16777216.0F}}));
}

TEST(ScanIndex, ABaseThatDominatesDecides) {
  Rng rng(5);
  const Matrix rows = drawn(4000, 8, sparse_code, rng);
  Numbers base(4000);
  for (std::size_t row = 0; row < base.size(); ++row)
    base[row] = static_cast<float>(row % 7) * 1e12F;
  expect_exact(rows, drawn_numbers(8, signed_value, rng), 30, {base, {}});
}

TEST(ScanIndex, KeepsOnlyWhatIsKept) {
  Rng rng(6);
  const Matrix rows = drawn(5000, 8, sparse_code, rng);
  const Numbers query = drawn_numbers(8, sparse_code, rng);
  std::vector<std::uint8_t> keep(5000, 0);
  const ScanIndex index(view(rows));
  EXPECT_TRUE(index.search(query, 10, {{}, keep}).empty());
  keep[4321] = 1;
  const auto found = index.search(query, 10, {{}, keep});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].row, 4321);
  keep[17] = 255;
  expect_exact(rows, query, 10, {{}, keep});
  for (const std::size_t every : {2U, 20U, 31U, 32U, 33U, 64U, 1000U}) {
    for (std::size_t row = 0; row < keep.size(); ++row) keep[row] = row % every == 0;
    expect_exact(rows, query, 10, {drawn_numbers(5000, signed_value, rng), keep});
    for (std::size_t row = 0; row < 2500; ++row) keep[row] = 0;
    expect_exact(rows, query, 100, {{}, keep});
  }
}

TEST(ScanIndex, EmptyShapes) {
  const Matrix none(0, 5);
  EXPECT_TRUE(ScanIndex(view(none)).search(Numbers(5), 10).empty());
  const Matrix flat(3, 0);
  const Numbers base{1, 3, 2};
  EXPECT_EQ(ScanIndex(view(flat)).search({}, 2, {base, {}}),
            (std::vector<ScoredRow>{{1, 3.0F}, {2, 2.0F}}));
  const Matrix zeros = Matrix::Zero(3, 2);
  EXPECT_EQ(ScanIndex(view(zeros)).search(Numbers{1, 2}, 9),
            (std::vector<ScoredRow>{{0, 0.0F}, {1, 0.0F}, {2, 0.0F}}));
  EXPECT_TRUE(ScanIndex(view(zeros)).search(Numbers{1, 2}, 0).empty());
}

TEST(ScanIndex, RefusesWhatIsNotFiniteOrDoesNotFit) {
  Matrix rows = Matrix::Constant(3000, 3, 1.0F);
  const ScanIndex index(view(rows));
  const Numbers query{1, 2, 3};
  for (const float bad : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_THROW(index.search(Numbers{1, bad, 3}, 1), Error);
    Numbers base(3000);
    base[2999] = bad;
    EXPECT_THROW(index.search(query, 1, {base, {}}), Error);
    Matrix broken = rows;
    broken(2500, 1) = bad;
    EXPECT_THROW(ScanIndex(view(broken), 2), Error);
  }
  EXPECT_THROW(index.search(Numbers{1, 2}, 1), Error);
  EXPECT_THROW(index.search(query, 1, {Numbers(2999), {}}), Error);
  EXPECT_THROW(index.search(query, 1, {{}, std::vector<std::uint8_t>(3001)}), Error);
  try {
    rows(2500, 1) = kInfinity;
    const ScanIndex broken(view(rows));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("row 2500, column 1 is inf"), std::string::npos);
  }
}

}  // namespace scan_index_test
}  // namespace commonplace

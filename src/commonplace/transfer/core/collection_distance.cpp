#include "commonplace/transfer/core/collection_distance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/learn/linear_solver.h"

namespace commonplace::transfer {
namespace {

void check(const ADistanceOptions& options) {
  require(options.items >= 2, "items is ", options.items, "; expected 2 or more of a collection");
  require(options.folds >= 2, "folds is ", options.folds, "; expected 2 or more");
}

/// `count` of the rows in random order.
std::vector<std::int64_t> drawn_rows(std::int64_t rows, std::int64_t count, std::uint64_t seed) {
  constexpr std::uint64_t sample_column = 0x646973746eULL;
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const auto draw = [&](std::int64_t row) {
    return random_bits(seed, static_cast<std::uint64_t>(row), sample_column);
  };
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const std::uint64_t x = draw(a);
    const std::uint64_t y = draw(b);
    return x != y ? x < y : a < b;
  });
  order.resize(static_cast<std::size_t>(count));
  return order;
}

/// The items of both, those of `a` first, as many of each.
Sparse joined_sample(const SparseView& a, const SparseView& b, std::int64_t count,
                     std::uint64_t seed) {
  Sparse result;
  result.columns = a.columns;
  for (const SparseView* from : {&a, &b})
    for (const std::int64_t row : drawn_rows(from->rows, count, seed)) result.push_row(*from, row);
  return result;
}

/// Mistakes among the items of a fold; one that says nothing is half a mistake.
double mistakes(const LinearClassifier& classifier, const SparseView& items, std::int64_t count,
                std::int64_t fold, int folds) {
  double result = 0;
  for (std::int64_t row = 0; row < items.rows; ++row) {
    if (row % count % folds != fold) continue;
    double score = classifier.offset;
    const auto terms = items.row_indices(row);
    const auto values = items.row_values(row);
    if (classifier.weights.size() > 0)
      for (std::size_t i = 0; i < terms.size(); ++i)
        score += classifier.weights[terms[i]] * static_cast<double>(values[i]);
    if (row >= count) score = -score;
    result += score > 0 ? 0 : score < 0 ? 1 : 0.5;
  }
  return result;
}

}  // namespace

double complexity(const SparseView& items, double share) {
  require(share > 0 && share <= 1, "the share of a long-tail feature's items is ", share,
          "; expected more than 0 and at most 1");
  std::vector<std::int64_t> uses(static_cast<std::size_t>(items.columns));
  for (std::int64_t row = 0; row < items.rows; ++row) {
    const auto terms = items.row_indices(row);
    const auto values = items.row_values(row);
    for (std::size_t i = 0; i < terms.size(); ++i)
      if (values[i] != 0) ++uses[static_cast<std::size_t>(terms[i])];
  }
  const double bound = share * static_cast<double>(items.rows);
  std::int64_t occurring = 0;
  std::int64_t rare = 0;
  for (const std::int64_t count : uses) {
    if (count == 0) continue;
    ++occurring;
    if (static_cast<double>(count) < bound) ++rare;
  }
  return occurring == 0 ? 0 : static_cast<double>(rare) / static_cast<double>(occurring);
}

double a_distance(const SparseView& a, const SparseView& b, const ADistanceOptions& options,
                  int jobs) {
  check(options);
  require(a.columns == b.columns, "collections of ", a.columns, " and ", b.columns,
          " features cannot be compared; give both the same vocabulary");
  const std::int64_t count = std::min({options.items, a.rows, b.rows});
  require(count >= 2, "collections of ", a.rows, " and ", b.rows,
          " items cannot be told apart; expected 2 or more of each");
  const int folds = static_cast<int>(std::min<std::int64_t>(options.folds, count));
  const LinearSolverOptions solver{"logistic", options.cost, options.tolerance, 1};
  check_linear(solver);
  const Sparse sample = joined_sample(a, b, count, options.seed);
  const LinearSolverRows rows(sample.view(), solver.bias);
  std::vector<double> wrong(static_cast<std::size_t>(folds));
  parallel_for(
      wrong.size(), jobs,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t fold = begin; fold < end; ++fold) {
          const auto held_out = static_cast<std::int64_t>(fold);
          std::vector<std::int8_t> labels(static_cast<std::size_t>(2 * count));
          for (std::int64_t row = 0; row < 2 * count; ++row)
            if (row % count % folds != held_out)
              labels[static_cast<std::size_t>(row)] = row < count ? 1 : -1;
          wrong[fold] = mistakes(train_classifier(rows, labels, solver), sample.view(), count,
                                 held_out, folds);
        }
      },
      1);
  const double error =
      std::accumulate(wrong.begin(), wrong.end(), 0.0) / static_cast<double>(2 * count);
  return std::clamp(2 * (1 - 2 * error), 0.0, 2.0);
}

}  // namespace commonplace::transfer

// Search by meaning at scale: the best of many vectors of 384 numbers, beside an exact scan of them
// all.
//
//     bench_vector_search [ITEMS] [QUERIES]
//
// The vectors are made: normal along axes whose variances fall as those of MiniLM's vectors of
// 1,200 names and titles do, then of length one. That is harder than what people store, which comes
// in groups. Prints p50 and p99 of one query at a time, and the share of the exact scan's first ten
// and hundred that are among the index's.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <set>
#include <vector>

#include "commonplace/base/clock.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/unit_rows.h"
#include "commonplace/search/core/vector_index.h"

namespace {

using namespace commonplace;

constexpr std::int64_t kColumns = 384;
constexpr std::uint64_t kQuerySeed = 2;

/// The variance along an axis, between measured ones.
double variance(std::int64_t axis) {
  constexpr double at[] = {0, 1, 8, 32, 64, 128, 256, 383};
  constexpr double measured[] = {0.196, 0.0301, 0.0119, 0.00687, 0.00408, 0.00171, 0.00032, 1e-5};
  const auto place = static_cast<double>(axis);
  std::size_t next = 1;
  while (next + 1 < std::size(at) && at[next] < place) ++next;
  const double share = (place - at[next - 1]) / (at[next] - at[next - 1]);
  return std::exp((1 - share) * std::log(measured[next - 1]) + share * std::log(measured[next]));
}

Matrix make_rows(std::int64_t first, std::int64_t count, std::uint64_t seed, int jobs) {
  static const std::vector<float> deviations = [] {
    std::vector<float> result;
    for (std::int64_t axis = 0; axis < kColumns; ++axis)
      result.push_back(static_cast<float>(std::sqrt(variance(axis))));
    return result;
  }();
  Matrix rows(count, kColumns);
  parallel_for(static_cast<std::size_t>(count), jobs, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Rng draw(seed, static_cast<std::uint64_t>(first) + i);
      for (std::int64_t j = 0; j < kColumns; j += 2) {
        const double length = std::sqrt(-2 * std::log(1 - draw.uniform()));
        const double angle = 6.283185307179586 * draw.uniform();
        const auto row = static_cast<Eigen::Index>(i);
        rows(row, j) =
            static_cast<float>(length * std::cos(angle)) * deviations[static_cast<std::size_t>(j)];
        rows(row, j + 1) = static_cast<float>(length * std::sin(angle)) *
                           deviations[static_cast<std::size_t>(j + 1)];
      }
    }
  });
  return unit_rows(std::move(rows), jobs);
}

/// The exact best of all rows for each query, block by block.
std::vector<std::vector<std::int64_t>> exact_best(std::int64_t items, const Matrix& queries,
                                                  std::size_t count, int jobs) {
  using Scored = std::pair<float, std::int64_t>;
  std::vector<std::vector<Scored>> best(static_cast<std::size_t>(queries.rows()));
  constexpr std::int64_t block = 16384;
  for (std::int64_t first = 0; first < items; first += block) {
    const std::int64_t rows = std::min(block, items - first);
    const Matrix scores = multiply_transposed(queries, make_rows(first, rows, 1, jobs), jobs);
    parallel_for(best.size(), jobs, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (std::int64_t row = 0; row < rows; ++row)
          best[i].emplace_back(-scores(static_cast<Eigen::Index>(i), row), first + row);
        const std::size_t kept = std::min(count, best[i].size());
        std::partial_sort(best[i].begin(), best[i].begin() + static_cast<std::ptrdiff_t>(kept),
                          best[i].end());
        best[i].resize(kept);
      }
    });
  }
  std::vector<std::vector<std::int64_t>> rows(best.size());
  for (std::size_t i = 0; i < best.size(); ++i)
    for (const Scored& each : best[i]) rows[i].push_back(each.second);
  return rows;
}

double recall(const std::vector<std::int64_t>& exact, const search::VectorProducts& found,
              std::size_t first) {
  std::vector<std::int64_t> order = found.refined;
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return found.values[static_cast<std::size_t>(a)] > found.values[static_cast<std::size_t>(b)];
  });
  order.resize(std::min(first, order.size()));
  const std::set<std::int64_t> among(order.begin(), order.end());
  std::size_t hits = 0;
  for (std::size_t i = 0; i < std::min(first, exact.size()); ++i) hits += among.count(exact[i]);
  return static_cast<double>(hits) / static_cast<double>(std::min(first, exact.size()));
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t items = argc > 1 ? std::atoll(argv[1]) : 1000000;
  const std::int64_t asked = argc > 2 ? std::atoll(argv[2]) : 100;
  const int jobs = 2;
  const auto begun = Clock::now();
  const search::VectorIndex index = search::make_vector_index(
      items,
      [&](std::int64_t first, std::int64_t count) { return make_rows(first, count, 1, jobs); },
      jobs);
  std::printf("%lld items of %lld numbers: index made, the vectors included, in %.1f s\n",
              static_cast<long long>(items), static_cast<long long>(kColumns),
              seconds_since(begun));
  const Matrix queries = make_rows(0, asked, kQuerySeed, jobs);
  const auto exact = exact_best(items, queries, 100, jobs);
  std::vector<double> milliseconds;
  double in_ten = 0;
  double in_hundred = 0;
  for (std::int64_t i = 0; i < asked; ++i) {
    const Eigen::RowVectorXf query = queries.row(i);
    const auto start = Clock::now();
    const search::VectorProducts found = search::products(index, query, 1000, jobs);
    milliseconds.push_back(1000 * seconds_since(start));
    in_ten += recall(exact[static_cast<std::size_t>(i)], found, 10);
    in_hundred += recall(exact[static_cast<std::size_t>(i)], found, 100);
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  std::printf(
      "a query: p50 %.2f ms, p99 %.2f ms; of the exact first 10 and 100 are found %.4f and "
      "%.4f\n",
      milliseconds[milliseconds.size() / 2], milliseconds[milliseconds.size() * 99 / 100],
      in_ten / static_cast<double>(asked), in_hundred / static_cast<double>(asked));
}

#include "commonplace/learn/row_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/learn/row_means.h"

namespace commonplace {
namespace {

/// The own rows of which the random number is at most `limit`.
std::vector<std::pair<std::uint64_t, std::int64_t>> draws_below(std::int64_t first,
                                                                std::int64_t count,
                                                                std::uint64_t seed,
                                                                std::uint64_t limit) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> result;
  for (std::int64_t row = first; row < first + count; ++row)
    if (const std::uint64_t draw = random_bits(seed, static_cast<std::uint64_t>(row), 0);
        draw <= limit)
      result.emplace_back(draw, row);
  return result;
}

/// The `count` rows of least draws of all ranks, ascending.
std::vector<std::int64_t> chosen_rows(std::int64_t own, const GlobalRows& place, std::int64_t count,
                                      std::uint64_t seed, Comm& comm) {
  constexpr double kAll = 18446744073709551616.0;
  std::vector<std::pair<std::uint64_t, std::int64_t>> draws;
  std::vector<std::int64_t> sizes;
  for (double share = 1.05 * static_cast<double>(count + 20) / static_cast<double>(place.count);;
       share *= 2) {
    const auto limit = share >= 1 ? std::numeric_limits<std::uint64_t>::max()
                                  : static_cast<std::uint64_t>(share * kAll);
    draws = draws_below(place.first, own, seed, limit);
    sizes.assign(static_cast<std::size_t>(comm.size()) + 1, 0);
    sizes[static_cast<std::size_t>(comm.rank()) + 1] = std::ssize(draws);
    comm.sum(std::span<std::int64_t>(sizes));
    for (std::size_t i = 1; i < sizes.size(); ++i) sizes[i] += sizes[i - 1];
    if (sizes.back() >= count) break;
  }
  std::vector<std::int64_t> all(2 * static_cast<std::size_t>(sizes.back()));
  auto at = 2 * static_cast<std::size_t>(sizes[static_cast<std::size_t>(comm.rank())]);
  for (const auto& [draw, row] : draws) {
    all[at++] = static_cast<std::int64_t>(draw);
    all[at++] = row;
  }
  comm.sum(std::span<std::int64_t>(all));
  draws.clear();
  for (std::size_t i = 0; i < all.size(); i += 2)
    draws.emplace_back(static_cast<std::uint64_t>(all[i]), all[i + 1]);
  std::sort(draws.begin(), draws.end());
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i < count; ++i)
    result.push_back(draws[static_cast<std::size_t>(i)].second);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

RowSample sample_rows(const Eigen::Ref<const Matrix>& rows, std::int64_t count, std::uint64_t seed,
                      Comm& comm) {
  const GlobalRows place = global_rows(rows.rows(), comm);
  RowSample result;
  if (place.count <= count) {
    for (std::int64_t row = 0; row < place.count; ++row) result.items.push_back(row);
  } else {
    result.items = chosen_rows(rows.rows(), place, count, seed, comm);
  }
  const auto begin = std::lower_bound(result.items.begin(), result.items.end(), place.first);
  const auto end = std::lower_bound(begin, result.items.end(), place.first + rows.rows());
  Matrix own(end - begin, rows.cols());
  for (auto item = begin; item != end; ++item)
    own.row(item - begin) = rows.row(*item - place.first);
  result.rows = comm.gather_rows(own);
  return result;
}

std::int64_t shared_columns(std::int64_t rows, std::int64_t columns, Comm& comm) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  double extremes[] = {rows > 0 ? static_cast<double>(columns) : kNone,
                       rows > 0 ? -static_cast<double>(columns) : kNone,
                       static_cast<double>(columns)};
  comm.max(extremes);
  if (extremes[0] == kNone) return static_cast<std::int64_t>(extremes[2]);
  require(extremes[0] == -extremes[1], "ranks have ", -extremes[1], " to ", extremes[0],
          " features; give all the same ones");
  return static_cast<std::int64_t>(extremes[0]);
}

std::int64_t check_features(const Eigen::Ref<const Matrix>& rows, Comm& comm) {
  const std::int64_t columns = shared_columns(rows.rows(), rows.cols(), comm);
  const std::int64_t first = global_rows(rows.rows(), comm).first;
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    require(rows.row(row).allFinite(), "row ", first + row + 1,
            " has a feature that is not a finite number; expected only finite ones");
  return columns;
}

}  // namespace commonplace

#include "commonplace/eval/guidance_met.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <mutex>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/simd.h"

// Floats of 0 or more are ordered as their bits are. A first pass counts the distances by the upper
// half of their bits, which tells in which of 65,536 drawers the last of the closest pairs lies; a
// second pass counts the lower halves in the drawers that matter.

namespace commonplace {
namespace {

constexpr std::size_t kDrawers = 1 << 16;
constexpr std::uint32_t kLowerBits = kDrawers - 1;
using Counts = std::vector<std::int64_t>;

void check(const Matrix& from, const Matrix& to, const SparseView& links,
           std::span<const double> shares) {
  require(from.cols() == to.cols(), "rows of ", from.cols(), " coordinates have no distance from ",
          "rows of ", to.cols(), "; give both in the same space");
  require(links.rows == from.rows() && links.columns == to.rows(), "links of ", links.rows, " x ",
          links.columns, " do not fit ", from.rows(), " and ", to.rows(), " rows");
  require(from.allFinite() && to.allFinite(),
          "a coordinate is not a finite number; expected only finite ones");
  for (const double share : shares)
    require(share >= 0 && share <= 1, "a share of the pairs is ", share, "; expected 0 .. 1");
}

COMMONPLACE_CLONES
void add_squares(double x, const double* z, double* into, std::int64_t count) {
  for (std::int64_t j = 0; j < count; ++j) {
    const double difference = x - z[j];
    into[j] += difference * difference;
  }
}

/// Calls make() for an account of a stretch of rows, count(account, row, bits of its squared
/// distances from all others) for each of the rows, and merge(account), one at a time.
template <class Make, class Count, class Merge>
void for_each_row(const Matrix& from, const MatrixD& to_columns, int jobs, const Make& make,
                  const Count& count, const Merge& merge) {
  std::mutex merging;
  const std::size_t chunk =
      static_cast<std::size_t>(from.rows()) / (2 * static_cast<std::size_t>(resolve_jobs(jobs))) +
      1;
  parallel_for(
      static_cast<std::size_t>(from.rows()), jobs,
      [&](std::size_t begin, std::size_t end) {
        auto account = make();
        std::vector<double> squared(static_cast<std::size_t>(to_columns.cols()));
        std::vector<std::uint32_t> bits(squared.size());
        for (std::size_t row = begin; row < end; ++row) {
          std::fill(squared.begin(), squared.end(), 0.0);
          for (Eigen::Index c = 0; c < to_columns.rows(); ++c)
            add_squares(static_cast<double>(from(static_cast<Eigen::Index>(row), c)),
                        to_columns.row(c).data(), squared.data(), std::ssize(squared));
          for (std::size_t j = 0; j < bits.size(); ++j)
            bits[j] = std::bit_cast<std::uint32_t>(static_cast<float>(squared[j]));
          count(account, static_cast<std::int64_t>(row), bits);
        }
        const std::lock_guard lock(merging);
        merge(account);
      },
      chunk);
}

/// What the first pass finds.
struct Survey {
  Counts drawers = Counts(kDrawers);  ///< pairs by the upper half of their bits
  std::vector<std::uint32_t> linked;  ///< the bits of the links, ascending
};

Survey survey(const Matrix& from, const MatrixD& to_columns, const SparseView& links, int jobs) {
  Survey result;
  for_each_row(
      from, to_columns, jobs, [] { return Survey(); },
      [&](Survey& own, std::int64_t row, const std::vector<std::uint32_t>& bits) {
        for (const std::uint32_t distance : bits) ++own.drawers[distance / kDrawers];
        const auto columns = links.row_indices(row);
        const auto values = links.row_values(row);
        for (std::size_t i = 0; i < columns.size(); ++i)
          if (values[i] > 0) own.linked.push_back(bits[static_cast<std::size_t>(columns[i])]);
      },
      [&](const Survey& own) {
        for (std::size_t d = 0; d < kDrawers; ++d) result.drawers[d] += own.drawers[d];
        result.linked.insert(result.linked.end(), own.linked.begin(), own.linked.end());
      });
  std::sort(result.linked.begin(), result.linked.end());
  return result;
}

/// The first place up to which the counts add up to `wanted`, and what is before it.
struct Place {
  std::size_t at = 0;
  double before = 0;
};

Place place_of(const Counts& counts, double wanted) {
  Place result;
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    result = {i, sum};
    sum += static_cast<double>(counts[i]);
    if (sum >= wanted) break;
  }
  return result;
}

/// The pairs of each of the drawers by the lower half of their bits.
std::vector<Counts> open_drawers(const Matrix& from, const MatrixD& to_columns,
                                 const std::vector<std::size_t>& drawers, int jobs) {
  std::vector<std::int32_t> number(kDrawers, -1);
  for (std::size_t i = 0; i < drawers.size(); ++i)
    number[drawers[i]] = static_cast<std::int32_t>(i);
  std::vector<Counts> result(drawers.size(), Counts(kDrawers));
  for_each_row(
      from, to_columns, jobs, [&] { return std::vector<Counts>(drawers.size(), Counts(kDrawers)); },
      [&](std::vector<Counts>& own, std::int64_t, const std::vector<std::uint32_t>& bits) {
        for (const std::uint32_t distance : bits)
          if (const std::int32_t open = number[distance / kDrawers]; open >= 0)
            ++own[static_cast<std::size_t>(open)][distance & kLowerBits];
      },
      [&](const std::vector<Counts>& own) {
        for (std::size_t i = 0; i < result.size(); ++i)
          for (std::size_t d = 0; d < kDrawers; ++d) result[i][d] += own[i][d];
      });
  return result;
}

/// The share of the links that are closer than `edge`, and `part` of those that are as close.
double share_within(const std::vector<std::uint32_t>& linked, std::uint32_t edge, double part) {
  const auto [begin, end] = std::equal_range(linked.begin(), linked.end(), edge);
  return (static_cast<double>(begin - linked.begin()) + part * static_cast<double>(end - begin)) /
         static_cast<double>(linked.size());
}

}  // namespace

std::vector<double> guidance_met(const Matrix& from, const Matrix& to, const SparseView& links,
                                 std::span<const double> shares, int jobs) {
  check(from, to, links, shares);
  const MatrixD to_columns = to.cast<double>().transpose();
  std::vector<double> result(shares.size(), 0.0);
  const Survey all = survey(from, to_columns, links, jobs);
  if (all.linked.empty()) return result;
  const double pairs = static_cast<double>(from.rows()) * static_cast<double>(to.rows());
  std::vector<Place> places;
  std::vector<std::size_t> drawers;
  for (const double share : shares) {
    places.push_back(place_of(all.drawers, share * pairs));
    drawers.push_back(places.back().at);
  }
  std::sort(drawers.begin(), drawers.end());
  drawers.erase(std::unique(drawers.begin(), drawers.end()), drawers.end());
  const std::vector<Counts> opened = open_drawers(from, to_columns, drawers, jobs);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const auto [drawer, before] = places[i];
    const Counts& counts = opened[static_cast<std::size_t>(
        std::lower_bound(drawers.begin(), drawers.end(), drawer) - drawers.begin())];
    const double wanted = shares[i] * pairs - before;
    const Place lower = place_of(counts, wanted);
    const double part =
        std::clamp((wanted - lower.before) / static_cast<double>(counts[lower.at]), 0.0, 1.0);
    result[i] =
        share_within(all.linked, static_cast<std::uint32_t>(drawer * kDrawers + lower.at), part);
  }
  return result;
}

}  // namespace commonplace

#include "commonplace/relate/core/nystrom_choice.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <span>
#include <unordered_set>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/base/simd.h"
#include "commonplace/base/top_k.h"
#include "commonplace/math/squared_differences.h"

namespace commonplace::relate {
namespace {

/// Rows that one thread brings up to date at a time.
constexpr std::int64_t kDrawBlock = 4096;
constexpr std::uint64_t kFarApartStream = 3;

/// Calls visit(column, value) for what is not 0 in a row.
template <class Visit>
void for_each_nonzero(const FeatureRows& rows, std::int64_t row, const Visit& visit) {
  if (rows.is_sparse()) {
    const auto columns = rows.sparse().row_indices(row);
    const auto values = rows.sparse().row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (values[i] != 0) visit(columns[i], values[i]);
    return;
  }
  for (std::int32_t column = 0; column < rows.columns(); ++column)
    if (const float value = rows.dense()(row, column); value != 0) visit(column, value);
}

using Entries = std::vector<std::pair<std::int32_t, float>>;

Entries entries_of(const FeatureRows& rows, std::int64_t row) {
  Entries result;
  for_each_nonzero(rows, row,
                   [&](std::int32_t column, float value) { result.emplace_back(column, value); });
  return result;
}

/// Lowers each of the squared distances to the other one, where that is less; returns their sum.
COMMONPLACE_CLONES
double lower_to(const double* others, double* distances, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    distances[i] = others[i] < distances[i] ? others[i] : distances[i];
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += distances[i];
  return sum;
}

/// Where the running sum of the parts first exceeds `left`, of which the parts before are taken
/// off; never a part of 0. -1 if all are 0.
std::int64_t place_in(std::span<const double> parts, double& left) {
  std::int64_t place = -1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!(parts[i] > 0)) continue;
    place = static_cast<std::int64_t>(i);
    if (left < parts[i]) break;
    left -= parts[i];
  }
  return place;
}

/// Rows that are drawn one after the other with a chance in proportion to the squared distance from
/// those before, as k-means++ does.
class FarApart {
 public:
  explicit FarApart(MatrixD columns)
      : columns_(std::move(columns)),
        distances_(static_cast<std::size_t>(columns_.cols()),
                   std::numeric_limits<double>::infinity()),
        sums_((distances_.size() + kDrawBlock - 1) / kDrawBlock) {}

  void take(std::int64_t row, int jobs) {
    const VectorD centre = columns_.col(row);
    parallel_for(
        distances_.size(), jobs,
        [&](std::size_t begin, std::size_t end) {
          std::vector<double> squared(end - begin);
          const auto count = std::ssize(squared);
          for (Eigen::Index c = 0; c < columns_.rows(); ++c)
            add_squared_differences(centre[c], columns_.row(c).data() + begin, squared.data(),
                                    count);
          sums_[begin / kDrawBlock] = lower_to(squared.data(), distances_.data() + begin, count);
        },
        kDrawBlock);
  }

  /// The row at `share` of the sum of all squared distances; -1 if that is 0.
  std::int64_t next(double share) const {
    double left = share * std::accumulate(sums_.begin(), sums_.end(), 0.0);
    const std::int64_t block = place_in(sums_, left);
    if (block < 0) return -1;
    const auto first = static_cast<std::size_t>(block) * kDrawBlock;
    const auto count = std::min<std::size_t>(kDrawBlock, distances_.size() - first);
    return static_cast<std::int64_t>(first) +
           place_in(std::span(distances_).subspan(first, count), left);
  }

 private:
  MatrixD columns_;  ///< d x n
  std::vector<double> distances_;
  std::vector<double> sums_;  ///< of each kDrawBlock distances
};

}  // namespace

std::vector<std::int64_t> distinct_rows(const FeatureRows& rows, bool but_zeros) {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(rows.rows()), 0);
  for (std::size_t row = 0; row < hashes.size(); ++row)
    for_each_nonzero(rows, static_cast<std::int64_t>(row), [&](std::int32_t column, float value) {
      hashes[row] = random_bits(hashes[row], static_cast<std::uint64_t>(column),
                                std::bit_cast<std::uint32_t>(value));
    });
  const auto hash = [&](std::int64_t row) { return hashes[static_cast<std::size_t>(row)]; };
  const auto equal = [&](std::int64_t a, std::int64_t b) {
    return hash(a) == hash(b) && entries_of(rows, a) == entries_of(rows, b);
  };
  std::unordered_set<std::int64_t, decltype(hash), decltype(equal)> seen(hashes.size(), hash,
                                                                         equal);
  std::vector<std::int64_t> result;
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    // A row without entries has the hash 0, and only very few others have.
    if (but_zeros && hash(row) == 0 && entries_of(rows, row).empty()) continue;
    if (seen.insert(row).second) result.push_back(row);
  }
  return result;
}

std::vector<std::int64_t> draw_rows(const std::vector<std::int64_t>& from, std::int64_t count,
                                    std::uint64_t seed, std::uint64_t stream) {
  return sample_by(from, count, [&](std::int64_t row) {
    return random_bits(seed, stream, static_cast<std::uint64_t>(row));
  });
}

std::vector<std::int64_t> draw_far_apart(MatrixD columns, std::int64_t count, std::uint64_t seed,
                                         int jobs) {
  require(columns.cols() >= 1 && count >= 1, "there are ", columns.cols(), " rows to draw ", count,
          " from; expected 1 or more of both");
  auto next = static_cast<std::int64_t>(random_uniform(seed, kFarApartStream, 0) *
                                        static_cast<double>(columns.cols()));
  FarApart drawn(std::move(columns));
  std::vector<std::int64_t> result;
  while (next >= 0) {
    result.push_back(next);
    if (std::ssize(result) == count) break;
    drawn.take(next, jobs);
    next = drawn.next(random_uniform(seed, kFarApartStream, result.size()));
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace commonplace::relate

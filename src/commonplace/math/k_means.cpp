#include "commonplace/math/k_means.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/dense_products.h"

namespace commonplace {
namespace {

constexpr std::int64_t kProductsAtATime = 1 << 22;
constexpr std::int64_t kLeastRowsToSeedFrom = 4096;
constexpr std::int64_t kRowsToSeedFromACluster = 16;
/// Streams of draws, so that no two uses of a seed share one.
constexpr std::uint64_t kRowStream = 1;
constexpr std::uint64_t kCentreStream = 2;

using Rows = Eigen::Ref<const Matrix>;

VectorD squared_lengths(const Rows& rows) {
  VectorD result(rows.rows());
  for (std::int64_t row = 0; row < rows.rows(); ++row)
    result(row) = rows.row(row).cast<double>().squaredNorm();
  return result;
}

void check(const Rows& rows, const KMeansOptions& options) {
  require(options.clusters >= 1 && options.clusters <= std::numeric_limits<std::int32_t>::max(),
          "clusters is ", options.clusters, "; expected 1 or more");
  require(options.iterations >= 0, "iterations is ", options.iterations, "; expected 0 or more");
  require(rows.rows() >= options.clusters, "there are ", rows.rows(), " rows to find ",
          options.clusters, " centres of; give at least as many rows, or ask for fewer centres");
  require(rows.allFinite(), "the rows to find centres of hold a number that is not finite");
}

/// `count` of the row numbers 0 .. rows-1, in random order.
std::vector<std::int64_t> draw_rows(std::int64_t rows, std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    const double at = random_uniform(seed, kRowStream, static_cast<std::uint64_t>(i));
    const auto other = i + static_cast<std::int64_t>(at * static_cast<double>(rows - i));
    std::swap(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(other)]);
  }
  all.resize(static_cast<std::size_t>(count));
  return all;
}

/// The place where the running sum of `weights` first exceeds `share` of their total.
std::int64_t draw_by_weight(const std::vector<float>& weights, double share) {
  double total = 0;
  for (const float weight : weights) total += static_cast<double>(weight);
  double left = share * total;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last = i;
    left -= static_cast<double>(weights[i]);
    if (left < 0) break;
  }
  return static_cast<std::int64_t>(last);
}

Matrix first_centres(const Rows& rows, const KMeansOptions& options) {
  const std::int64_t wanted =
      std::max(kLeastRowsToSeedFrom, kRowsToSeedFromACluster * options.clusters);
  const auto drawn = draw_rows(rows.rows(), std::min(rows.rows(), wanted), options.seed);
  Matrix part(std::ssize(drawn), rows.cols());
  for (std::size_t i = 0; i < drawn.size(); ++i)
    part.row(static_cast<std::int64_t>(i)) = rows.row(drawn[i]);

  Matrix centres(options.clusters, rows.cols());
  std::vector<float> distance(drawn.size(), std::numeric_limits<float>::max());
  for (std::int64_t k = 0; k < options.clusters; ++k) {
    const double share = random_uniform(options.seed, kCentreStream, static_cast<std::uint64_t>(k));
    // Where all rows coincide with a centre, one is as good as another.
    const bool any = std::any_of(distance.begin(), distance.end(), [](float d) { return d > 0; });
    const std::int64_t chosen = k == 0 || !any ? k : draw_by_weight(distance, share);
    centres.row(k) = part.row(chosen);
    const NearestCentres fresh = nearest_centres(part, centres.row(k), options.jobs);
    for (std::size_t i = 0; i < distance.size(); ++i)
      distance[i] = std::min(distance[i], fresh.squared_distance[i]);
    distance[static_cast<std::size_t>(chosen)] = 0;
  }
  return centres;
}

/// The rows of each centre: those of centre k are rows[starts[k]] .. rows[starts[k+1]-1].
struct Members {
  std::vector<std::size_t> starts;
  std::vector<std::int64_t> rows;
};

Members members_of(const std::vector<std::int32_t>& centre, std::int64_t clusters) {
  Members members;
  members.starts.assign(static_cast<std::size_t>(clusters) + 1, 0);
  for (const std::int32_t k : centre) ++members.starts[static_cast<std::size_t>(k) + 1];
  std::partial_sum(members.starts.begin(), members.starts.end(), members.starts.begin());
  members.rows.resize(centre.size());
  std::vector<std::size_t> next = members.starts;
  for (std::size_t row = 0; row < centre.size(); ++row)
    members.rows[next[static_cast<std::size_t>(centre[row])]++] = static_cast<std::int64_t>(row);
  return members;
}

/// Gives each centre without rows the row that is farthest from its own centre.
void fill_empty(NearestCentres& nearest, std::int64_t clusters) {
  std::vector<std::int64_t> count(static_cast<std::size_t>(clusters), 0);
  for (const std::int32_t k : nearest.centre) ++count[static_cast<std::size_t>(k)];
  for (std::int64_t k = 0; k < clusters; ++k) {
    if (count[static_cast<std::size_t>(k)] > 0) continue;
    std::size_t farthest = nearest.centre.size();
    for (std::size_t row = 0; row < nearest.centre.size(); ++row) {
      const bool spare = count[static_cast<std::size_t>(nearest.centre[row])] > 1;
      if (spare && (farthest == nearest.centre.size() ||
                    nearest.squared_distance[row] > nearest.squared_distance[farthest]))
        farthest = row;
    }
    --count[static_cast<std::size_t>(nearest.centre[farthest])];
    ++count[static_cast<std::size_t>(k)];
    nearest.centre[farthest] = static_cast<std::int32_t>(k);
    nearest.squared_distance[farthest] = 0;
  }
}

Matrix means_of(const Rows& rows, const std::vector<std::int32_t>& centre,
                const KMeansOptions& options) {
  const Members members = members_of(centre, options.clusters);
  Matrix means(options.clusters, rows.cols());
  parallel_for(
      static_cast<std::size_t>(options.clusters), options.jobs,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.cols());
          for (std::size_t i = members.starts[k]; i < members.starts[k + 1]; ++i)
            sum += rows.row(members.rows[i]).cast<double>();
          sum /= static_cast<double>(members.starts[k + 1] - members.starts[k]);
          means.row(static_cast<std::int64_t>(k)) = sum.cast<float>();
        }
      },
      1);
  return means;
}

}  // namespace

NearestCentres nearest_centres(const Rows& rows, const Rows& centres, int jobs) {
  require(centres.rows() >= 1, "there are no centres to be near to");
  require(rows.cols() == centres.cols(), "rows of ", rows.cols(), " and centres of ",
          centres.cols(), " columns have no distance");
  const VectorD centre_lengths = squared_lengths(centres);
  NearestCentres result;
  result.centre.resize(static_cast<std::size_t>(rows.rows()));
  result.squared_distance.resize(static_cast<std::size_t>(rows.rows()));
  const std::int64_t step = std::max<std::int64_t>(1, kProductsAtATime / centres.rows());
  for (std::int64_t first = 0; first < rows.rows(); first += step) {
    const auto block = rows.middleRows(first, std::min(step, rows.rows() - first));
    const Matrix products = multiply_transposed(block, centres, jobs);
    parallel_for(
        static_cast<std::size_t>(block.rows()), jobs, [&](std::size_t begin, std::size_t end) {
          for (auto i = static_cast<std::int64_t>(begin); i < static_cast<std::int64_t>(end); ++i) {
            Eigen::Index best = 0;
            const double least =
                (centre_lengths.transpose() - 2 * products.row(i).cast<double>()).minCoeff(&best);
            const double length = block.row(i).cast<double>().squaredNorm();
            const auto row = static_cast<std::size_t>(first + i);
            result.centre[row] = static_cast<std::int32_t>(best);
            result.squared_distance[row] = static_cast<float>(std::max(0.0, length + least));
          }
        });
  }
  return result;
}

Matrix k_means(const Rows& rows, const KMeansOptions& options, const Progress& progress) {
  return k_means(
      rows, options,
      [&](const Matrix& centres) { return nearest_centres(rows, centres, options.jobs); },
      progress);
}

Matrix k_means(const Rows& rows, const KMeansOptions& options,
               const std::function<NearestCentres(const Matrix& centres)>& find_nearest,
               const Progress& progress) {
  check(rows, options);
  Matrix centres = first_centres(rows, options);
  std::vector<std::int32_t> before;
  for (int iteration = 0; iteration < options.iterations; ++iteration) {
    progress({"finding centres", static_cast<std::uint64_t>(iteration),
              static_cast<std::uint64_t>(options.iterations), "iterations"});
    NearestCentres nearest = find_nearest(centres);
    fill_empty(nearest, options.clusters);
    if (nearest.centre == before) break;
    centres = means_of(rows, nearest.centre, options);
    before = std::move(nearest.centre);
  }
  return centres;
}

}  // namespace commonplace

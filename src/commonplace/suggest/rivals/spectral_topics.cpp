#include "commonplace/suggest/rivals/spectral_topics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/decompose.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/math/unit_rows.h"

namespace commonplace::suggest {
namespace {

constexpr int kSubspaceSteps = 6;
/// More vectors than asked for, so that the last ones are good too.
constexpr std::int64_t kSpareVectors = 10;
constexpr int kClusterSteps = 50;
/// Singular values below this part of the largest are zero.
constexpr double kNothing = 1e-9;

/// The nearest centre of each row and, in `distance`, how far it is, squared.
std::vector<std::int32_t> nearest_centres(const Matrix& rows, const Matrix& centres, int jobs,
                                          std::vector<double>& distance) {
  const Matrix products = multiply_transposed(rows, centres, jobs);
  const VectorD lengths = centres.cast<double>().rowwise().squaredNorm();
  std::vector<std::int32_t> result(static_cast<std::size_t>(rows.rows()));
  distance.resize(result.size());
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    const double length = rows.row(row).cast<double>().squaredNorm();
    double best = std::numeric_limits<double>::infinity();
    for (Eigen::Index k = 0; k < centres.rows(); ++k) {
      const double here = length + lengths(k) - 2 * static_cast<double>(products(row, k));
      if (here >= best) continue;
      best = here;
      result[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(k);
    }
    distance[static_cast<std::size_t>(row)] = std::max(0.0, best);
  }
  return result;
}

/// Rows drawn with the squared distance from those drawn before.
Matrix first_centres(const Matrix& rows, std::int64_t count, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> distance(static_cast<std::size_t>(rows.rows()),
                               std::numeric_limits<double>::infinity());
  std::vector<Eigen::Index> drawn = {
      static_cast<Eigen::Index>(rng.below(static_cast<std::uint64_t>(rows.rows())))};
  while (std::ssize(drawn) < count) {
    double total = 0;
    for (Eigen::Index row = 0; row < rows.rows(); ++row) {
      double& own = distance[static_cast<std::size_t>(row)];
      own = std::min(own,
                     static_cast<double>((rows.row(row) - rows.row(drawn.back())).squaredNorm()));
      total += own;
    }
    if (!(total > 0)) break;
    double left = rng.uniform() * total;
    Eigen::Index next = -1;
    for (Eigen::Index row = 0; row < rows.rows() && left >= 0; ++row)
      if (distance[static_cast<std::size_t>(row)] > 0) {
        next = row;
        left -= distance[static_cast<std::size_t>(row)];
      }
    drawn.push_back(next);
  }
  return rows(drawn, Eigen::all);
}

/// The means of the clusters; one that lost all its rows moves to the row farthest from its centre.
Matrix means(const Matrix& rows, const std::vector<std::int32_t>& cluster,
             const std::vector<double>& distance, Eigen::Index count) {
  MatrixD sums = MatrixD::Zero(count, rows.cols());
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(count));
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    const std::int32_t own = cluster[static_cast<std::size_t>(row)];
    sums.row(own) += rows.row(row).cast<double>();
    ++sizes[static_cast<std::size_t>(own)];
  }
  const auto farthest = std::max_element(distance.begin(), distance.end()) - distance.begin();
  for (Eigen::Index k = 0; k < count; ++k)
    if (sizes[static_cast<std::size_t>(k)] > 0)
      sums.row(k) /= static_cast<double>(sizes[static_cast<std::size_t>(k)]);
    else
      sums.row(k) = rows.row(farthest).cast<double>();
  return sums.cast<float>();
}

/// Numbers in the order of their first use, without gaps; returns how many.
std::int64_t renumber(std::vector<std::int32_t>& cluster) {
  std::vector<std::int32_t> number;
  std::int32_t next = 0;
  for (std::int32_t& own : cluster) {
    if (static_cast<std::size_t>(own) >= number.size())
      number.resize(static_cast<std::size_t>(own) + 1, -1);
    std::int32_t& to = number[static_cast<std::size_t>(own)];
    if (to < 0) to = next++;
    own = to;
  }
  return next;
}

/// Appends a row's entries, scaled so that they sum to `weight`, `shift` columns to the right.
void push_scaled(const SparseView& from, std::int64_t row, double weight, std::int64_t shift,
                 Sparse& into) {
  const auto columns = from.row_indices(row);
  const auto values = from.row_values(row);
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value);
  if (!(sum > 0)) return;
  for (std::size_t i = 0; i < columns.size(); ++i)
    into.push(static_cast<std::int32_t>(columns[i] + shift),
              static_cast<float>(weight * static_cast<double>(values[i]) / sum));
}

/// Each entry divided by the roots of the sums of its row and its column.
void normalise_graph(Sparse& graph) {
  std::vector<double> columns(static_cast<std::size_t>(graph.columns));
  std::vector<double> rows(static_cast<std::size_t>(graph.rows()));
  const auto for_each_entry = [&](const auto& act) {
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (auto i = static_cast<std::size_t>(graph.starts[row]);
           i < static_cast<std::size_t>(graph.starts[row + 1]); ++i)
        act(rows[row], columns[static_cast<std::size_t>(graph.indices[i])], graph.values[i]);
  };
  for_each_entry([](double& row, double& column, float value) {
    row += static_cast<double>(value);
    column += static_cast<double>(value);
  });
  for_each_entry([](double& row, double& column, float& value) {
    if (value > 0) value = static_cast<float>(static_cast<double>(value) / std::sqrt(row * column));
  });
}

}  // namespace

MatrixD leading_vectors(const SparseView& a, std::int64_t rank, std::uint64_t seed, int jobs) {
  require(rank >= 1, "a rank of ", rank, " was asked for; expected 1 or more");
  const std::int64_t width = std::min({rank + kSpareVectors, a.rows, a.columns});
  MatrixD start(a.columns, width);
  for (Eigen::Index i = 0; i < start.rows(); ++i)
    for (Eigen::Index j = 0; j < start.cols(); ++j)
      start(i, j) =
          random_uniform(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) - 0.5;
  MatrixD left;
  for (int step = 0; step < kSubspaceSteps; ++step) {
    left = orthonormal_columns(multiply(a, start, jobs));
    start = transposed_multiply(a, left, jobs);
    if (step + 1 < kSubspaceSteps) start = orthonormal_columns(start);
  }
  // Now `start` is Aᵀ Q, so that the left vectors of A in the span of Q are Q times its right ones.
  const MatrixD gram = multiply(MatrixD(start.transpose()), start, jobs);
  const SymmetricEigen eigen = symmetric_eigen(gram);
  const double largest = width > 0 ? eigen.values(width - 1) : 0;
  std::int64_t kept = 0;
  while (kept < std::min(rank, width) &&
         eigen.values(width - 1 - kept) > kNothing * kNothing * largest)
    ++kept;
  const MatrixD turn = eigen.vectors.rightCols(kept).rowwise().reverse();
  return multiply(left, turn, jobs);
}

std::vector<std::int32_t> cluster_rows(const Matrix& rows, std::int64_t count, std::uint64_t seed,
                                       int jobs) {
  require(count >= 1, count, " clusters were asked for; expected 1 or more");
  if (rows.rows() == 0) return {};
  Matrix centres = first_centres(rows, std::min(count, rows.rows()), seed);
  std::vector<double> distance;
  std::vector<std::int32_t> cluster;
  for (int step = 0; step < kClusterSteps; ++step) {
    std::vector<std::int32_t> next = nearest_centres(rows, centres, jobs, distance);
    if (next == cluster) break;
    cluster = std::move(next);
    centres = means(rows, cluster, distance, centres.rows());
  }
  renumber(cluster);
  return cluster;
}

SpectralTopics spectral_topics(const SparseView& words, const SparseView& tags, std::int64_t count,
                               double tag_weight, std::uint64_t seed, int jobs) {
  require(words.rows == tags.rows, "there are words of ", words.rows, " items and tags of ",
          tags.rows, "; give both of the same items");
  Sparse graph;
  graph.columns = words.columns + tags.columns;
  for (std::int64_t item = 0; item < words.rows; ++item) {
    push_scaled(words, item, 1 - tag_weight, 0, graph);
    push_scaled(tags, item, tag_weight, words.columns, graph);
    graph.end_row();
  }
  normalise_graph(graph);
  SpectralTopics result;
  result.places = unit_rows(leading_vectors(graph.view(), count, seed, jobs).cast<float>(), jobs);
  result.topic = cluster_rows(result.places, count, seed, jobs);
  result.count = renumber(result.topic);
  return result;
}

}  // namespace commonplace::suggest

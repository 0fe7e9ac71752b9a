#include "commonplace/learn/neighbour_graph.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/base/top_k.h"
#include "commonplace/learn/labelled_rows.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"
#include "commonplace/math/unit_rows.h"

namespace commonplace {
namespace {

constexpr std::int64_t kProductsAtOnce = 1 << 23;
/// Neighbours by products in float that are looked at besides those asked for.
constexpr std::int64_t kSpare = 8;
constexpr double kLeastWeight = 1e-12;

/// Rows whose distances are wanted, near the origin, as products in float then lose least.
Matrix centred(const Eigen::Ref<const Matrix>& rows) {
  const Eigen::RowVectorXd mean = rows.cast<double>().colwise().mean();
  return (rows.cast<double>().rowwise() - mean).cast<float>();
}

double squared_distance(const float* a, const float* b, Eigen::Index size) {
  double sum = 0;
  for (Eigen::Index i = 0; i < size; ++i) {
    const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    sum += difference * difference;
  }
  return sum;
}

/// The nearest of row `own`, nearest first; `products` are those with all rows.
std::vector<Neighbour> nearest(const Matrix& rows, const VectorD& half_norms, const float* products,
                               Eigen::Index own, std::size_t count,
                               std::vector<Neighbour>& others) {
  others.clear();
  for (Eigen::Index row = 0; row < rows.rows(); ++row)
    if (row != own)
      others.push_back(
          {static_cast<std::int32_t>(row), half_norms(row) - static_cast<double>(products[row])});
  keep_first_unordered(others, static_cast<std::int64_t>(count + kSpare), is_nearer);
  for (Neighbour& other : others)
    other.distance =
        squared_distance(rows.row(own).data(), rows.row(other.row).data(), rows.cols());
  std::sort(others.begin(), others.end(), is_nearer);
  return {others.begin(),
          others.begin() + static_cast<std::ptrdiff_t>(std::min(count, others.size()))};
}

std::vector<std::vector<Neighbour>> nearest_of_all(const Matrix& rows, std::int64_t count,
                                                   int jobs) {
  const VectorD half_norms = 0.5 * rows.cast<double>().rowwise().squaredNorm();
  std::vector<std::vector<Neighbour>> result(static_cast<std::size_t>(rows.rows()));
  const std::int64_t block = std::max<std::int64_t>(1, kProductsAtOnce / rows.rows());
  for (std::int64_t first = 0; first < rows.rows(); first += block) {
    const auto part = rows.middleRows(first, std::min(block, rows.rows() - first));
    const Matrix products = multiply_transposed(part, rows, jobs);
    parallel_for(
        static_cast<std::size_t>(part.rows()), jobs, [&](std::size_t begin, std::size_t end) {
          std::vector<Neighbour> others;
          for (auto i = static_cast<Eigen::Index>(begin); i < static_cast<Eigen::Index>(end); ++i)
            result[static_cast<std::size_t>(first + i)] =
                nearest(rows, half_norms, products.row(i).data(), first + i,
                        static_cast<std::size_t>(count), others);
        });
  }
  return result;
}

/// Both ways, by ascending row, each once.
void make_mutual(std::vector<std::vector<Neighbour>>& neighbours) {
  std::vector<std::vector<Neighbour>> back(neighbours.size());
  for (std::size_t row = 0; row < neighbours.size(); ++row)
    for (const Neighbour& other : neighbours[row])
      back[static_cast<std::size_t>(other.row)].push_back(
          {static_cast<std::int32_t>(row), other.distance});
  for (std::size_t row = 0; row < neighbours.size(); ++row) {
    auto& own = neighbours[row];
    own.insert(own.end(), back[row].begin(), back[row].end());
    std::sort(own.begin(), own.end(),
              [](const Neighbour& a, const Neighbour& b) { return a.row < b.row; });
    own.erase(std::unique(own.begin(), own.end(),
                          [](const Neighbour& a, const Neighbour& b) { return a.row == b.row; }),
              own.end());
  }
}

double weight_of(double squared, double bandwidth) {
  if (!(bandwidth > 0)) return squared > 0 ? kLeastWeight : 1;
  return std::max(kLeastWeight, std::exp(-squared / (2 * bandwidth * bandwidth)));
}

/// The place of an entry among those of its row, or -1.
std::ptrdiff_t place_in_row(const SparseView& matrix, std::int64_t row, std::int32_t column) {
  const auto columns = matrix.row_indices(row);
  const auto at = std::lower_bound(columns.begin(), columns.end(), column);
  return at != columns.end() && *at == column ? at - columns.begin() : -1;
}

void check_graph(const SparseView& weights) {
  require(weights.rows == weights.columns, "the graph is ", weights.rows, " x ", weights.columns,
          "; expected as many columns as rows");
  for (std::int64_t row = 0; row < weights.rows; ++row) {
    const auto columns = weights.row_indices(row);
    const auto values = weights.row_values(row);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      require(std::isfinite(values[i]) && values[i] >= 0, "items ", row, " and ", columns[i],
              " are tied with the weight ", values[i], "; expected 0 or more");
      const std::ptrdiff_t back = place_in_row(weights, columns[i], static_cast<std::int32_t>(row));
      require(
          back >= 0 && weights.row_values(columns[i])[static_cast<std::size_t>(back)] == values[i],
          "item ", row, " is tied to ", columns[i], " with the weight ", values[i],
          " but not the other way round; expected a symmetric graph");
    }
  }
}

/// The mean distance of an item from the farthest of its nearest.
double mean_reach(const std::vector<std::vector<Neighbour>>& nearest) {
  double sum = 0;
  std::int64_t count = 0;
  for (const auto& own : nearest) {
    if (own.empty()) continue;
    sum += std::sqrt(own.back().distance);
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

}  // namespace

void check_graph_options(const NeighbourGraphOptions& options) {
  require(options.neighbours >= 1, "neighbours is ", options.neighbours, "; expected 1 or more");
  require(options.metric == "cosine" || options.metric == "euclidean", "metric is '",
          options.metric, "'; expected cosine or euclidean");
  require(options.bandwidth >= 0 && std::isfinite(options.bandwidth), "bandwidth is ",
          options.bandwidth, "; expected 0 or more");
}

NeighbourGraph tie_neighbours(std::vector<std::vector<Neighbour>> nearest, double bandwidth) {
  NeighbourGraph result;
  result.bandwidth = bandwidth > 0 ? bandwidth : mean_reach(nearest);
  make_mutual(nearest);
  result.weights.columns = std::ssize(nearest);
  for (const auto& own : nearest) {
    for (const Neighbour& other : own)
      result.weights.push(other.row,
                          static_cast<float>(weight_of(other.distance, result.bandwidth)));
    result.weights.end_row();
  }
  return result;
}

NeighbourGraph neighbour_graph(const Eigen::Ref<const Matrix>& rows,
                               const NeighbourGraphOptions& options, int jobs) {
  check_graph_options(options);
  check_dense_rows(rows);
  require(rows.rows() >= 2, "a graph of ", rows.rows(), " item has no neighbours; give 2 or more");
  const std::int64_t count = std::min<std::int64_t>(options.neighbours, rows.rows() - 1);
  auto neighbours = nearest_of_all(
      options.metric == "cosine" ? unit_rows(rows, jobs) : centred(rows), count, jobs);
  return tie_neighbours(std::move(neighbours), options.bandwidth);
}

NormalisedGraph::NormalisedGraph(const SparseView& weights)
    : weights_(weights),
      degrees_(VectorD::Zero(weights.rows)),
      scale_(VectorD::Zero(weights.rows)) {
  check_graph(weights);
  for (std::int64_t row = 0; row < weights.rows; ++row) {
    for (const float value : weights.row_values(row)) degrees_(row) += static_cast<double>(value);
    if (degrees_(row) > 0) scale_(row) = 1 / std::sqrt(degrees_(row));
  }
}

MatrixD NormalisedGraph::multiply(const MatrixD& x, int jobs) const {
  require(x.rows() == weights_.rows, "there are ", x.rows(), " rows for a graph of ", weights_.rows,
          " items; give one each");
  const MatrixD scaled = scale_.asDiagonal() * x;
  MatrixD result = commonplace::multiply(weights_, scaled, jobs);
  for (Eigen::Index row = 0; row < result.rows(); ++row) result.row(row) *= scale_(row);
  return result;
}

std::vector<std::int32_t> connected_parts(const SparseView& weights) {
  require(weights.rows == weights.columns, "the graph is ", weights.rows, " x ", weights.columns,
          "; expected as many columns as rows");
  std::vector<std::int32_t> part(static_cast<std::size_t>(weights.rows), -1);
  std::vector<std::int64_t> todo;
  std::int32_t count = 0;
  for (std::int64_t first = 0; first < weights.rows; ++first) {
    if (part[static_cast<std::size_t>(first)] >= 0) continue;
    part[static_cast<std::size_t>(first)] = count;
    todo.push_back(first);
    while (!todo.empty()) {
      const std::int64_t item = todo.back();
      todo.pop_back();
      const auto columns = weights.row_indices(item);
      const auto values = weights.row_values(item);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        std::int32_t& other = part[static_cast<std::size_t>(columns[i])];
        if (other >= 0 || !(values[i] > 0)) continue;
        other = count;
        todo.push_back(columns[i]);
      }
    }
    ++count;
  }
  return part;
}

}  // namespace commonplace

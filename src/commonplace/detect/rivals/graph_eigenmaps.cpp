#include "commonplace/detect/rivals/graph_eigenmaps.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <Spectra/SymEigsSolver.h>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/learn/neighbour_graph.h"
#include "commonplace/math/decompose.h"

namespace commonplace::detect {
namespace {

/// Fewer items than this are given to the dense solver.
constexpr std::int64_t kFewItems = 100;
/// Vectors of the Lanczos method, at least.
constexpr std::int64_t kLeastBasis = 20;

void check(const GraphEigenmapOptions& options) {
  require(options.count >= 1, "count is ", options.count, "; expected 1 or more");
  require(options.tolerance > 0 && std::isfinite(options.tolerance), "tolerance is ",
          options.tolerance, "; expected more than 0");
  require(options.iterations >= 1, "iterations is ", options.iterations, "; expected 1 or more");
}

/// The vectors of eigenvalue 0 that are known: D^½ 1 on each connected part by itself, of length
/// one. Items that are tied to nothing are in none.
struct KnownVectors {
  std::vector<std::int32_t> part;  ///< of each item, -1 for none; parts by descending volume
  VectorD entry;                   ///< of each item in the vector of its part
  VectorD volume;                  ///< of each part: the sum of the degrees
};

KnownVectors known_vectors(const SparseView& weights, const VectorD& degrees) {
  KnownVectors result{connected_parts(weights), VectorD::Zero(weights.rows), {}};
  const auto items = result.part.size();
  std::vector<double> volume;
  for (std::size_t item = 0; item < items; ++item) {
    const auto part = static_cast<std::size_t>(result.part[item]);
    if (part >= volume.size()) volume.resize(part + 1);
    volume[part] += degrees(static_cast<Eigen::Index>(item));
  }
  std::vector<std::size_t> order(volume.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return volume[a] > volume[b]; });
  std::vector<std::int32_t> number(volume.size(), -1);
  result.volume.resize(std::count_if(volume.begin(), volume.end(), [](double v) { return v > 0; }));
  for (Eigen::Index i = 0; i < result.volume.size(); ++i) {
    result.volume(i) = volume[order[static_cast<std::size_t>(i)]];
    number[order[static_cast<std::size_t>(i)]] = static_cast<std::int32_t>(i);
  }
  for (std::size_t item = 0; item < items; ++item) {
    std::int32_t& part = result.part[item];
    part = number[static_cast<std::size_t>(part)];
    if (part < 0) continue;
    const auto row = static_cast<Eigen::Index>(item);
    result.entry(row) = std::sqrt(degrees(row) / result.volume(part));
  }
  return result;
}

/// `count` vectors of eigenvalue 0 that are orthogonal to D^½ 1 and to each other: columns of the
/// reflection that turns the first unit vector to the parts' shares in D^½ 1.
MatrixD vectors_of_parts(const KnownVectors& known, std::int64_t count) {
  VectorD mirror = -(known.volume / known.volume.sum()).cwiseSqrt();
  mirror(0) += 1;
  const double square = mirror.squaredNorm();
  MatrixD result = MatrixD::Zero(known.entry.size(), count);
  for (Eigen::Index row = 0; row < result.rows(); ++row) {
    const std::int32_t part = known.part[static_cast<std::size_t>(row)];
    if (part < 0) continue;
    for (Eigen::Index column = 0; column < count; ++column)
      result(row, column) = known.entry(row) * ((part == column + 1 ? 1.0 : 0.0) -
                                                2 * mirror(part) * mirror(column + 1) / square);
  }
  return result;
}

/// S with the known vectors moved from the eigenvalue 1 to -2, below all others.
class WithoutKnown {
 public:
  using Scalar = double;

  WithoutKnown(const NormalisedGraph& graph, const KnownVectors& known, const Run& run)
      : graph_(graph), known_(known), run_(run) {}

  Eigen::Index rows() const { return graph_.items(); }
  Eigen::Index cols() const { return graph_.items(); }

  void perform_op(const double* x, double* y) const {
    const Eigen::Map<const VectorD> in(x, rows());
    Eigen::Map<VectorD>(y, rows()) = multiply(in);
  }
  MatrixD multiply(const MatrixD& x) const {
    run_.progress({"finding eigenvectors of a graph", ++products_, 0, "products"});
    MatrixD result = graph_.multiply(x, run_.jobs);
    MatrixD products = MatrixD::Zero(known_.volume.size(), x.cols());
    for (Eigen::Index row = 0; row < x.rows(); ++row)
      if (const std::int32_t part = known_.part[static_cast<std::size_t>(row)]; part >= 0)
        products.row(part) += known_.entry(row) * x.row(row);
    for (Eigen::Index row = 0; row < x.rows(); ++row)
      if (const std::int32_t part = known_.part[static_cast<std::size_t>(row)]; part >= 0)
        result.row(row) -= 3 * known_.entry(row) * products.row(part);
    return result;
  }

 private:
  const NormalisedGraph& graph_;
  const KnownVectors& known_;
  Run run_;
  mutable std::uint64_t products_ = 0;
};

struct Pairs {
  VectorD eigenvalues;  ///< of L, ascending
  MatrixD vectors;
  int iterations = 1;
};

Pairs solve_dense(const WithoutKnown& matrix, std::int64_t count) {
  const MatrixD whole = matrix.multiply(MatrixD::Identity(matrix.rows(), matrix.rows()));
  const SymmetricEigen eigen = symmetric_eigen(whole);
  return {1 - eigen.values.tail(count).reverse().array(),
          eigen.vectors.rightCols(count).rowwise().reverse()};
}

Pairs solve_lanczos(WithoutKnown& matrix, std::int64_t count, const GraphEigenmapOptions& options) {
  const std::int64_t basis =
      std::min<std::int64_t>(matrix.rows(), std::max(2 * count + 1, kLeastBasis));
  Spectra::SymEigsSolver<WithoutKnown> solver(matrix, count, basis);
  VectorD start(matrix.rows());
  for (Eigen::Index row = 0; row < start.size(); ++row)
    start(row) = random_uniform(options.seed, static_cast<std::uint64_t>(row), 0) - 0.5;
  solver.init(start.data());
  // The solver's tolerance is of an estimate, relative to the eigenvalue of S.
  solver.compute(Spectra::SortRule::LargestAlge, options.iterations, options.tolerance / 2,
                 Spectra::SortRule::LargestAlge);
  return {1 - solver.eigenvalues().array(), solver.eigenvectors(),
          static_cast<int>(solver.num_iterations())};
}

/// The greatest entry of each column above 0.
void fix_signs(MatrixD& vectors) {
  for (Eigen::Index column = 0; column < vectors.cols(); ++column) {
    Eigen::Index row = 0;
    vectors.col(column).cwiseAbs().maxCoeff(&row);
    if (vectors(row, column) < 0) vectors.col(column) *= -1;
  }
}

/// |L u - s u| of each column u.
VectorD residuals_of(const NormalisedGraph& graph, const MatrixD& vectors,
                     const VectorD& eigenvalues, int jobs) {
  const MatrixD rest = vectors - graph.multiply(vectors, jobs) - vectors * eigenvalues.asDiagonal();
  return rest.colwise().norm();
}

}  // namespace

GraphEigenmaps graph_eigenmaps(const SparseView& weights, const GraphEigenmapOptions& options,
                               const Run& run) {
  const auto begin = Clock::now();
  check(options);
  const NormalisedGraph graph(weights);
  const KnownVectors known = known_vectors(weights, graph.degrees());
  require(known.volume.size() > 0, "the graph of ", weights.rows,
          " items has no ties; expected some");
  const std::int64_t wanted = std::min(options.count, weights.rows - 1);
  const std::int64_t of_parts = std::min<std::int64_t>(wanted, known.volume.size() - 1);
  const std::int64_t others = wanted - of_parts;
  Pairs found{VectorD(0), MatrixD(weights.rows, 0)};
  WithoutKnown matrix(graph, known, run);
  if (others > 0)
    found = weights.rows < kFewItems || 3 * others >= weights.rows
                ? solve_dense(matrix, others)
                : solve_lanczos(matrix, others, options);
  GraphEigenmaps result;
  result.parts = known.volume.size();
  MatrixD vectors(weights.rows, of_parts + found.vectors.cols());
  vectors << vectors_of_parts(known, of_parts), found.vectors;
  fix_signs(vectors);
  result.eigenvalues = VectorD::Zero(vectors.cols());
  result.eigenvalues.tail(found.eigenvalues.size()) = found.eigenvalues.cwiseMax(0);
  result.residuals = residuals_of(graph, vectors, result.eigenvalues, run.jobs);
  result.vectors = vectors.cast<float>();
  const double worst = vectors.cols() > 0 ? result.residuals.maxCoeff() : 0;
  result.report.objective = {worst};
  result.report.iterations = found.iterations;
  result.report.converged = vectors.cols() == wanted && worst <= options.tolerance;
  result.report.compute_seconds = seconds_since(begin);
  return result;
}

}  // namespace commonplace::detect

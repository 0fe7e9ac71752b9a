#include "tests/support/naive_eigenmaps.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "commonplace/base/rng.h"

namespace commonplace::test {
namespace {

double at_place(const std::vector<double>& sorted, double place) {
  const auto first = static_cast<std::size_t>(std::floor(place));
  const auto second = static_cast<std::size_t>(std::ceil(place));
  return sorted[first] + (place - std::floor(place)) * (sorted[second] - sorted[first]);
}

double interpolate(const VectorD& centres, const Eigen::RowVectorXd& function, double x) {
  Eigen::Index i = 0;
  while (i + 2 < centres.size() && x >= centres(i + 1)) ++i;
  const double share = (x - centres(i)) / (centres(i + 1) - centres(i));
  return function(i) + share * (function(i + 1) - function(i));
}

}  // namespace

NaiveAxisEigenmaps naive_axis_eigenmaps(const MatrixD& items, std::int64_t bins,
                                        const VectorD& bandwidths, double smoothing, double clip,
                                        std::int64_t count) {
  const Eigen::Index axes = items.cols();
  const auto n = static_cast<double>(items.rows());
  NaiveAxisEigenmaps result;
  result.centres.resize(bins, axes);
  result.densities.resize(bins, axes);
  result.clips.resize(2, axes);
  result.all_eigenvalues = MatrixD::Zero(bins, axes);
  std::vector<std::tuple<double, Eigen::Index, Eigen::Index>> pool;
  std::vector<MatrixD> functions(static_cast<std::size_t>(axes));
  for (Eigen::Index a = 0; a < axes; ++a) {
    std::vector<double> sorted(items.col(a).begin(), items.col(a).end());
    std::sort(sorted.begin(), sorted.end());
    const double width = (sorted.back() - sorted.front()) / static_cast<double>(bins);
    VectorD p = VectorD::Constant(bins, 0);
    for (const double x : sorted)
      p(std::min<Eigen::Index>(bins - 1,
                               static_cast<Eigen::Index>((x - sorted.front()) / width))) += 1 / n;
    p.array() += smoothing;
    p /= p.sum();
    for (Eigen::Index i = 0; i < bins; ++i)
      result.centres(i, a) = sorted.front() + (static_cast<double>(i) + 0.5) * width;
    result.densities.col(a) = p;
    const double place = std::max(0.0, clip * n - 1);
    result.clips(0, a) = at_place(sorted, place);
    result.clips(1, a) = at_place(sorted, n - 1 - place);
    MatrixD w(bins, bins);
    for (Eigen::Index i = 0; i < bins; ++i)
      for (Eigen::Index j = 0; j < bins; ++j)
        w(i, j) = std::exp(-std::pow(result.centres(i, a) - result.centres(j, a), 2) /
                           (2 * bandwidths(a) * bandwidths(a)));
    const MatrixD pwp = p.asDiagonal() * w * p.asDiagonal();
    const MatrixD pw = p.asDiagonal() * w;
    const VectorD d = pwp.colwise().sum();
    const VectorD b = p.cwiseProduct(pw.colwise().sum().transpose());
    const MatrixD left = MatrixD(d.asDiagonal()) - pwp;
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(
        left, Eigen::MatrixXd(b.asDiagonal()));
    result.all_eigenvalues.col(a) = solver.eigenvalues();
    functions[static_cast<std::size_t>(a)] = solver.eigenvectors().transpose();
    for (Eigen::Index i = 0; i < bins; ++i)
      if (solver.eigenvalues()(i) >= 1e-10) pool.emplace_back(solver.eigenvalues()(i), a, i);
  }
  std::sort(pool.begin(), pool.end());
  pool.resize(std::min(pool.size(), static_cast<std::size_t>(count)));
  const auto chosen = std::ssize(pool);
  result.eigenvalues.resize(chosen);
  result.functions.resize(chosen, bins);
  result.encoded.resize(items.rows(), chosen);
  result.norms.resize(chosen);
  for (Eigen::Index k = 0; k < chosen; ++k) {
    const auto [value, a, i] = pool[static_cast<std::size_t>(k)];
    result.axis.push_back(a);
    result.eigenvalues(k) = value;
    result.functions.row(k) = functions[static_cast<std::size_t>(a)].row(i);
    for (Eigen::Index row = 0; row < items.rows(); ++row)
      result.encoded(row, k) =
          interpolate(result.centres.col(a), result.functions.row(k),
                      std::clamp(items(row, a), result.clips(0, a), result.clips(1, a)));
    result.norms(k) = result.encoded.col(k).norm();
    result.encoded.col(k) /= result.norms(k);
  }
  return result;
}

MatrixD naive_principal_axes(const MatrixD& items) {
  const MatrixD centred = items.rowwise() - items.colwise().mean();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(
      Eigen::MatrixXd(centred.transpose() * centred));
  return solver.eigenvectors().rowwise().reverse().transpose();
}

MatrixD naive_lap_rls(const MatrixD& rows, const MatrixD& labels, const VectorD& penalty,
                      double lambda) {
  const MatrixD left = MatrixD(penalty.asDiagonal()) + lambda * rows.transpose() * rows;
  return left.fullPivLu().solve(lambda * rows.transpose() * labels);
}

MatrixD naive_anchor_weights(const MatrixD& rows, const MatrixD& anchors, std::int64_t nearest,
                             double bandwidth) {
  MatrixD result = MatrixD::Zero(rows.rows(), anchors.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const VectorD distance = (anchors.rowwise() - rows.row(i)).rowwise().squaredNorm();
    std::vector<Eigen::Index> order(static_cast<std::size_t>(anchors.rows()));
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
      return distance(a) != distance(b) ? distance(a) < distance(b) : a < b;
    });
    for (std::int64_t j = 0; j < nearest; ++j) {
      const Eigen::Index anchor = order[static_cast<std::size_t>(j)];
      result(i, anchor) = std::exp(-distance(anchor) / (2 * bandwidth * bandwidth));
    }
    result.row(i) /= result.row(i).sum();
  }
  return result;
}

NaiveGraph naive_anchor_graph(const MatrixD& weights) {
  const VectorD degree = weights.colwise().sum();
  const Eigen::MatrixXd graph = weights * degree.cwiseInverse().asDiagonal() * weights.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(graph);
  return {solver.eigenvalues().reverse(), solver.eigenvectors().rowwise().reverse()};
}

MatrixD signs_of(const MatrixD& a, const MatrixD& b) {
  MatrixD result = a;
  for (Eigen::Index column = 0; column < a.cols(); ++column)
    if (a.col(column).dot(b.col(column)) < 0) result.col(column) *= -1;
  return result;
}

MatrixD two_moons(Eigen::Index items, double noise, std::uint64_t seed) {
  MatrixD result(items, 2);
  for (Eigen::Index i = 0; i < items; ++i) {
    const auto row = static_cast<std::uint64_t>(i);
    const double angle = std::numbers::pi * random_uniform(seed, row, 0);
    const double x = i % 2 == 0 ? std::cos(angle) : 1 - std::cos(angle);
    const double y = i % 2 == 0 ? std::sin(angle) : 0.5 - std::sin(angle);
    result.row(i) << x + noise * random_normal(seed + 1, row, 0),
        y + noise * random_normal(seed + 1, row, 1);
  }
  return result;
}

double random_normal(std::uint64_t seed, std::uint64_t row, std::uint64_t column) {
  const double radius = std::sqrt(-2 * std::log1p(-random_uniform(seed, row, 2 * column)));
  return radius * std::cos(2 * std::numbers::pi * random_uniform(seed, row, 2 * column + 1));
}

MatrixD normal_matrix(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  MatrixD result(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      result(i, j) =
          random_normal(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
  return result;
}

}  // namespace commonplace::test

#include "tests/support/naive_gp.h"

#include <cmath>
#include <numbers>
#include <sstream>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "commonplace/base/rng.h"
#include "tests/support/temporary_directory.h"

namespace commonplace::test {
namespace {

double naive_value(const Kernel& kernel, const VectorD& x, const VectorD& z) {
  const double l = kernel.length_scale;
  const double s = kernel.variance;
  switch (kernel.kind) {
    case KernelKind::rbf:
      return s * std::exp(-(x - z).squaredNorm() / (2 * l * l));
    case KernelKind::nn: {
      const double xz = 1 + x.dot(z) / (l * l);
      const double xx = 1 + x.squaredNorm() / (l * l);
      const double zz = 1 + z.squaredNorm() / (l * l);
      return 2 * s / std::numbers::pi * std::asin(2 * xz / std::sqrt((1 + 2 * xx) * (1 + 2 * zz)));
    }
    case KernelKind::linear:
      return s * (1 + x.dot(z) / (l * l));
    case KernelKind::cosine:
      break;
  }
  return x.norm() * z.norm() > 0 ? s * x.dot(z) / (x.norm() * z.norm()) : 0;
}

}  // namespace

MatrixD naive_kernel(const Kernel& kernel, const MatrixD& a, const MatrixD& b) {
  MatrixD result(a.rows(), b.rows());
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index j = 0; j < b.rows(); ++j)
      result(i, j) = naive_value(kernel, a.row(i).transpose(), b.row(j).transpose());
  return result;
}

MatrixD random_features(Eigen::Index rows, Eigen::Index columns, double density,
                        std::uint64_t seed) {
  MatrixD result(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j) {
      const auto row = static_cast<std::uint64_t>(i);
      const auto column = static_cast<std::uint64_t>(j);
      const double value = 2 * random_uniform(seed, row, column) - 1;
      const bool kept = random_uniform(seed + 1000, row, column) < density;
      result(i, j) = kept ? static_cast<double>(static_cast<float>(value)) : 0;
    }
  return result;
}

VectorD quadrature_softmax(const VectorD& mean, const MatrixD& covariance) {
  constexpr Eigen::Index count = 40;
  // Nodes and weights of the standard normal: eigenvectors of its Jacobi matrix.
  MatrixD jacobi = MatrixD::Zero(count, count);
  for (Eigen::Index i = 1; i < count; ++i)
    jacobi(i, i - 1) = jacobi(i - 1, i) = std::sqrt(static_cast<double>(i));
  const Eigen::SelfAdjointEigenSolver<MatrixD> nodes(jacobi);
  const MatrixD root = covariance.llt().matrixL();
  const Eigen::Index dimensions = mean.size();
  std::vector<Eigen::Index> at(static_cast<std::size_t>(dimensions), 0);
  VectorD result = VectorD::Zero(dimensions);
  while (true) {
    VectorD point(dimensions);
    double weight = 1;
    for (Eigen::Index d = 0; d < dimensions; ++d) {
      const Eigen::Index i = at[static_cast<std::size_t>(d)];
      point[d] = nodes.eigenvalues()[i];
      weight *= nodes.eigenvectors()(0, i) * nodes.eigenvectors()(0, i);
    }
    const VectorD values = mean + root * point;
    const VectorD powers = (values.array() - values.maxCoeff()).exp();
    result += weight * powers / powers.sum();
    std::size_t d = 0;
    while (d < at.size() && ++at[d] == count) at[d++] = 0;
    if (d == at.size()) return result;
  }
}

NaiveSoftmaxGp naive_softmax_gp(const MatrixD& whitened, const std::vector<std::int32_t>& labels,
                                Eigen::Index classes) {
  const Eigen::Index m = whitened.cols();
  NaiveSoftmaxGp result;
  result.weights = MatrixD::Zero(m, classes);
  for (int step = 0; step < 60; ++step) {
    MatrixD gradient = result.weights;
    result.curvature = MatrixD::Identity(m * classes, m * classes);
    result.objective = 0.5 * result.weights.squaredNorm();
    for (Eigen::Index n = 0; n < whitened.rows(); ++n) {
      const VectorD a = whitened.row(n).transpose();
      const VectorD f = result.weights.transpose() * a;
      VectorD p = (f.array() - f.maxCoeff()).exp();
      result.objective += std::log(p.sum()) + f.maxCoeff() - f[labels[static_cast<std::size_t>(n)]];
      p /= p.sum();
      for (Eigen::Index c = 0; c < classes; ++c) {
        gradient.col(c) += (p[c] - (labels[static_cast<std::size_t>(n)] == c ? 1 : 0)) * a;
        for (Eigen::Index d = 0; d < classes; ++d)
          result.curvature.block(c * m, d * m, m, m) +=
              ((c == d ? p[c] : 0) - p[c] * p[d]) * a * a.transpose();
      }
    }
    VectorD flat(m * classes);
    for (Eigen::Index c = 0; c < classes; ++c) flat.segment(c * m, m) = gradient.col(c);
    const VectorD direction = result.curvature.llt().solve(flat);
    // Short steps at first; the objective is convex.
    const double length = step < 20 ? 0.5 : 1.0;
    for (Eigen::Index c = 0; c < classes; ++c)
      result.weights.col(c) -= length * direction.segment(c * m, m);
  }
  auto half_log = [](const MatrixD& matrix) {
    const MatrixD lower = matrix.llt().matrixL();
    return lower.diagonal().array().log().sum();
  };
  result.coupled_log_likelihood = -result.objective - half_log(result.curvature);
  result.log_likelihood = -result.objective;
  for (Eigen::Index c = 0; c < classes; ++c)
    result.log_likelihood -= half_log(result.curvature.block(c * m, c * m, m, m));
  return result;
}

LabelledItems ring_of_classes(Eigen::Index items, Eigen::Index classes, double spread,
                              std::uint64_t seed) {
  LabelledItems result{MatrixD(items, 2), {}};
  Rng rng(seed);
  for (Eigen::Index n = 0; n < items; ++n) {
    const auto label = static_cast<std::int32_t>(n % classes);
    const double angle = 2 * std::numbers::pi * label / static_cast<double>(classes);
    const double x = std::cos(angle) + spread * (rng.uniform() + rng.uniform() - 1);
    const double y = std::sin(angle) + spread * (rng.uniform() + rng.uniform() - 1);
    result.features(n, 0) = static_cast<double>(static_cast<float>(x));
    result.features(n, 1) = static_cast<double>(static_cast<float>(y));
    result.labels.push_back(label);
  }
  return result;
}

MatrixD read_numbers(const std::filesystem::path& path) {
  std::istringstream lines(slurp(path));
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  MatrixD result(std::ssize(rows), rows.empty() ? 0 : std::ssize(rows.front()));
  for (Eigen::Index i = 0; i < result.rows(); ++i)
    for (Eigen::Index j = 0; j < result.cols(); ++j)
      result(i, j) = rows[static_cast<std::size_t>(i)].at(static_cast<std::size_t>(j));
  return result;
}

}  // namespace commonplace::test

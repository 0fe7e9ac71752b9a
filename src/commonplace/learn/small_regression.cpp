#include "commonplace/learn/small_regression.h"

#include <algorithm>

#include <Eigen/Cholesky>

// x  inputs   y  what is to be predicted   w  weights   s  x w   p  probabilities of 1

namespace commonplace {
namespace {

constexpr int kNewtonSteps = 50;
constexpr double kNewtonTolerance = 1e-9;
/// On the diagonal of what is solved, so that inputs which are all 0 do no harm.
constexpr double kJitter = 1e-9;

/// Penalises all weights but the constant.
VectorD penalty_of(Eigen::Index weights, double ridge) {
  VectorD result = VectorD::Constant(weights, ridge);
  result[0] = 0;
  return result;
}

VectorD constant_only(Eigen::Index weights, double constant) {
  VectorD result = VectorD::Zero(weights);
  result[0] = constant;
  return result;
}

/// Half the penalty and the sum of -ln P(y).
double logistic_loss(const MatrixD& x, const VectorD& y, const VectorD& penalty, const VectorD& w) {
  const VectorD s = x * w;
  double sum = 0.5 * penalty.dot(w.cwiseAbs2());
  for (Eigen::Index i = 0; i < s.size(); ++i)
    sum += std::max(s[i], 0.0) + std::log1p(std::exp(-std::abs(s[i]))) - y[i] * s[i];
  return sum;
}

/// Where Newton's step leads from w.
VectorD newton_direction(const MatrixD& x, const VectorD& y, const VectorD& penalty,
                         const VectorD& w) {
  const VectorD p = (x * w).unaryExpr([](double s) { return logistic(s); });
  const VectorD gradient = x.transpose() * (p - y) + penalty.cwiseProduct(w);
  const VectorD curvature = p.array() * (1 - p.array());
  MatrixD hessian = x.transpose() * curvature.asDiagonal() * x;
  hessian.diagonal() += penalty;
  hessian.diagonal().array() += kJitter;
  return hessian.ldlt().solve(-gradient);
}

}  // namespace

VectorD fit_logistic(const MatrixD& x, const VectorD& y, double ridge) {
  const double successes = y.sum();
  const auto count = static_cast<double>(y.size());
  VectorD w = constant_only(x.cols(), std::log((successes + 0.5) / (count - successes + 0.5)));
  if (successes == 0 || successes == count) return w;
  const VectorD penalty = penalty_of(x.cols(), ridge);
  double best = logistic_loss(x, y, penalty, w);
  for (int step = 0; step < kNewtonSteps; ++step) {
    const VectorD direction = newton_direction(x, y, penalty, w);
    double length = 1;
    double next = logistic_loss(x, y, penalty, w + direction);
    while (!(next <= best) && length > 1e-6) {
      length /= 2;
      next = logistic_loss(x, y, penalty, w + length * direction);
    }
    if (!(next < best)) break;
    w += length * direction;
    const bool done = best - next < kNewtonTolerance * (1 + std::abs(next));
    best = next;
    if (done) break;
  }
  return w;
}

VectorD fit_ridge(const MatrixD& x, const VectorD& y, double ridge) {
  MatrixD gram = x.transpose() * x;
  gram.diagonal() += penalty_of(x.cols(), ridge);
  gram.diagonal().array() += kJitter;
  return gram.ldlt().solve(x.transpose() * y);
}

}  // namespace commonplace

#include "commonplace/suggest/rivals/full_gp.h"

#include <cmath>
#include <numeric>

#include "commonplace/base/error.h"
#include "commonplace/math/dense_products.h"

// K  kernel among the items, N x N             f  latents, N x C
// Pi probabilities, N x C                      a  K⁻¹ f, N x C
// E_c  D_c^½ (I + D_c^½ K D_c^½)⁻¹ D_c^½, for D_c the diagonal matrix of column c of Pi
// z  half of the log determinants of I + D_c^½ K D_c^½ and of the sum of the E_c

namespace commonplace::suggest {
namespace {

constexpr int kMostHalvings = 30;

void check(std::int64_t items, std::span<const std::int32_t> labels, std::int64_t classes,
           const FullGpOptions& options) {
  require(options.iterations >= 1, "iterations is ", options.iterations, "; expected 1 or more");
  require(options.tolerance >= 0 && std::isfinite(options.tolerance), "tolerance is ",
          options.tolerance, "; expected 0 or more");
  require(classes >= 2, "there are ", classes, " classes; expected 2 or more");
  require(items >= 1, "there are no items to learn from");
  require(items == std::ssize(labels), items, " items do not fit ", labels.size(), " labels");
  require(fits_full_gp(items, classes), items, " items of ", classes,
          " classes are too many for the full Gaussian process, which takes their number squared "
          "in memory; take fewer items or the sparse one");
  for (std::size_t i = 0; i < labels.size(); ++i)
    require(labels[i] >= 0 && labels[i] < classes, "item ", i + 1, " has the class ", labels[i],
            "; expected 0 .. ", classes - 1);
}

/// Row by row; returns the sum of log of the sums of exponentials.
double softmax_rows(const MatrixD& f, MatrixD& pi) {
  pi.resize(f.rows(), f.cols());
  double result = 0;
  for (Eigen::Index n = 0; n < f.rows(); ++n) {
    const double top = f.row(n).maxCoeff();
    pi.row(n) = (f.row(n).array() - top).exp();
    const double total = pi.row(n).sum();
    pi.row(n) /= total;
    result += top + std::log(total);
  }
  return result;
}

struct Curvature {
  std::vector<MatrixD> e;  ///< E_c
  MatrixD whitener;        ///< inverse Cholesky factor of their sum
  double z = 0;
};

Curvature curvature_at(const MatrixD& k, const MatrixD& pi, int jobs) {
  Curvature result;
  MatrixD sum = MatrixD::Zero(k.rows(), k.cols());
  for (Eigen::Index c = 0; c < pi.cols(); ++c) {
    const VectorD root = pi.col(c).cwiseMax(1e-300).cwiseSqrt();
    MatrixD b = root.asDiagonal() * k * root.asDiagonal();
    b.diagonal().array() += 1;
    require(factorise(b, jobs), "the kernel matrix is not positive definite; take another kernel");
    result.z += b.diagonal().array().log().sum();
    const MatrixD half = inverse_of_lower(b, jobs) * root.asDiagonal();
    result.e.push_back(multiply(MatrixD(half.transpose()), half, jobs));
    sum += result.e.back();
  }
  require(factorise(sum, jobs), "the sum of precisions is not positive definite");
  result.z += sum.diagonal().array().log().sum();
  result.whitener = inverse_of_lower(sum, jobs);
  return result;
}

/// The next a of Newton's method: b - E K b + E R (Σ E)⁻¹ Rᵀ E K b, b = (D - Π Πᵀ) f + y - pi.
MatrixD newton_step(const MatrixD& k, const MatrixD& f, const MatrixD& pi, const MatrixD& y,
                    const Curvature& curvature, int jobs) {
  MatrixD b = y - pi;
  for (Eigen::Index n = 0; n < f.rows(); ++n)
    b.row(n) += pi.row(n).cwiseProduct(f.row(n)) - pi.row(n).dot(f.row(n)) * pi.row(n);
  const MatrixD kb = multiply(k, b, jobs);
  MatrixD c(f.rows(), f.cols());
  for (Eigen::Index j = 0; j < f.cols(); ++j)
    c.col(j) = curvature.e[static_cast<std::size_t>(j)] * kb.col(j);
  const VectorD summed = c.rowwise().sum();
  const VectorD solved = curvature.whitener.transpose() * (curvature.whitener * summed);
  MatrixD a = b - c;
  for (Eigen::Index j = 0; j < f.cols(); ++j)
    a.col(j) += curvature.e[static_cast<std::size_t>(j)] * solved;
  return a;
}

struct State {
  MatrixD a;
  MatrixD f;
  MatrixD pi;
  double objective = 0;
};

State state_at(const MatrixD& k, const MatrixD& y, MatrixD a, int jobs) {
  State state;
  state.f = multiply(k, a, jobs);
  state.objective = softmax_rows(state.f, state.pi) + 0.5 * a.cwiseProduct(state.f).sum() -
                    y.cwiseProduct(state.f).sum();
  state.a = std::move(a);
  return state;
}

/// Newton's step, half of it while the objective rises.
State advance(const MatrixD& k, const MatrixD& y, const State& state, int jobs) {
  const MatrixD wanted =
      newton_step(k, state.f, state.pi, y, curvature_at(k, state.pi, jobs), jobs);
  double step = 1;
  for (int i = 0; i < kMostHalvings; ++i, step /= 2) {
    State next = state_at(k, y, state.a + step * (wanted - state.a), jobs);
    if (next.objective <= state.objective) return next;
  }
  return state;
}

}  // namespace

bool fits_full_gp(std::int64_t items, std::int64_t classes) {
  return items <= 20'000 && items * items * classes <= kMostFullGp;
}

FullGpFit fit_full_gp(const Kernel& kernel, const FeatureRows& items,
                      std::span<const std::int32_t> labels, std::int64_t classes,
                      const FullGpOptions& options, int jobs) {
  check(items.rows(), labels, classes, options);
  const MatrixD k = kernel_gram(kernel, items, jobs);
  MatrixD y = MatrixD::Zero(items.rows(), classes);
  for (std::size_t i = 0; i < labels.size(); ++i) y(static_cast<Eigen::Index>(i), labels[i]) = 1;

  FullGpFit fit;
  State state = state_at(k, y, MatrixD::Zero(items.rows(), classes), jobs);
  for (int i = 0; i < options.iterations && !fit.report.converged; ++i) {
    State next = advance(k, y, state, jobs);
    fit.report.converged =
        state.objective - next.objective <= options.tolerance * std::abs(next.objective);
    state = std::move(next);
    fit.report.objective.push_back(state.objective);
    fit.report.iterations = i + 1;
  }

  Curvature curvature = curvature_at(k, state.pi, jobs);
  FullGp& model = fit.model;
  model.kernel = kernel;
  std::vector<std::int64_t> all(labels.size());
  std::iota(all.begin(), all.end(), 0);
  model.items = take_rows(items, all);
  model.log_likelihood = -state.objective - curvature.z;
  model.latents = std::move(state.f);
  model.residuals = y - state.pi;
  model.precision = std::move(curvature.e);
  model.whitener = std::move(curvature.whitener);
  return fit;
}

Latents predict_latents(const FullGp& model, const FeatureRows& items, int jobs) {
  const Eigen::Index classes = model.latents.cols();
  const VectorD squares = squared_norms(items);
  const VectorD own_squares = squared_norms(model.items.view());
  MatrixD k = exact_products(model.items.view(), items, jobs);
  for (Eigen::Index n = 0; n < k.rows(); ++n)
    for (Eigen::Index i = 0; i < k.cols(); ++i)
      k(n, i) = evaluate(model.kernel, k(n, i), own_squares[n], squares[i]);
  const VectorD diagonal = kernel_diagonal(model.kernel, items);

  Latents latents;
  latents.mean = multiply(MatrixD(k.transpose()), model.residuals, jobs).cast<float>();
  latents.variance.resize(items.rows(), classes);
  latents.covariance.resize(items.rows(), classes * classes);
  std::vector<MatrixD> images;
  MatrixD unexplained(items.rows(), classes);
  for (Eigen::Index c = 0; c < classes; ++c) {
    const MatrixD b = multiply(model.precision[static_cast<std::size_t>(c)], k, jobs);
    unexplained.col(c) = diagonal - b.cwiseProduct(k).colwise().sum().transpose();
    images.push_back(multiply(model.whitener, b, jobs));
  }
  for (Eigen::Index c = 0; c < classes; ++c)
    for (Eigen::Index d = 0; d < classes; ++d) {
      VectorD values = images[static_cast<std::size_t>(c)]
                           .cwiseProduct(images[static_cast<std::size_t>(d)])
                           .colwise()
                           .sum()
                           .transpose();
      if (c == d) values += unexplained.col(c);
      latents.covariance.col(c * classes + d) = values.cast<float>();
      if (c == d) latents.variance.col(c) = values.cast<float>();
    }
  return latents;
}

}  // namespace commonplace::suggest

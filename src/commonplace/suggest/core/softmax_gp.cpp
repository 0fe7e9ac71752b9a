#include "commonplace/suggest/core/softmax_gp.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/math/dense_products.h"

// A  whitened items, N x M (of this rank)      V  weights, M x C
// F  latents A V, N x C                        P  softmax of the rows of F
// G  gradient Aᵀ(P - Y) + V, M x C             D  a direction, M x C
// S  curvature of a class, I + Aᵀ diag(w) A    H  curvature of all: blocks I [c = d] +
//                                                 Aᵀ diag(p_c [c = d] - p_c p_d) A

namespace commonplace::suggest {
namespace {

constexpr std::int64_t kRowsAtOnce = 4096;
constexpr int kMostInner = 200;
constexpr int kMostHalvings = 30;

void check(const SoftmaxGpOptions& options) {
  const std::string& kept = options.variances;
  require(kept == "none" || kept == "shared" || kept == "class" || kept == "coupled",
          "variances is '", kept, "'; expected none, shared, class or coupled");
  require(options.iterations >= 1, "iterations is ", options.iterations, "; expected 1 or more");
  require(options.tolerance >= 0 && std::isfinite(options.tolerance), "tolerance is ",
          options.tolerance, "; expected 0 or more");
}

double inner(const MatrixD& a, const MatrixD& b) { return a.cwiseProduct(b).sum(); }

/// This rank's part of the problem, and sums over all ranks.
class Problem {
 public:
  Problem(const Matrix& a, std::span<const std::int32_t> labels, std::int64_t classes,
          const Run& run)
      : a_(a), labels_(labels), classes_(classes), run_(run) {}

  std::int64_t size() const { return a_.cols(); }
  std::int64_t classes() const { return classes_; }

  Matrix times(const MatrixD& v) const { return multiply(a_, v.cast<float>(), run_.jobs); }

  /// Aᵀ of item-length numbers plus `v`, over all ranks.
  MatrixD gather(const Matrix& values, const MatrixD& v) const {
    MatrixD result = MatrixD::Zero(size(), classes_);
    add_transposed_product(a_, values, result, run_.jobs);
    run_.comm.sum(result);
    return result + v;
  }

  /// -sum log softmax over all ranks' items; leaves the probabilities in `p`.
  double loss(const Matrix& f, Matrix& p) const {
    p.resize(f.rows(), f.cols());
    // Added up by rows in order, so that the threads do not matter.
    std::vector<double> losses(static_cast<std::size_t>(f.rows()));
    parallel_for(losses.size(), run_.jobs, [&](std::size_t begin, std::size_t end) {
      for (std::size_t n = begin; n < end; ++n) {
        const auto row = static_cast<Eigen::Index>(n);
        const Eigen::ArrayXd values = f.row(row).transpose().cast<double>();
        const double top = values.maxCoeff();
        const Eigen::ArrayXd powers = (values - top).exp();
        const double total = powers.sum();
        p.row(row) = (powers / total).transpose().cast<float>();
        losses[n] = top + std::log(total) - values[labels_[n]];
      }
    });
    double sum = 0;
    for (const double value : losses) sum += value;
    return run_.comm.sum(sum);
  }

  MatrixD gradient(Matrix p, const MatrixD& v) const {
    for (Eigen::Index n = 0; n < p.rows(); ++n) p(n, labels_[static_cast<std::size_t>(n)]) -= 1;
    return gather(p, v);
  }

  /// H D.
  MatrixD curve(const Matrix& p, const MatrixD& d) const {
    Matrix q = times(d);
    for (Eigen::Index n = 0; n < q.rows(); ++n)
      q.row(n) = p.row(n).cwiseProduct(q.row(n)) - p.row(n).dot(q.row(n)) * p.row(n);
    return gather(q, d);
  }

  /// I + Aᵀ diag(w) A over all ranks, where w[n] = weight(n) is 0 or more.
  template <class Weight>
  MatrixD curvature(const Weight& weight) const {
    MatrixD result = MatrixD::Zero(size(), size());
    for (std::int64_t first = 0; first < a_.rows(); first += kRowsAtOnce) {
      Matrix scaled = a_.middleRows(first, std::min(kRowsAtOnce, a_.rows() - first));
      for (Eigen::Index n = 0; n < scaled.rows(); ++n)
        scaled.row(n) *= static_cast<float>(std::sqrt(weight(first + n)));
      add_gram(scaled, result, run_.jobs);
    }
    run_.comm.sum(result);
    result.diagonal().array() += 1;
    return result;
  }

  MatrixD class_curvature(const Matrix& p, Eigen::Index c) const {
    return curvature([&](Eigen::Index n) {
      const auto q = static_cast<double>(p(n, c));
      return q * (1 - q);
    });
  }

  /// With w = sum over c of p_c (1 - p_c) / 2, which is p_c (1 - p_c) or more for every class and
  /// equal to it where two classes compete.
  MatrixD shared_curvature(const Matrix& p) const {
    return curvature([&](Eigen::Index n) {
      return 0.5 * std::max(0.0, 1 - p.row(n).cast<double>().squaredNorm());
    });
  }

  /// H, C M x C M.
  MatrixD coupled_curvature(const Matrix& p) const {
    const std::int64_t m = size();
    MatrixD result(m * classes_, m * classes_);
    for (Eigen::Index c = 0; c < classes_; ++c) {
      result.block(c * m, c * m, m, m) = class_curvature(p, c);
      for (Eigen::Index d = 0; d < c; ++d) {
        MatrixD block = MatrixD::Zero(m, m);
        const Matrix scaled = a_.array().colwise() * -(p.col(c).array() * p.col(d).array());
        add_transposed_product(scaled, a_, block, run_.jobs);
        run_.comm.sum(block);
        result.block(c * m, d * m, m, m) = block;
        result.block(d * m, c * m, m, m) = block.transpose();
      }
    }
    return result;
  }

 private:
  const Matrix& a_;
  std::span<const std::int32_t> labels_;
  std::int64_t classes_;
  Run run_;
};

struct Direction {
  MatrixD d;
  int products = 0;  ///< with the curvature, that it took
};

/// Solves H D = -G by conjugate gradients until the residual is `share` of its beginning, in the
/// norm of the preconditioner.
Direction newton_direction(const Problem& problem, const Matrix& p, const MatrixD& g,
                           const MatrixD& preconditioner, double share, int jobs) {
  Direction result{MatrixD::Zero(g.rows(), g.cols()), 0};
  MatrixD residual = -g;
  MatrixD z = multiply(preconditioner, residual, jobs);
  MatrixD direction = z;
  double rho = inner(residual, z);
  const double enough = share * share * rho;
  for (int i = 0; i < kMostInner && rho > enough && rho > 0; ++i) {
    const MatrixD curved = problem.curve(p, direction);
    const double step = rho / inner(direction, curved);
    result.d += step * direction;
    ++result.products;
    residual -= step * curved;
    z = multiply(preconditioner, residual, jobs);
    const double next = inner(residual, z);
    direction = z + (next / rho) * direction;
    rho = next;
  }
  return result;
}

/// Where the search stands.
struct State {
  MatrixD v;
  Matrix f;
  Matrix p;
  double objective = 0;
};

void evaluate(const Problem& problem, State& state) {
  state.f = problem.times(state.v);
  state.objective = problem.loss(state.f, state.p) + 0.5 * state.v.squaredNorm();
}

/// Goes along `d`, half as far while the objective does not fall. False if it never does.
bool advance(const Problem& problem, const MatrixD& d, double slope, State& state) {
  // What rounding of float latents may do to the objective.
  const double slack = 2e-7 * std::abs(state.objective);
  double step = 1;
  for (int i = 0; i < kMostHalvings; ++i, step /= 2) {
    State next;
    next.v = state.v + step * d;
    evaluate(problem, next);
    if (next.objective <= state.objective + 1e-4 * step * slope + slack) {
      state = std::move(next);
      return true;
    }
  }
  return false;
}

MatrixD inverse_of(MatrixD curvature, int jobs) {
  require(factorise(curvature, jobs), "the whitened items are not numbers or far too large");
  const MatrixD lower = inverse_of_lower(curvature, jobs);
  return multiply(MatrixD(lower.transpose()), lower, jobs);
}

/// How exactly to solve for the next direction: Newton's own speed at the end asks for ever better
/// ones, but not for more than is left to the tolerance, `enough`.
double next_share(double decrement, double enough, double objective) {
  if (!(decrement > 0)) return 0.1;
  const double speed = std::sqrt(decrement / std::abs(objective));
  return std::clamp(std::max(speed, 0.5 * std::sqrt(2 * enough / decrement)), 1e-6, 0.1);
}

State find_mode(const Problem& problem, const SoftmaxGpOptions& options, const Run& run,
                Convergence& report) {
  // Böhning's bound: the classes' gradients add up to zero, and there it is I + AᵀA / 2 for each.
  MatrixD preconditioner =
      inverse_of(problem.curvature([](Eigen::Index) { return 0.5; }), run.jobs);
  State state;
  state.v = MatrixD::Zero(problem.size(), problem.classes());
  evaluate(problem, state);
  double share = 0.1;
  for (int i = 0; i < options.iterations && !report.converged; ++i) {
    run.progress({"finding the mode", static_cast<std::uint64_t>(i),
                  static_cast<std::uint64_t>(options.iterations), "steps"});
    const MatrixD g = problem.gradient(state.p, state.v);
    const Direction direction =
        newton_direction(problem, state.p, g, preconditioner, share, run.jobs);
    const double slope = inner(g, direction.d);
    const bool little = -slope / 2 <= options.tolerance * std::abs(state.objective);
    report.converged = !advance(problem, direction.d, slope, state) || little;
    // Where classes are told apart, the curvature is far below its bound. Another Gram matrix is
    // worth its time if it takes less than the directions do.
    if (4 * problem.classes() * direction.products > problem.size() && !report.converged)
      preconditioner = inverse_of(problem.shared_curvature(state.p), run.jobs);
    share = next_share(-slope, options.tolerance * std::abs(state.objective), state.objective);
    report.objective.push_back(state.objective);
    report.iterations = i + 1;
  }
  return state;
}

/// L of L Lᵀ = matrix, and half of the log of its determinant.
double factorise_curvature(MatrixD& matrix, int jobs) {
  require(factorise(matrix, jobs),
          "the curvature is not positive definite; the items have values that are far too large");
  return matrix.diagonal().array().log().sum();
}

/// The factors that the options ask for, and the marginal likelihoods.
void add_curvatures(const Problem& problem, const State& state, const SoftmaxGpOptions& options,
                    int jobs, SoftmaxGpFit& fit) {
  const std::string& kept = options.variances;
  auto keep = [&](const MatrixD& lower) {
    fit.model.factors.push_back(inverse_of_lower(lower, jobs).cast<float>());
  };
  if (kept == "class" || options.likelihood) {
    double half_logs = 0;
    for (Eigen::Index c = 0; c < problem.classes(); ++c) {
      MatrixD curvature = problem.class_curvature(state.p, c);
      half_logs += factorise_curvature(curvature, jobs);
      if (kept == "class") keep(curvature);
    }
    if (options.likelihood) fit.log_likelihood = -state.objective - half_logs;
  }
  if (kept == "shared") {
    MatrixD curvature = problem.shared_curvature(state.p);
    factorise_curvature(curvature, jobs);
    keep(curvature);
  }
  const bool small = problem.size() * problem.classes() <= kMostCoupled;
  if (kept == "coupled" || (options.likelihood && small)) {
    MatrixD curvature = problem.coupled_curvature(state.p);
    const double half_log = factorise_curvature(curvature, jobs);
    if (options.likelihood) fit.coupled_log_likelihood = -state.objective - half_log;
    if (kept == "coupled") keep(curvature);
  }
}

void check_problem(const Matrix& whitened, std::span<const std::int32_t> labels,
                   std::int64_t classes, const SoftmaxGpOptions& options, const Run& run) {
  check(options);
  require(classes >= 2, "there are ", classes, " classes; expected 2 or more");
  require(whitened.cols() >= 1, "the items have no prototypes; give 1 or more");
  require(whitened.rows() == std::ssize(labels), whitened.rows(), " items do not fit ",
          labels.size(), " labels");
  for (std::size_t i = 0; i < labels.size(); ++i)
    require(labels[i] >= 0 && labels[i] < classes, "item ", i + 1, " has the class ", labels[i],
            "; expected 0 .. ", classes - 1);
  require(whitened.allFinite(), "the whitened items have entries that are not numbers");
  require(options.variances != "coupled" || whitened.cols() * classes <= kMostCoupled,
          whitened.cols(), " prototypes and ", classes,
          " classes are too many for coupled variances; at most ", kMostCoupled,
          " of both multiplied, or take variances class");
  std::int64_t items = whitened.rows();
  run.comm.sum(std::span<std::int64_t>(&items, 1));
  require(items >= 1, "there are no items to learn from");
}

/// The factors that a model of these variances has.
std::size_t factor_count(const SoftmaxGp& model) {
  if (model.variances == "none") return 0;
  return model.variances == "class" ? static_cast<std::size_t>(model.classes()) : 1;
}

std::int64_t factor_size(const SoftmaxGp& model) {
  return model.variances == "coupled" ? model.size() * model.classes() : model.size();
}

/// |row|² of each row, in double.
VectorD row_squares(const Matrix& rows) {
  VectorD result(rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    result[i] = rows.row(i).cast<double>().squaredNorm();
  return result;
}

void add_coupled(const SoftmaxGp& model, const Matrix& whitened, const VectorD& unexplained,
                 int jobs, Latents& latents) {
  const std::int64_t m = model.size();
  const std::int64_t classes = model.classes();
  std::vector<Matrix> images;
  for (std::int64_t c = 0; c < classes; ++c)
    images.push_back(multiply_transposed(whitened, model.factors[0].middleCols(c * m, m), jobs));
  latents.covariance.resize(whitened.rows(), classes * classes);
  for (Eigen::Index i = 0; i < whitened.rows(); ++i)
    for (std::int64_t c = 0; c < classes; ++c)
      for (std::int64_t d = 0; d < classes; ++d) {
        const auto& left = images[static_cast<std::size_t>(c)];
        const auto& right = images[static_cast<std::size_t>(d)];
        double value = left.row(i).cast<double>().dot(right.row(i).cast<double>());
        if (c == d) value += unexplained[i];
        latents.covariance(i, c * classes + d) = static_cast<float>(value);
        if (c == d) latents.variance(i, c) = static_cast<float>(value);
      }
}

}  // namespace

SoftmaxGpFit fit_softmax_gp(const Matrix& whitened, std::span<const std::int32_t> labels,
                            std::int64_t classes, const SoftmaxGpOptions& options, const Run& run) {
  const auto begin = Clock::now();
  const double waited = run.comm.seconds();
  check_problem(whitened, labels, classes, options, run);
  const Problem problem(whitened, labels, classes, run);
  SoftmaxGpFit fit;
  State state = find_mode(problem, options, run, fit.report);
  fit.model.variances = options.variances;
  add_curvatures(problem, state, options, run.jobs, fit);
  fit.model.weights = std::move(state.v);
  fit.report.communication_seconds = run.comm.seconds() - waited;
  fit.report.compute_seconds = seconds_since(begin) - fit.report.communication_seconds;
  return fit;
}

Latents predict_latents(const SoftmaxGp& model, const Matrix& whitened, const VectorD& diagonal,
                        int jobs) {
  require(whitened.cols() == model.size(), "items whitened by ", whitened.cols(),
          " prototypes do not fit a model of ", model.size());
  require(diagonal.size() == whitened.rows(), diagonal.size(), " values of k(x, x) do not fit ",
          whitened.rows(), " items");
  Latents latents;
  latents.mean = multiply(whitened, model.weights.cast<float>(), jobs);
  latents.variance.resize(whitened.rows(), model.classes());
  const VectorD unexplained = (diagonal - row_squares(whitened)).cwiseMax(0);
  if (model.variances == "coupled") {
    add_coupled(model, whitened, unexplained, jobs, latents);
    return latents;
  }
  VectorD variance = unexplained;
  for (Eigen::Index c = 0; c < model.classes(); ++c) {
    if (c == 0 || model.variances == "class")
      if (!model.factors.empty())
        variance = unexplained + row_squares(multiply_transposed(
                                     whitened, model.factors[static_cast<std::size_t>(c)], jobs));
    latents.variance.col(c) = variance.cast<float>();
  }
  return latents;
}

void add_softmax_gp(TensorWriter& writer, const SoftmaxGp& model) {
  writer.set("softmax_gp.variances", model.variances);
  writer.add("softmax_gp.weights", model.weights);
  for (std::size_t i = 0; i < model.factors.size(); ++i)
    writer.add("softmax_gp.factor." + std::to_string(i), model.factors[i]);
}

SoftmaxGp read_softmax_gp(const TensorFile& file) {
  SoftmaxGp model;
  model.variances = file.metadata("softmax_gp.variances");
  const std::string& kept = model.variances;
  require(kept == "none" || kept == "shared" || kept == "class" || kept == "coupled", file.name(),
          ": there are no variances '", kept, "'; the file is damaged or newer");
  model.weights = file.matrix_d("softmax_gp.weights");
  require(model.size() >= 1 && model.classes() >= 2 && model.weights.allFinite(), file.name(),
          ": the weights are not numbers, prototypes x classes; the file is damaged");
  const std::int64_t size = factor_size(model);
  for (std::size_t i = 0; i < factor_count(model); ++i) {
    const MatrixView factor = file.matrix("softmax_gp.factor." + std::to_string(i));
    require(factor.rows() == size && factor.cols() == size && factor.allFinite(), file.name(),
            ": a factor of ", factor.rows(), " x ", factor.cols(), " is not ", size, " x ", size,
            " numbers; the file is damaged");
    model.factors.emplace_back(factor);
  }
  return model;
}

}  // namespace commonplace::suggest

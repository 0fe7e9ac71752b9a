#include "commonplace/learn/linear_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/math/dense_products.h"

// For each concept, minimise |w|² / 2 + sum over rows i of c_i loss(y_i z_i), z = X w, where X has
// a column for the bias. A row of each matrix is a concept:
//   w  weights                    z  products with the rows           g  gradient
//   slope, curvature  first and second derivative of c_i loss by z_i  s  step (of w), u = X s
//   r, p, q  residual, direction and product of conjugate gradients for H s = -g,
//            H = I + Xᵀ diag(curvature) X

namespace commonplace {
namespace {

constexpr int kSteps = 100;
constexpr int kInnerSteps = 1000;
constexpr int kSearchSteps = 30;
/// Of the gradient, at which to stop solving for a step.
constexpr double kInnerTolerance = 0.1;
/// Of the slope along a step, at which to stop searching.
constexpr double kSearchTolerance = 0.01;

/// The derivatives of the loss of one row by its product.
struct Derivatives {
  double slope;
  double curvature;
};

Derivatives derivatives(bool logistic, double label, double product) {
  if (label == 0) return {0, 0};
  const double margin = label * product;
  if (logistic) {
    const double wrong = 1 / (1 + std::exp(margin));
    return {-label * wrong, wrong * (1 - wrong)};
  }
  return margin < 1 ? Derivatives{-2 * label * (1 - margin), 2} : Derivatives{0, 0};
}

/// The concepts that are not done yet.
struct Problem {
  std::vector<Eigen::Index> concepts;  ///< which they are
  MatrixD labels;
  VectorD positive_weights;
  VectorD bound;  ///< of the gradient's length; negative before the first step
  MatrixD w;
  MatrixD z;
  MatrixD g;
  MatrixD slope;
  MatrixD curvature;
};

void keep(Problem& problem, const std::vector<Eigen::Index>& which) {
  std::vector<Eigen::Index> concepts;
  for (const Eigen::Index k : which)
    concepts.push_back(problem.concepts[static_cast<std::size_t>(k)]);
  problem.concepts = std::move(concepts);
  problem.positive_weights = VectorD(problem.positive_weights(which));
  problem.bound = VectorD(problem.bound(which));
  for (MatrixD* matrix :
       {&problem.labels, &problem.w, &problem.z, &problem.g, &problem.slope, &problem.curvature})
    *matrix = MatrixD((*matrix)(which, Eigen::all));
}

class Newton {
 public:
  Newton(const Eigen::Ref<const MatrixD>& rows, const LinearSolverOptions& options, int jobs)
      : logistic_(options.loss == "logistic"), cost_(options.cost), jobs_(jobs) {
    x_.resize(rows.rows(), rows.cols() + (options.bias > 0 ? 1 : 0));
    x_.leftCols(rows.cols()) = rows;
    if (options.bias > 0) x_.rightCols(1).setConstant(options.bias);
    transposed_ = x_.transpose();
  }

  Eigen::Index columns() const { return x_.cols(); }

  void set_gradient(Problem& problem) const {
    for_each_concept(problem.w.rows(), [&](Eigen::Index k) {
      for (Eigen::Index i = 0; i < x_.rows(); ++i) {
        const auto [slope, curvature] =
            derivatives(logistic_, problem.labels(k, i), problem.z(k, i));
        const double cost = cost_of(problem, k, i);
        problem.slope(k, i) = cost * slope;
        problem.curvature(k, i) = cost * curvature;
      }
    });
    problem.g = problem.w + multiply(problem.slope, x_, jobs_);
  }

  void step(Problem& problem) const {
    const MatrixD s = newton_steps(problem);
    const MatrixD u = multiply(s, transposed_, jobs_);
    for_each_concept(s.rows(), [&](Eigen::Index k) {
      const double t = search(problem, k, s, u);
      problem.w.row(k) += t * s.row(k);
      problem.z.row(k) += t * u.row(k);
    });
  }

 private:
  template <class Body>
  void for_each_concept(Eigen::Index count, const Body& body) const {
    parallel_for(static_cast<std::size_t>(count), jobs_, [&](std::size_t begin, std::size_t end) {
      for (auto k = static_cast<Eigen::Index>(begin); k < static_cast<Eigen::Index>(end); ++k)
        body(k);
    });
  }

  double cost_of(const Problem& problem, Eigen::Index k, Eigen::Index i) const {
    return cost_ * (problem.labels(k, i) > 0 ? problem.positive_weights(k) : 1);
  }

  /// H s = -g by conjugate gradients. A concept that is done is worked on no more.
  MatrixD newton_steps(const Problem& problem) const {
    MatrixD s = MatrixD::Zero(problem.g.rows(), problem.g.cols());
    std::vector<Eigen::Index> open(static_cast<std::size_t>(s.rows()));
    for (std::size_t k = 0; k < open.size(); ++k) open[k] = static_cast<Eigen::Index>(k);
    MatrixD r = -problem.g;
    MatrixD p = r;
    VectorD rho = r.rowwise().squaredNorm();
    const VectorD bound = kInnerTolerance * kInnerTolerance * rho;
    for (int inner = 0; inner < kInnerSteps && !open.empty(); ++inner) {
      const MatrixD part = p(open, Eigen::all);
      MatrixD middle = multiply(part, transposed_, jobs_);
      for (Eigen::Index k = 0; k < middle.rows(); ++k)
        middle.row(k).array() *= problem.curvature.row(open[static_cast<std::size_t>(k)]).array();
      const MatrixD q = part + multiply(middle, x_, jobs_);
      std::vector<Eigen::Index> left;
      for (Eigen::Index at = 0; at < q.rows(); ++at) {
        const Eigen::Index k = open[static_cast<std::size_t>(at)];
        const double along = rho(k) / part.row(at).dot(q.row(at));
        s.row(k) += along * part.row(at);
        r.row(k) -= along * q.row(at);
        const double next = r.row(k).squaredNorm();
        p.row(k) = r.row(k) + next / rho(k) * part.row(at);
        rho(k) = next;
        if (next > bound(k)) left.push_back(k);
      }
      open = std::move(left);
    }
    return s;
  }

  /// How far to go along the step, where the slope is next to 0.
  double search(const Problem& problem, Eigen::Index k, const MatrixD& s, const MatrixD& u) const {
    const double steepness = s.row(k).squaredNorm();
    const double at_start = problem.g.row(k).dot(s.row(k));
    if (!(at_start < 0)) return 0;
    double low = 0;
    double high = std::numeric_limits<double>::infinity();
    double t = 1;
    for (int i = 0; i < kSearchSteps; ++i) {
      double slope = problem.w.row(k).dot(s.row(k)) + t * steepness;
      double curvature = steepness;
      for (Eigen::Index row = 0; row < x_.rows(); ++row) {
        const auto here =
            derivatives(logistic_, problem.labels(k, row), problem.z(k, row) + t * u(k, row));
        const double cost = cost_of(problem, k, row) * u(k, row);
        slope += cost * here.slope;
        curvature += cost * u(k, row) * here.curvature;
      }
      if (std::abs(slope) <= -kSearchTolerance * at_start) return t;
      (slope < 0 ? low : high) = t;
      t -= slope / curvature;
      if (!(t > low && t < high)) t = std::isinf(high) ? 2 * low : 0.5 * (low + high);
    }
    return t;
  }

  bool logistic_;
  double cost_;
  int jobs_;
  MatrixD x_;
  MatrixD transposed_;
};

/// Takes what is done out of the problem and into the result.
void take_done(Problem& problem, double bias, LinearClassifiers& result, bool all) {
  std::vector<Eigen::Index> left;
  const Eigen::Index features = result.weights.cols();
  for (Eigen::Index k = 0; k < problem.w.rows(); ++k) {
    if (!all && problem.g.row(k).norm() > problem.bound(k)) {
      left.push_back(k);
      continue;
    }
    const Eigen::Index which = problem.concepts[static_cast<std::size_t>(k)];
    result.weights.row(which) = problem.w.row(k).head(features);
    if (bias > 0) result.offsets(which) = bias * problem.w(k, features);
  }
  if (std::ssize(left) < problem.w.rows()) keep(problem, left);
}

/// The concepts with labels of both kinds; of the others, the offsets.
Problem open_concepts(const Eigen::Ref<const MatrixD>& labels, const VectorD& positive_weights,
                      bool logistic, Eigen::Index columns, LinearClassifiers& result) {
  Problem problem;
  for (Eigen::Index which = 0; which < labels.cols(); ++which) {
    const auto with = (labels.col(which).array() > 0).count();
    const auto without = (labels.col(which).array() < 0).count();
    if (with > 0 && without > 0)
      problem.concepts.push_back(which);
    else
      result.offsets(which) = offset_of_equal_labels(with, without, logistic);
  }
  const std::vector<Eigen::Index>& open = problem.concepts;
  const auto count = std::ssize(open);
  problem.labels = labels.transpose()(open, Eigen::all);
  problem.positive_weights = positive_weights(open);
  problem.bound = VectorD::Constant(count, -1);
  problem.w = problem.g = MatrixD::Zero(count, columns);
  problem.z = problem.slope = problem.curvature = MatrixD::Zero(count, labels.rows());
  return problem;
}

void set_bounds(Problem& problem, double tolerance) {
  for (Eigen::Index k = 0; k < problem.w.rows(); ++k) {
    const auto with = (problem.labels.row(k).array() > 0).count();
    const auto without = (problem.labels.row(k).array() < 0).count();
    problem.bound(k) = tolerance * static_cast<double>(std::min(with, without)) /
                       static_cast<double>(with + without) * problem.g.row(k).norm();
  }
}

}  // namespace

LinearClassifiers train_together(const Eigen::Ref<const MatrixD>& rows,
                                 const Eigen::Ref<const MatrixD>& labels,
                                 const LinearSolverOptions& options,
                                 const VectorD& positive_weights, const Run& run) {
  check_linear(options);
  require(labels.rows() == rows.rows() && positive_weights.size() == labels.cols(),
          "there are labels of ", labels.rows(), " rows and ", labels.cols(), " concepts for ",
          rows.rows(), " rows and ", positive_weights.size(), " weights; expected one each");
  LinearClassifiers result{MatrixD::Zero(labels.cols(), rows.cols()), VectorD::Zero(labels.cols())};
  const Newton newton(rows, options, run.jobs);
  Problem problem =
      open_concepts(labels, positive_weights, options.loss == "logistic", newton.columns(), result);
  for (int step = 0; !problem.concepts.empty(); ++step) {
    newton.set_gradient(problem);
    if (step == 0) set_bounds(problem, options.tolerance);
    take_done(problem, options.bias, result, false);
    run.progress({"learning a classifier for each concept",
                  static_cast<std::uint64_t>(labels.cols() - std::ssize(problem.concepts)),
                  static_cast<std::uint64_t>(labels.cols()), "concepts"});
    if (problem.concepts.empty()) break;
    if (step == kSteps) {
      result.converged = false;
      take_done(problem, options.bias, result, true);
      break;
    }
    newton.step(problem);
  }
  return result;
}

}  // namespace commonplace

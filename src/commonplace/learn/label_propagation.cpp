#include "commonplace/learn/label_propagation.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/learn/labelled_rows.h"
#include "commonplace/learn/neighbour_graph.h"

// Conjugate gradients for A F = B with A = I - alpha S and B = (1 - alpha) Y, a column for each
// concept, each with steps of its own:
//   r  residuals B - A F            p  directions           q  A p
//   rho  |r|² of each column        step, beta  as in the textbook, of each column

namespace commonplace {
namespace {

using Row = Eigen::RowVectorXd;

/// Rows that are added up by themselves, so that sums do not depend on the threads.
constexpr Eigen::Index kRowsOfSum = 1024;

void check(const LabelPropagationOptions& options) {
  require(options.alpha > 0 && options.alpha < 1, "alpha is ", options.alpha,
          "; expected more than 0 and less than 1");
  require(options.tolerance > 0 && std::isfinite(options.tolerance), "tolerance is ",
          options.tolerance, "; expected more than 0");
  require(options.iterations >= 1, "iterations is ", options.iterations, "; expected 1 or more");
}

/// Calls act(first row, rows, sum) for parts of the rows and adds up the sums.
template <class Act>
Row sum_over_rows(const MatrixD& like, int jobs, const Act& act) {
  const Eigen::Index parts = (like.rows() + kRowsOfSum - 1) / kRowsOfSum;
  MatrixD sums = MatrixD::Zero(parts, like.cols());
  parallel_for(static_cast<std::size_t>(parts), jobs, [&](std::size_t begin, std::size_t end) {
    for (auto part = static_cast<Eigen::Index>(begin); part < static_cast<Eigen::Index>(end);
         ++part) {
      const Eigen::Index first = part * kRowsOfSum;
      const Eigen::Index last = std::min(first + kRowsOfSum, like.rows());
      Row sum = Row::Zero(like.cols());
      for (Eigen::Index row = first; row < last; ++row) act(row, sum);
      sums.row(part) = sum;
    }
  });
  return sums.colwise().sum();
}

MatrixD right_side(const Eigen::Ref<const MatrixD>& labels,
                   const LabelPropagationOptions& options) {
  MatrixD result = (1 - options.alpha) * labels;
  if (!options.balanced) return result;
  for (Eigen::Index which = 0; which < labels.cols(); ++which) {
    const auto with = static_cast<double>((labels.col(which).array() > 0).count());
    const auto without = static_cast<double>((labels.col(which).array() < 0).count());
    if (with == 0 || without == 0) continue;
    for (double& value : result.col(which))
      if (value < 0) value *= with / without;
  }
  return result;
}

/// a / b where b is above 0, else 0.
Row quotients(const Row& a, const Row& b) {
  return (b.array() > 0).select(a.array() / b.array(), 0.0);
}

class Solver {
 public:
  Solver(const NormalisedGraph& graph, const MatrixD& right, const LabelPropagationOptions& options,
         int jobs)
      : graph_(graph),
        options_(options),
        jobs_(jobs),
        solution_(MatrixD::Zero(right.rows(), right.cols())),
        r_(right),
        p_(right),
        rho_(squares()),
        bound_(options.tolerance * options.tolerance * rho_),
        first_rho_(rho_) {}

  const MatrixD& solution() const { return solution_; }
  /// The largest relative residual.
  double residual() const { return std::sqrt(quotients(rho_, first_rho_).maxCoeff()); }
  bool done() const { return (rho_.array() <= bound_.array()).all(); }

  void step() {
    MatrixD q = graph_.multiply(p_, jobs_);
    const Row curvature = sum_over_rows(p_, jobs_, [&](Eigen::Index row, Row& sum) {
      q.row(row) = p_.row(row) - options_.alpha * q.row(row);
      sum += p_.row(row).cwiseProduct(q.row(row));
    });
    // A concept that is done stays as it is.
    const Row steps =
        (rho_.array() > bound_.array()).select(quotients(rho_, curvature).array(), 0.0);
    const Row next = sum_over_rows(r_, jobs_, [&](Eigen::Index row, Row& sum) {
      solution_.row(row) += steps.cwiseProduct(p_.row(row));
      r_.row(row) -= steps.cwiseProduct(q.row(row));
      sum += r_.row(row).cwiseAbs2();
    });
    const Row beta = quotients(next, rho_);
    rho_ = next;
    sum_over_rows(p_, jobs_, [&](Eigen::Index row, Row&) {
      p_.row(row) = r_.row(row) + beta.cwiseProduct(p_.row(row));
    });
  }

 private:
  Row squares() const {
    return sum_over_rows(r_, jobs_,
                         [&](Eigen::Index row, Row& sum) { sum += r_.row(row).cwiseAbs2(); });
  }

  const NormalisedGraph& graph_;
  const LabelPropagationOptions& options_;
  int jobs_;
  MatrixD solution_;
  MatrixD r_;
  MatrixD p_;
  Row rho_;
  Row bound_;
  Row first_rho_;
};

}  // namespace

LabelPropagation propagate_labels(const SparseView& weights,
                                  const Eigen::Ref<const MatrixD>& labels,
                                  const LabelPropagationOptions& options, const Run& run) {
  const auto begin = Clock::now();
  check(options);
  check_labels(labels, weights.rows);
  const NormalisedGraph graph(weights);
  LabelPropagation result;
  Solver solver(graph, right_side(labels, options), options, run.jobs);
  while (!solver.done() && result.report.iterations < options.iterations) {
    solver.step();
    ++result.report.iterations;
    result.report.objective.push_back(solver.residual());
    run.progress({"spreading labels over neighbours",
                  static_cast<std::uint64_t>(result.report.iterations), 0, "steps"});
  }
  result.report.converged = solver.done();
  result.scores = solver.solution().cast<float>();
  result.report.compute_seconds = seconds_since(begin);
  return result;
}

}  // namespace commonplace

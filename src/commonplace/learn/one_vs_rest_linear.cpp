#include "commonplace/learn/one_vs_rest_linear.h"

#include <cmath>
#include <mutex>

#include "commonplace/base/error.h"
#include "commonplace/base/parallel.h"
#include "commonplace/learn/labelled_rows.h"
#include "commonplace/learn/linear_newton.h"
#include "commonplace/learn/linear_solver.h"
#include "commonplace/math/dense_products.h"

namespace commonplace {
namespace {

VectorD weights_of_positives(const Eigen::Ref<const MatrixD>& labels, bool balanced) {
  VectorD result = VectorD::Ones(labels.cols());
  for (Eigen::Index which = 0; balanced && which < labels.cols(); ++which) {
    const auto with = (labels.col(which).array() > 0).count();
    const auto without = (labels.col(which).array() < 0).count();
    if (with > 0 && without > 0)
      result(which) = static_cast<double>(without) / static_cast<double>(with);
  }
  return result;
}

template <class Rows>
LinearClassifiers train_apart(const Rows& dense, const Eigen::Ref<const MatrixD>& labels,
                              const LinearSolverOptions& solver, const VectorD& positive_weights,
                              const Run& run) {
  const LinearSolverRows rows(dense, solver.bias);
  LinearClassifiers result{MatrixD::Zero(labels.cols(), dense.cols()),
                           VectorD::Zero(labels.cols())};
  std::mutex mutex;
  std::uint64_t done = 0;
  const auto count = static_cast<std::size_t>(labels.cols());
  parallel_for(
      count, run.jobs,
      [&](std::size_t begin, std::size_t end) {
        for (auto which = static_cast<Eigen::Index>(begin); which < static_cast<Eigen::Index>(end);
             ++which) {
          std::vector<std::int8_t> own;
          for (const double label : labels.col(which))
            own.push_back(static_cast<std::int8_t>(label));
          const LinearClassifier trained =
              train_classifier(rows, own, solver, positive_weights(which));
          if (trained.weights.size() > 0) result.weights.row(which) = trained.weights.transpose();
          result.offsets(which) = trained.offset;
        }
        const std::lock_guard lock(mutex);
        done += end - begin;
        run.progress({"learning a classifier for each concept", done, count, "concepts"});
      },
      1);
  return result;
}

template <class Rows>
OneVsRestLinear fit_any(const Rows& rows, const Eigen::Ref<const MatrixD>& labels,
                        const OneVsRestLinearOptions& options, const Run& run) {
  const LinearSolverOptions solver{options.loss, options.cost, options.tolerance, options.bias};
  check_linear(solver);
  require(options.solver == "newton" || options.solver == "liblinear", "solver is '",
          options.solver, "'; expected newton or liblinear");
  check_dense_rows(rows);
  check_labels(labels, rows.rows());
  const VectorD positives = weights_of_positives(labels, options.balanced);
  const LinearClassifiers trained =
      options.solver == "newton"
          ? train_together(rows.template cast<double>(), labels, solver, positives, run)
          : train_apart(rows, labels, solver, positives, run);
  const Eigen::VectorXf offsets = trained.offsets.cast<float>();
  return {trained.weights.transpose().cast<float>(),
          {offsets.begin(), offsets.end()},
          options.loss == "logistic",
          trained.converged};
}

}  // namespace

OneVsRestLinear fit_one_vs_rest(const Eigen::Ref<const Matrix>& rows,
                                const Eigen::Ref<const MatrixD>& labels,
                                const OneVsRestLinearOptions& options, const Run& run) {
  return fit_any(rows, labels, options, run);
}

OneVsRestLinear fit_one_vs_rest(const Eigen::Ref<const MatrixD>& rows,
                                const Eigen::Ref<const MatrixD>& labels,
                                const OneVsRestLinearOptions& options, const Run& run) {
  return fit_any(rows, labels, options, run);
}

Matrix score(const OneVsRestLinear& model, const Eigen::Ref<const Matrix>& rows, int jobs) {
  require(rows.cols() == model.weights.rows(), "the rows have ", rows.cols(),
          " features, the model ", model.weights.rows(),
          "; give the features that it was learned from");
  Matrix result = multiply(rows, model.weights, jobs);
  const Eigen::Map<const Eigen::RowVectorXf> offset(model.offset.data(), model.weights.cols());
  parallel_for(static_cast<std::size_t>(rows.rows()), jobs,
               [&](std::size_t begin, std::size_t end) {
                 for (auto row = static_cast<Eigen::Index>(begin);
                      row < static_cast<Eigen::Index>(end); ++row) {
                   result.row(row) += offset;
                   if (model.probabilities)
                     for (float& value : result.row(row)) value = 1 / (1 + std::exp(-value));
                 }
               });
  return result;
}

}  // namespace commonplace

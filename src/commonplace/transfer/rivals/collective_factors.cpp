// Z  features x words     F  documents x words     U, V, W  factors of features, words, documents
// b  balance, the weight of Z's side; 1 - b is that of F's
#include "commonplace/transfer/rivals/collective_factors.h"

#include <algorithm>
#include <cmath>

#include "commonplace/base/clock.h"
#include "commonplace/base/error.h"
#include "commonplace/base/rng.h"
#include "commonplace/math/decompose.h"
#include "commonplace/math/dense_products.h"
#include "commonplace/math/sparse_ops.h"

namespace commonplace::transfer {
namespace {

void check(const CollectiveFactorOptions& options) {
  require(options.rank >= 1, "rank is ", options.rank, "; expected 1 or more");
  require(options.balance >= 0 && options.balance <= 1, "balance is ", options.balance,
          "; expected 0 .. 1");
  require(options.ridge > 0 && std::isfinite(options.ridge), "ridge is ", options.ridge,
          "; expected more than 0");
  require(options.tolerance >= 0 && std::isfinite(options.tolerance), "tolerance is ",
          options.tolerance, "; expected 0 or more");
  require(options.iterations >= 1, "iterations is ", options.iterations, "; expected 1 or more");
}

void check_matrix(const SparseView& matrix, const char* rows) {
  require(matrix.rows >= 1 && matrix.columns >= 1, "there are ", matrix.rows, " ", rows, " and ",
          matrix.columns, " words; expected 1 or more of both");
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    for (const float value : matrix.row_values(row))
      require(std::isfinite(value), "row ", row, " of the ", rows,
              " has a number that is not finite; expected only finite ones");
}

/// right (system + ridge I)⁻¹.
MatrixD ridge_solution(const MatrixD& right, const MatrixD& system, double ridge, int jobs) {
  Eigen::MatrixXd penalised = system;
  penalised.diagonal().array() += ridge;
  const auto inverse = inverse_of_positive(penalised);
  require(inverse.has_value(), "the factors cannot be solved for with a ridge of ", ridge,
          "; give a greater one");
  return multiply(right, MatrixD(*inverse), jobs);
}

class Solver {
 public:
  Solver(const SparseView& z, const SparseView& f, const CollectiveFactorOptions& options, int jobs)
      : z_(z),
        f_(f),
        options_(options),
        jobs_(jobs),
        constant_(options.balance * squared_norm(z) + (1 - options.balance) * squared_norm(f)) {}

  /// V by chance, then U and W of it.
  void start(CollectiveFactors& factors) const {
    factors.words.resize(z_.columns, options_.rank);
    for (Eigen::Index row = 0; row < factors.words.rows(); ++row)
      for (Eigen::Index column = 0; column < factors.words.cols(); ++column)
        factors.words(row, column) = random_uniform(options_.seed, static_cast<std::uint64_t>(row),
                                                    static_cast<std::uint64_t>(column)) -
                                     0.5;
    set_sides(factors);
  }

  void set_words(CollectiveFactors& factors) const {
    const double b = options_.balance;
    const MatrixD right = b * transposed_multiply(z_, factors.features, jobs_) +
                          (1 - b) * transposed_multiply(f_, factors.documents, jobs_);
    const MatrixD system =
        b * gram(factors.features, jobs_) + (1 - b) * gram(factors.documents, jobs_);
    factors.words = ridge_solution(right, system, options_.ridge, jobs_);
  }

  /// U and W; returns the objective, for which all is at hand here.
  double set_sides(CollectiveFactors& factors) const {
    const MatrixD words = gram(factors.words, jobs_);
    return constant_ + options_.ridge * factors.words.squaredNorm() +
           set_side(z_, factors.words, words, options_.balance, factors.features) +
           set_side(f_, factors.words, words, 1 - options_.balance, factors.documents);
  }

 private:
  /// The factors of the rows of A, and what they add to the objective beside weight |A|².
  double set_side(const SparseView& a, const MatrixD& words, const MatrixD& words_gram,
                  double weight, MatrixD& factors) const {
    const MatrixD right = weight * multiply(a, words, jobs_);
    factors = ridge_solution(right, weight * words_gram, options_.ridge, jobs_);
    return weight * gram(factors, jobs_).cwiseProduct(words_gram).sum() -
           2 * right.cwiseProduct(factors).sum() + options_.ridge * factors.squaredNorm();
  }

  SparseView z_;
  SparseView f_;
  CollectiveFactorOptions options_;
  int jobs_;
  double constant_;
};

}  // namespace

CollectiveFactors fit_collective_factors(const SparseView& z, const SparseView& f,
                                         const CollectiveFactorOptions& options, const Run& run) {
  const auto begin = Clock::now();
  check(options);
  check_matrix(z, "features");
  check_matrix(f, "documents");
  require(z.columns == f.columns, "the features have ", z.columns, " words and the documents ",
          f.columns, "; expected the same words");
  const Solver solver(z, f, options, run.jobs);
  CollectiveFactors result;
  Convergence& report = result.report;
  solver.start(result);
  while (!report.converged && report.iterations < options.iterations) {
    solver.set_words(result);
    report.objective.push_back(solver.set_sides(result));
    ++report.iterations;
    const std::size_t count = report.objective.size();
    report.converged = count >= 2 && report.objective[count - 2] - report.objective[count - 1] <=
                                         options.tolerance * report.objective[count - 2];
    run.progress({"factorising features and documents",
                  static_cast<std::uint64_t>(report.iterations),
                  static_cast<std::uint64_t>(options.iterations), "rounds"});
  }
  report.compute_seconds = seconds_since(begin);
  return result;
}

Matrix encode(const CollectiveFactors& factors, const FeatureRows& images, int jobs) {
  const MatrixD& u = factors.features;
  require(images.columns() == u.rows(), "pictures have ", images.columns(),
          " features; the factors were learned from ", u.rows());
  Matrix result = Matrix::Zero(images.rows(), images.columns() + u.cols());
  const Matrix latent = images.is_sparse()
                            ? Matrix(multiply(images.sparse(), u, jobs).cast<float>())
                            : multiply(images.dense(), Matrix(u.cast<float>()), jobs);
  for (Eigen::Index row = 0; row < result.rows(); ++row) {
    auto own = result.row(row);
    if (images.is_sparse()) {
      const auto columns = images.sparse().row_indices(row);
      const auto values = images.sparse().row_values(row);
      for (std::size_t i = 0; i < columns.size(); ++i) own(columns[i]) = values[i];
    } else {
      own.head(images.columns()) = images.dense().row(row);
    }
    const double length = own.head(images.columns()).cast<double>().norm();
    const double reach = latent.row(row).cast<double>().norm();
    if (reach > 0)
      own.tail(u.cols()) = (latent.row(row).cast<double>() * (length / reach)).cast<float>();
  }
  return result;
}

}  // namespace commonplace::transfer

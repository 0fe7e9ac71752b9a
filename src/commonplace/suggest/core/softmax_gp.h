#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "commonplace/base/convergence.h"
#include "commonplace/base/matrix.h"
#include "commonplace/comm/run.h"
#include "commonplace/io/safetensors.h"
#include "commonplace/suggest/core/class_probabilities.h"

namespace commonplace::suggest {

/// Which posterior variances the model keeps, M prototypes and C classes:
///   none     nothing; predictions have the variance that the prototypes leave unexplained
///   shared   one M x M factor for all classes, of a curvature that no class exceeds
///   class    one a class, C M² numbers and C products of N M² to make them: the paper's
///   coupled  with the covariances between classes, (C M)² numbers: exact, for small problems
struct SoftmaxGpOptions {
  std::string variances = "shared";  ///< none, shared, class or coupled
  bool likelihood = false;           ///< also the log marginal likelihoods
  int iterations = 50;               ///< at most so many Newton steps
  double tolerance = 1e-6;           ///< stop when a step promises no more than this share
};

template <class Self, class Visit>
requires std::is_same_v<std::remove_const_t<Self>, SoftmaxGpOptions>
void visit_options(Self& options, Visit&& visit) {
  visit("variances", options.variances,
        "posterior variances to keep: none, shared, class, coupled");
  visit("likelihood", options.likelihood, "also find the log marginal likelihood");
  visit("iterations", options.iterations, "most Newton steps");
  visit("tolerance", options.tolerance, "stop when a step promises less than this share");
}

/// A Gaussian process for C classes that share M prototypes, over whitened items
/// (sparse_gp_basis.h): the latent function of class c is aᵀ v_c, the classes' probabilities are
/// the softmax of the latents, and v_c ~ N(0, I) before the data. Laplace's approximation: the mode
/// and its curvature.
struct SoftmaxGp {
  MatrixD weights;              ///< M x C, the mode
  std::string variances;        ///< as in the options
  std::vector<Matrix> factors;  ///< L⁻¹ of the curvatures: none, 1, C, or 1 of C M x C M

  std::int64_t size() const { return weights.rows(); }
  std::int64_t classes() const { return weights.cols(); }
};

/// The most prototypes x classes for which the coupled curvature is made.
constexpr std::int64_t kMostCoupled = 2000;

struct SoftmaxGpFit {
  SoftmaxGp model;
  Convergence report;  ///< the objective is Psi = -sum log softmax(A V) + |V|² / 2
  /// Log marginal likelihoods, if asked for: with a curvature block a class, and with the coupled
  /// one where prototypes x classes are at most kMostCoupled. The latter is the better estimate.
  std::optional<double> log_likelihood;
  std::optional<double> coupled_log_likelihood;
};

/// From the whitened items of this rank, N x M, and their labels, 0 .. classes-1. The mode is found
/// by Newton's method with conjugate gradients, preconditioned by one M x M Gram
/// matrix for all classes: Böhning's bound I + AᵀA / 2, later the shared curvature. O(steps · N M
/// (M + C)), and for the variances what the options say. All ranks end with the same model.
SoftmaxGpFit fit_softmax_gp(const Matrix& whitened, std::span<const std::int32_t> labels,
                            std::int64_t classes, const SoftmaxGpOptions& options, const Run& run);

/// The latents of whitened items, n x M, for which k(x, x) is `diagonal`. O(n M C), and O(n M²) a
/// factor. The same bits for an item alone as among others.
Latents predict_latents(const SoftmaxGp& model, const Matrix& whitened, const VectorD& diagonal,
                        int jobs = 0);

/// Puts the model into a file and takes it out again; Error if its parts do not fit together.
void add_softmax_gp(TensorWriter& writer, const SoftmaxGp& model);
SoftmaxGp read_softmax_gp(const TensorFile& file);

}  // namespace commonplace::suggest
